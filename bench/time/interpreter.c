// A stack machine with numbers as the only type, as small scripting languages have it, running a loop of an integral and of prime numbers.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum Code { PUSH, GET, SET, ADD, SUBTRACT, MULTIPLY, DIVIDE, FLOOR, LESS, EQUAL, JUMP_IF_NOT, JUMP, PRINT, STOP };
typedef struct { enum Code code; double number; } Instruction;

static Instruction program[256];
static int length;
static int emit(enum Code code, double number) {
    program[length] = (Instruction){code, number};
    return length++;
}

static void run(double *variables) {
    double stack[64], *top = stack;
    const Instruction *at = program;
    for (;;) {
        double x, y;
        switch (at->code) {
        case PUSH: *top++ = at->number; break;
        case GET: *top++ = variables[(int)at->number]; break;
        case SET: variables[(int)at->number] = *--top; break;
        case ADD: y = *--top; x = *--top; *top++ = x + y; break;
        case SUBTRACT: y = *--top; x = *--top; *top++ = x - y; break;
        case MULTIPLY: y = *--top; x = *--top; *top++ = x * y; break;
        case DIVIDE: y = *--top; x = *--top; *top++ = x / y; break;
        case FLOOR: top[-1] = floor(top[-1]); break;
        case LESS: y = *--top; x = *--top; *top++ = x < y; break;
        case EQUAL: y = *--top; x = *--top; *top++ = x == y; break;
        case JUMP_IF_NOT:
            if (*--top == 0) { at = program + (int)at->number; continue; }
            break;
        case JUMP: at = program + (int)at->number; continue;
        case PRINT: printf("%.10g\n", *--top); break;
        case STOP: return;
        }
        at++;
    }
}

// Variables: 0 the bound, 1 i, 2 the sum, 3 the divisor, 4 how many primes.
int main(int argc, char **argv) {
    double variables[8] = {argc > 1 ? atof(argv[1]) : 20000};
    emit(PUSH, 2); emit(SET, 1);
    int outer = emit(GET, 1);
    emit(GET, 0); emit(LESS, 0);
    int leave = emit(JUMP_IF_NOT, 0);
    // sum += 1 / (i * i + 0.5)
    emit(GET, 2); emit(PUSH, 1); emit(GET, 1); emit(GET, 1); emit(MULTIPLY, 0); emit(PUSH, 0.5); emit(ADD, 0);
    emit(DIVIDE, 0); emit(ADD, 0); emit(SET, 2);
    emit(PUSH, 2); emit(SET, 3);
    int inner = emit(GET, 3);
    emit(GET, 3); emit(MULTIPLY, 0); emit(PUSH, 1); emit(GET, 1); emit(ADD, 0); emit(LESS, 0);
    int prime = emit(JUMP_IF_NOT, 0);
    // A remainder of zero ends the search.
    emit(GET, 1); emit(GET, 1); emit(GET, 3); emit(DIVIDE, 0); emit(FLOOR, 0); emit(GET, 3); emit(MULTIPLY, 0);
    emit(SUBTRACT, 0); emit(PUSH, 0); emit(EQUAL, 0);
    int more = emit(JUMP_IF_NOT, 0);
    int next = emit(JUMP, 0);
    program[more].number = emit(GET, 3);
    emit(PUSH, 1); emit(ADD, 0); emit(SET, 3); emit(JUMP, inner);
    program[prime].number = emit(GET, 4);
    emit(PUSH, 1); emit(ADD, 0); emit(SET, 4);
    program[next].number = emit(GET, 1);
    emit(PUSH, 1); emit(ADD, 0); emit(SET, 1); emit(JUMP, outer);
    program[leave].number = emit(GET, 2);
    emit(PRINT, 0); emit(GET, 4); emit(PRINT, 0); emit(STOP, 0);
    run(variables);
}
