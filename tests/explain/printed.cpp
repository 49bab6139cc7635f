// The same wrong number, printed with more and with fewer digits.
#include <charconv>
#include <cmath>
#include <complex>
#include <iomanip>
#include <iostream>
#include <sstream>
#include <string>

int main(int argc, char **argv) {
    std::string how = argv[1];
    double x = std::stod(argv[2]);
    int digits = argc > 3 ? std::stoi(argv[3]) : 6;
    double y = std::sqrt(x + 1) - std::sqrt(x); // CAUSE
    if (how == "default")
        std::cout << "y = " << y << '\n'; // REACHED default
    else if (how == "precision")
        std::cout << std::setprecision(digits) << y << '\n'; // REACHED precision
    else if (how == "fixed") {
        std::ostringstream text;
        text << std::fixed << std::setprecision(digits) << y; // REACHED fixed
        std::cout << text.str() << '\n';
    } else if (how == "scientific")
        std::cerr << std::scientific << std::setprecision(digits) << y << '\n'; // REACHED scientific
    else if (how == "complex")
        std::cout << std::setprecision(digits) << std::complex<double>(1, y) << '\n'; // REACHED complex
    else if (how == "to_string")
        std::cout << std::to_string(y) << '\n'; // REACHED to_string
    else if (how == "to_chars") {
        char text[64];
        auto end = std::to_chars(text, text + sizeof text, y, std::chars_format::fixed, digits).ptr; // REACHED to_chars
        std::cout.write(text, end - text) << '\n';
    } else if (how == "shortest") {
        char text[64];
        auto end = std::to_chars(text, text + sizeof text, y).ptr; // REACHED shortest
        std::cout.write(text, end - text) << '\n';
    }
}
