/* Sums without decisions: naive, and Kahan's, in which bits cancel on purpose. Nothing may be reported. */
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv) {
    double value = strtod(argv[1], NULL);
    double naive = 0, sum = 0, lost = 0;
    for (int i = 0; i < 1000; i++) {
        naive += value;
        double corrected = value - lost;
        double next = sum + corrected;
        lost = (next - sum) - corrected;
        sum = next;
    }
    printf("%.17g %.17g\n", naive, sum);
    return 0;
}
