// All of the plugin that is written in C++, as one translation unit: LLVM's headers take most of the time to compile it.

#include "shim.cpp"

#include "names/lvalues.cpp"
#include "names/names.cpp"
#include "names/numbers.cpp"

#include "prepare/atomics.cpp"
#include "prepare/discriminators.cpp"
#include "prepare/function_pointers.cpp"
#include "prepare/nearby_location.cpp"
#include "prepare/wide_vectors.cpp"
