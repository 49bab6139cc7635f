// The nearest instruction with a place in the source to one that has none.

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Operator.h"

using namespace llvm;

namespace nearby {

static bool isArithmetic(const Value *V) {
  const auto *I = dyn_cast<Instruction>(V);
  return I && I->getType()->isFPOrFPVectorTy() && !isa<PHINode>(I) && !isa<LoadInst>(I);
}

using Test = function_ref<bool(const Instruction &)>;

// What computes the operands, or else what uses the result: both belong to one expression most of the time. What a loop carries on
// is used by other statements.
static const Instruction *inExpression(const Instruction &I, Test HasLocation, bool Upwards, unsigned Depth,
                                       SmallPtrSetImpl<const Instruction *> &Seen) {
  if (!Depth || !Seen.insert(&I).second || isa<PHINode>(I))
    return nullptr;
  SmallVector<const Value *, 8> Around;
  if (Upwards)
    Around.append(I.op_begin(), I.op_end());
  else
    Around.append(I.user_begin(), I.user_end());
  for (const Value *Next : Around)
    if (isArithmetic(Next) && HasLocation(*cast<Instruction>(Next)))
      return cast<Instruction>(Next);
  for (const Value *Next : Around)
    if (const auto *Step = dyn_cast<Instruction>(Next))
      if (const Instruction *Found = inExpression(*Step, HasLocation, Upwards, Depth - 1, Seen))
        return Found;
  return nullptr;
}

static const Instruction *inBlock(const Instruction &I, Test HasLocation) {
  for (const Instruction *At = I.getPrevNode(); At; At = At->getPrevNode())
    if (HasLocation(*At))
      return At;
  for (const Instruction *At = I.getNextNode(); At; At = At->getNextNode())
    if (HasLocation(*At))
      return At;
  return nullptr;
}

// Statements at the ends of two branches that became one operation: what each branch gives it is of the branch's statement.
static const Instruction *inBranches(const Instruction &I, Test HasLocation) {
  for (const Value *Operand : I.operands()) {
    const auto *Join = dyn_cast<PHINode>(Operand);
    if (!Join || Join->getParent() != I.getParent())
      continue;
    auto IsOfBranch = [&](const Value *V) {
      return isArithmetic(V) && V != &I && HasLocation(*cast<Instruction>(V));
    };
    if (all_of(Join->incoming_values(), IsOfBranch))
      return cast<Instruction>(Join->getIncomingValue(0));
  }
  return nullptr;
}

static const Instruction *nearest(const Instruction &I, Test HasLocation) {
  if (const Instruction *Found = inBranches(I, HasLocation))
    return Found;
  for (bool Upwards : {false, true}) {
    SmallPtrSet<const Instruction *, 16> Seen;
    if (const Instruction *Found = inExpression(I, HasLocation, Upwards, 3, Seen))
      return Found;
  }
  return inBlock(I, HasLocation);
}

// Whether both were written in one function, if that is known: a merged instruction has no line, but it has a scope.
static bool isOfSameFunction(const Instruction &I, const Instruction &Other) {
  const DILocation *At = I.getDebugLoc(), *Its = Other.getDebugLoc();
  if (!At || !Its)
    return true;
  return At->getInlinedAt() == Its->getInlinedAt() &&
         At->getScope()->getSubprogram() == Its->getScope()->getSubprogram();
}

const Instruction *withLocation(const Instruction &I, bool (*HasLocation)(const Instruction &)) {
  auto InFunction = [&](const Instruction &Other) { return HasLocation(Other) && isOfSameFunction(I, Other); };
  if (const Instruction *Found = nearest(I, InFunction))
    return Found;
  return nearest(I, HasLocation);
}

} // namespace nearby
