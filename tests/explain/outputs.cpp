// The same wrong number, put out in several ways of C++.
#include <charconv>
#include <cmath>
#include <complex>
#include <cstring>
#include <fstream>
#include <iostream>
#include <sstream>
#include <string>

int main(int argc, char **argv) {
    std::string how = argv[1];
    double x = std::stod(argv[2]), y = std::sqrt(x + 1) - std::sqrt(x); // CAUSE
    if (how == "to_string")
        std::cout << std::to_string(1e6 * y) << '\n'; // REACHED to_string
    else if (how == "sstream") {
        std::ostringstream text;
        text << "y = " << y; // REACHED sstream
        std::cout << text.str() << '\n';
    } else if (how == "to_chars") {
        char text[64];
        auto end = std::to_chars(text, text + sizeof text, y).ptr; // REACHED to_chars
        std::cout.write(text, end - text) << '\n';
    } else if (how == "complex") {
        std::complex<double> z(1, y);
        std::cout << z << '\n'; // REACHED complex
    } else if (how == "long-complex") {
        std::complex<long double> z(1, y);
        std::cout << z << '\n'; // REACHED long-complex
    } else {
        std::ofstream file("/dev/null", std::ios::binary);
        file.write(reinterpret_cast<const char *>(&y), sizeof y); // REACHED write
    }
}
