// An instrumented library.
#include "module.h"

void library_tick(void) { tick(1); }
