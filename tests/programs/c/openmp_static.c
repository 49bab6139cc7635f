// lostbits: flags=-fopenmp
// lostbits: env=OMP_WAIT_POLICY=passive
// OpenMP with fixed thread count and static schedules. Reductions add whole numbers, so that the
// order in which threads join cannot change the sum.
#include <math.h>
#include <omp.h>
#include <stdio.h>

enum { N = 600 };

static double grid[N], next[N];
static float weights[N];

int main(void) {
    omp_set_dynamic(0);
    omp_set_num_threads(3);

#pragma omp parallel for schedule(static)
    for (int i = 0; i < N; i++) {
        grid[i] = sin(i * 0.1) / (1 + i);
        weights[i] = sqrtf((float)i) * 0.3f;
    }
    for (int step = 0; step < 20; step++) {
#pragma omp parallel for schedule(static, 16)
        for (int i = 1; i < N - 1; i++) next[i] = grid[i] + 0.23 * (grid[i - 1] - 2 * grid[i] + grid[i + 1]);
#pragma omp parallel for schedule(static)
        for (int i = 1; i < N - 1; i++) grid[i] = next[i];
    }
    double whole = 0, largest = -INFINITY;
#pragma omp parallel for schedule(static) reduction(+ : whole) reduction(max : largest)
    for (int i = 0; i < N; i++) {
        whole += floor(1e6 * grid[i]);
        largest = fmax(largest, grid[i] * weights[i]);
    }
    double partial[3] = {0};
#pragma omp parallel
    {
        int me = omp_get_thread_num();
        double mine = me + 0.5;
#pragma omp for schedule(static) nowait
        for (int i = 0; i < N; i++) mine = mine * 0.999 + grid[i];
        partial[me] = mine;
#pragma omp barrier
#pragma omp critical
        whole += floor(mine * 1000);
#pragma omp atomic
        whole += me;
    }
    for (int i = 0; i < N; i += 37) printf("%3d %a %a\n", i, grid[i], weights[i]);
    printf("%.17g %a\n", whole, largest);
    for (int t = 0; t < 3; t++) printf("%a\n", partial[t]);
    return 0;
}
