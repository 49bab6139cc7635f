// args: 0.1 20000
// A compensated sum: nothing is wrong.
#include <cmath>
#include <iomanip>
#include <iostream>
#include <cstdlib>

class Sum {
    double total = 0;
    double lost = 0;

public:
    void add(double term)
    {
        double corrected = term - lost;
        double next = total + corrected;
        double gained = next - total;
        lost = gained - corrected;
        total = next;
    }
    double value() const { return total; }
};

int main(int argc, char **argv)
{
    double term = std::atof(argv[1]);
    int n = std::atoi(argv[2]);
    Sum sum;
    for (int i = 1; i <= n; i++)
        sum.add(term / i);
    std::cout << std::setprecision(17) << sum.value() << "\n";
    return argc > 99;
}
