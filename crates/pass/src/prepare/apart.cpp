// Operations that stand at one place of the source are told apart by discriminators, which debug information has for such
// cases and which copies made by the optimiser keep. Fortran's compiler gives the operations of a statement the place of
// the statement, and all that comes out of a macro of C's is where the macro is used.

#include "llvm-c/Core.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include <map>
#include <tuple>

using namespace llvm;

// Arithmetic, and functions that may be operations: `sqrt` and the like.
static bool mayBeOperation(const Instruction &I) {
  if (!I.getType()->isFPOrFPVectorTy())
    return false;
  if (auto *Call = dyn_cast<CallBase>(&I))
    return Call->getCalledFunction() && Call->getCalledFunction()->isDeclaration();
  return I.isBinaryOp();
}

extern "C" void lostbits_tell_apart(LLVMModuleRef M) {
  // Not by what they do: the optimiser makes sums of differences.
  using Place = std::tuple<const DISubprogram *, const DILocation *, unsigned, unsigned>;
  for (Function &F : *unwrap(M)) {
    std::map<Place, unsigned> Seen;
    for (Instruction &I : instructions(F)) {
      const DILocation *At = I.getDebugLoc();
      if (!At || !At->getLine() || !mayBeOperation(I))
        continue;
      Place Here{At->getScope()->getSubprogram(), At->getInlinedAt(), At->getLine(), At->getColumn()};
      unsigned Before = Seen[Here]++;
      if (!Before)
        continue;
      // None if there are too many for debug information to count: the rest stay together.
      if (auto Apart = At->cloneWithBaseDiscriminator(Before))
        I.setDebugLoc(DebugLoc(*Apart));
    }
  }
}
