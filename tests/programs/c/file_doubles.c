// Values that come from files: fread over memory that held other values, fscanf, strtod, fgets.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { N = 64 };

int main(void) {
    double values[N], sum = 0;
    float narrow[N];
    FILE *file = tmpfile();
    if (!file) return 3;
    for (int i = 0; i < N; i++) values[i] = exp(i * 0.3) / 7;
    fwrite(values, sizeof *values, N, file);
    for (int i = 0; i < N; i++) narrow[i] = (float)values[i] * 0.1f;
    fwrite(narrow, sizeof *narrow, N, file);
    for (int i = 0; i < N; i++) values[i] = -values[i] * 2; /* new shadows where fread will write */
    rewind(file);
    if (fread(values, sizeof *values, N, file) != N) return 4;
    if (fread(narrow, sizeof *narrow, N, file) != N) return 4;
    for (int i = 0; i < N; i++) sum += values[i] * narrow[N - 1 - i];
    printf("%a\n", sum);

    rewind(file);
    for (int i = 0; i < N; i++) fprintf(file, "%.17g %a,%.9g\n", values[i], sqrt(values[i]), narrow[i]);
    rewind(file);
    for (int i = 0; i < N / 2; i++) {
        double a, b;
        float c;
        if (fscanf(file, "%lf %lf,%f", &a, &b, &c) != 3) return 5;
        sum = sum / 2 + a / b - c;
        if (i % 8 == 0) printf("%a %d %d\n", sum, a == values[i], c == narrow[i]);
    }
    char line[256];
    for (int i = 0; fgets(line, sizeof line, file) && i < N / 2; i++) {
        char *rest;
        double a = strtod(line, &rest), b = strtod(rest, &rest);
        float c = strtof(rest + (*rest == ','), NULL);
        sum = sum * 0.75 + a * 1e-6 + b + c;
        if (i % 8 == 0) printf("%.17g\n", sum);
    }
    fclose(file);
    return 0;
}
