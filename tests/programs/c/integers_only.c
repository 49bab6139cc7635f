// lostbits: operations=0
// No floating-point at all: the module still stores zeros over what might have been some.
#include <stdio.h>
#include <string.h>

struct record { long key, next; };

int main(void) {
    struct record table[64];
    memset(table, 0, sizeof table);
    long sum = 0;
    for (int i = 0; i < 64; i++) {
        table[i].key = (i * 37L) % 64;
        table[(i * 5) % 64].next = table[i].key;
    }
    for (int i = 0; i < 64; i++) sum = sum * 31 + table[i].next;
    printf("%ld\n", sum);
    return 0;
}
