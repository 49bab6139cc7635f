#include <cmath>
#include <cstdio>
#include <cstdlib>

class Layer {
public:
    explicit Layer(double bias) : bias(bias) {}
    double activate(double x) const { return std::log(1 + std::exp(x + bias)); }

private:
    double bias;
};

int main(int argc, char **argv)
{
    Layer layer(std::atof(argv[1]));
    std::printf("%.12g\n", layer.activate(std::atof(argv[2])));
    return argc < 3;
}
