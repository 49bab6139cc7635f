// lostbits: fresh=0
// Virtual calls with FP arguments and results: single and multiple inheritance, thunks, pure virtual,
// pointers to members, dynamic_cast, covariant returns.
#include <cmath>
#include <cstdio>
#include <memory>
#include <vector>

struct Shape {
    virtual ~Shape() = default;
    virtual double area() const = 0;
    virtual double scaled(double factor, float bias) const { return area() * factor + bias; }
    virtual std::unique_ptr<Shape> grown(double by) const = 0;
};

struct Named {
    float weight;
    explicit Named(float weight) : weight(weight) {}
    virtual ~Named() = default;
    virtual float importance(double at) const { return weight * static_cast<float>(at); }
};

struct Circle : Shape {
    double radius;
    explicit Circle(double radius) : radius(radius) {}
    double area() const override { return M_PI * radius * radius; }
    std::unique_ptr<Shape> grown(double by) const override { return std::make_unique<Circle>(radius + by); }
};

struct Triangle : Named, Shape {
    double a, b, c;
    Triangle(double a, double b, double c) : Named(static_cast<float>(a / b)), a(a), b(b), c(c) {}
    double area() const override {
        double s = (a + b + c) / 2;
        return std::sqrt(s * (s - a) * (s - b) * (s - c));
    }
    double scaled(double factor, float bias) const override { return Shape::scaled(factor * 0.5, bias) - c; }
    float importance(double at) const override { return Named::importance(at) + static_cast<float>(c); }
    std::unique_ptr<Shape> grown(double by) const override { return std::make_unique<Triangle>(a + by, b + by, c + by / 2); }
};

struct Virtual : virtual Shape {
    double side = 0.3;
    double area() const override { return side * side; }
    std::unique_ptr<Shape> grown(double by) const override {
        auto made = std::make_unique<Virtual>();
        made->side = side * (1 + by);
        return made;
    }
};

int main() {
    volatile double seed = 1.3;
    std::vector<std::unique_ptr<Shape>> shapes;
    for (int i = 0; i < 4; i++) {
        shapes.push_back(std::make_unique<Circle>(seed + i));
        shapes.push_back(std::make_unique<Triangle>(seed + i, 2 + i * 0.7, seed * 2));
        shapes.push_back(std::make_unique<Virtual>());
    }
    double (Shape::*measure[])() const = {&Shape::area};
    double (Shape::*scale)(double, float) const = &Shape::scaled;
    for (int round = 0; round < 3; round++)
        for (auto &shape : shapes) {
            double total = (shape.get()->*measure[0])() + (shape.get()->*scale)(0.7, 0.1f);
            if (auto *named = dynamic_cast<Named *>(shape.get())) total += named->importance(total);
            std::printf("%a\n", total);
            shape = shape->grown(0.1 * (round + 1));
        }
}
