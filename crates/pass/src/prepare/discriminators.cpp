// Operations at one source location are distinguished by discriminators, which debug information has for such
// cases and which copies made by the optimiser keep. Fortran's compiler gives the operations of a statement the place of
// the statement, and all that comes out of a macro of C's is where the macro is used.
//
// The optimiser drops the places of what it moves out of loops, but keeps annotations: each operation has its place as one.

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

constexpr const char *Annotation = "lostbits place";

// Notes a place at an instruction, where the optimiser does not take it away.
static void annotate(Instruction &I, ArrayRef<std::string> Words) {
  SmallVector<Metadata *, 7> Strings;
  for (const std::string &Word : Words)
    Strings.push_back(MDString::get(I.getContext(), Word));
  if (!I.hasMetadata(LLVMContext::MD_annotation))
    I.setMetadata(LLVMContext::MD_annotation, MDTuple::get(I.getContext(), {MDTuple::get(I.getContext(), Strings)}));
}

void lostbitsAnnotate(Instruction &I, unsigned Line, unsigned Column, StringRef File, StringRef Directory,
                      StringRef Function) {
  annotate(I, {Annotation, std::to_string(Line), std::to_string(Column), "0", File.str(), Directory.str(), Function.str()});
}

static void annotate(Instruction &I) {
  const DILocation *At = I.getDebugLoc();
  const DISubprogram *Of = At->getScope()->getSubprogram();
  if (!Of || At->getInlinedAt())
    return;
  StringRef Name = Of->getLinkageName().empty() ? Of->getName() : Of->getLinkageName();
  annotate(I, {Annotation, std::to_string(At->getLine()), std::to_string(At->getColumn()),
               std::to_string(At->getBaseDiscriminator()), At->getFilename().str(), At->getDirectory().str(), Name.str()});
}

// What `annotate` wrote, in that order; nothing if it did not.
SmallVector<StringRef, 6> lostbitsAnnotated(const Instruction &I) {
  SmallVector<StringRef, 6> Words;
  const auto *All = dyn_cast_or_null<MDTuple>(I.getMetadata(LLVMContext::MD_annotation));
  if (!All)
    return Words;
  for (const MDOperand &One : All->operands()) {
    const auto *Strings = dyn_cast_or_null<MDTuple>(One.get());
    if (!Strings || Strings->getNumOperands() != 7 || cast<MDString>(Strings->getOperand(0))->getString() != Annotation)
      continue;
    // Operations that were merged: either place may be the wrong one.
    if (!Words.empty())
      return {};
    for (const MDOperand &Word : drop_begin(Strings->operands()))
      Words.push_back(cast<MDString>(Word)->getString());
  }
  return Words;
}

extern "C" void lostbits_assign_discriminators(LLVMModuleRef M) {
  // Not by what they do: the optimiser makes sums of differences.
  using Location = std::tuple<const DISubprogram *, const DILocation *, unsigned, unsigned>;
  for (Function &F : *unwrap(M)) {
    std::map<Location, unsigned> Seen;
    for (Instruction &I : instructions(F)) {
      const DILocation *At = I.getDebugLoc();
      if (!At || !At->getLine() || !mayBeOperation(I))
        continue;
      Location Here{At->getScope()->getSubprogram(), At->getInlinedAt(), At->getLine(), At->getColumn()};
      unsigned Before = Seen[Here]++;
      // None if there are too many for debug information to count: the rest stay together.
      auto Apart = Before ? At->cloneWithBaseDiscriminator(Before) : std::nullopt;
      if (Apart)
        I.setDebugLoc(DebugLoc(*Apart));
      annotate(I);
    }
  }
}
