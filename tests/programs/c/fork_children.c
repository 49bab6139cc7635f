// lostbits: processes=4
// Children by fork: one ends by exit (with handlers), one by _exit, one by a signal; each computes on
// memory and shadows inherited from its parent and sends its result through a pipe.
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static double table[50];
static int out;

static double weigh(double from) {
    double sum = from;
    for (int i = 0; i < 50; i++) {
        table[i] = table[i] * 1.25 + from;
        sum += sqrt(fabs(table[i]));
    }
    return sum;
}

static void send_at_exit(void) {
    double last = weigh(0.5);
    if (write(out, &last, sizeof last) != sizeof last) _exit(9);
}

static void child(int which) {
    double result = weigh(which * 0.1);
    if (write(out, &result, sizeof result) != sizeof result) _exit(9);
    if (which == 0) {
        atexit(send_at_exit);
        exit((int)result % 100);
    }
    if (which == 1) _exit((int)(result * 2) % 100);
    raise(SIGKILL);
}

int main(void) {
    for (int i = 0; i < 50; i++) table[i] = sin(i) * i;
    printf("before %a\n", weigh(1.0));
    for (int which = 0; which < 3; which++) {
        int ends[2], status;
        if (pipe(ends)) return 3;
        fflush(stdout);
        pid_t pid = fork();
        if (pid == 0) {
            close(ends[0]);
            out = ends[1];
            child(which);
        }
        close(ends[1]);
        for (double value; read(ends[0], &value, sizeof value) == sizeof value;) printf("child %d says %a\n", which, value / 3);
        close(ends[0]);
        waitpid(pid, &status, 0);
        printf("exited %d with %d, signalled %d\n", WIFEXITED(status), WIFEXITED(status) ? WEXITSTATUS(status) : 0, WIFSIGNALED(status));
    }
    printf("after %a\n", weigh(1.0));
    return 0;
}
