// lostbits: stdin=3.25 1e-3 -7 0x1.921fb54442d18p1 42 0.1 0.2 0.3 1e10 -1e10 5e-324 8
// Reads numbers until the end of its input, keeps them in a linked list and a heap.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct Node {
    double value;
    struct Node *next;
} Node;

static double heap[64];
static int heaped;

static void push(double x) {
    int at = heaped++;
    for (; at > 0 && heap[(at - 1) / 2] > x; at = (at - 1) / 2) heap[at] = heap[(at - 1) / 2];
    heap[at] = x;
}

static double pop(void) {
    double top = heap[0], x = heap[--heaped];
    int at = 0;
    for (int child; (child = 2 * at + 1) < heaped; at = child) {
        if (child + 1 < heaped && heap[child + 1] < heap[child]) child++;
        if (heap[child] >= x) break;
        heap[at] = heap[child];
    }
    heap[at] = x;
    return top;
}

int main(void) {
    Node *list = NULL;
    double x, mean = 0, squares = 0;
    int n = 0;
    while (scanf("%lf", &x) == 1) {
        Node *node = malloc(sizeof *node);
        *node = (Node){x, list};
        list = node;
        double off = x - mean;
        mean += off / ++n;
        squares += off * (x - mean);
        push(x * 1.1);
    }
    printf("%d %a %a\n", n, mean, sqrt(squares / (n - 1)));
    for (Node *node = list; node;) {
        Node *next = node->next;
        printf("%a %a\n", node->value / 3, pop());
        free(node);
        node = next;
    }
    return 0;
}
