// Whether wider vectors could change what a module computes, see wide_vectors.rs.

#include "llvm-c/Core.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Operator.h"

using namespace llvm;

// A loop that the program wants vectorised may add up in another order.
static bool isAskedFor(const Instruction &I) {
  const MDNode *Loop = I.getMetadata(LLVMContext::MD_loop);
  if (!Loop)
    return false;
  for (const MDOperand &Operand : Loop->operands()) {
    auto *Option = dyn_cast_or_null<MDNode>(Operand.get());
    auto *Name = Option && Option->getNumOperands() ? dyn_cast<MDString>(Option->getOperand(0)) : nullptr;
    if (Name && (Name->getString().starts_with("llvm.loop.vectorize") ||
                 Name->getString().starts_with("llvm.loop.interleave")))
      return true;
  }
  return false;
}

static bool isWide(Type *T) {
  return isa<ScalableVectorType>(T) || (isa<FixedVectorType>(T) && T->getPrimitiveSizeInBits() > 128);
}

extern "C" bool lostbits_depends_on_vectors(LLVMModuleRef M) {
  for (const Function &F : *unwrap(M)) {
    for (const Instruction &I : instructions(F)) {
      auto *Operation = dyn_cast<FPMathOperator>(&I);
      if (Operation && (Operation->hasAllowReassoc() || Operation->hasNoSignedZeros() || Operation->hasNoNaNs()))
        return true;
      // The code chose its vectors itself, and passes them in other registers with AVX.
      if (isWide(I.getType()) || any_of(I.operands(), [](const Use &Used) { return isWide(Used->getType()); }))
        return true;
      if (isAskedFor(I))
        return true;
    }
    if (isWide(F.getReturnType()) || any_of(F.args(), [](const Argument &A) { return isWide(A.getType()); }))
      return true;
  }
  return false;
}
