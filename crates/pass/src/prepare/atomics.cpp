// Atomic sums of floating-point numbers (OpenMP's reductions) become what the back end would make of them: a loop that
// exchanges the old value for the new one until no other thread was faster. What takes care of shadows at loads and exchanges
// does so here.

#include "llvm-c/Core.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

using namespace llvm;

static Value *combined(IRBuilder<> &At, AtomicRMWInst &Update, Value *Old) {
  Value *Operand = Update.getValOperand();
  switch (Update.getOperation()) {
  case AtomicRMWInst::Xchg:
    return Operand;
  case AtomicRMWInst::FAdd:
    return At.CreateFAdd(Old, Operand);
  case AtomicRMWInst::FSub:
    return At.CreateFSub(Old, Operand);
  case AtomicRMWInst::FMax:
    return At.CreateMaxNum(Old, Operand);
  case AtomicRMWInst::FMin:
    return At.CreateMinNum(Old, Operand);
  default:
    return nullptr;
  }
}

static bool isExpanded(const AtomicRMWInst &Update) {
  bool IsKnown = is_contained({AtomicRMWInst::Xchg, AtomicRMWInst::FAdd, AtomicRMWInst::FSub,
                               AtomicRMWInst::FMax, AtomicRMWInst::FMin},
                              Update.getOperation());
  Type *In = Update.getType();
  return IsKnown && (In->isDoubleTy() || In->isFloatTy());
}

static void expand(AtomicRMWInst &Update) {
  Type *Number = Update.getType();
  Value *Address = Update.getPointerOperand();
  BasicBlock *Before = Update.getParent();
  BasicBlock *Done = SplitBlock(Before, &Update);
  BasicBlock *Try = BasicBlock::Create(Update.getContext(), "", Before->getParent(), Done);
  Before->getTerminator()->setSuccessor(0, Try);

  IRBuilder<> At(Try);
  At.SetCurrentDebugLocation(Update.getDebugLoc());
  LoadInst *Old = At.CreateAlignedLoad(Number, Address, Update.getAlign(), Update.isVolatile());
  Old->setAtomic(AtomicOrdering::Monotonic, Update.getSyncScopeID());
  Value *New = combined(At, Update, Old);
  Type *Bits = At.getIntNTy(Number->getPrimitiveSizeInBits());
  AtomicOrdering Failure = AtomicCmpXchgInst::getStrongestFailureOrdering(Update.getOrdering());
  AtomicCmpXchgInst *Exchange =
      At.CreateAtomicCmpXchg(Address, At.CreateBitCast(Old, Bits), At.CreateBitCast(New, Bits), Update.getAlign(),
                             Update.getOrdering(), Failure, Update.getSyncScopeID());
  Exchange->setVolatile(Update.isVolatile());
  At.CreateCondBr(At.CreateExtractValue(Exchange, 1), Done, Try);
  Update.replaceAllUsesWith(Old);
  Update.eraseFromParent();
}

extern "C" void lostbits_expand_atomics(LLVMValueRef Of) {
  SmallVector<AtomicRMWInst *, 4> Updates;
  for (BasicBlock &Block : *unwrap<Function>(Of))
    for (Instruction &I : Block)
      if (auto *Update = dyn_cast<AtomicRMWInst>(&I); Update && isExpanded(*Update))
        Updates.push_back(Update);
  for (AtomicRMWInst *Update : Updates)
    expand(*Update);
}

// The function that waits for the lock, or that gives it free. The lock is one for the whole program.
extern "C" LLVMValueRef lostbits_atomic_guard(LLVMModuleRef In, bool Enters) {
  Module &M = *unwrap(In);
  StringRef Name = Enters ? "__lostbits_atomic_enter" : "__lostbits_atomic_leave";
  if (Function *Known = M.getFunction(Name))
    return wrap(Known);
  IRBuilder<> At(M.getContext());
  const char *LockName = "__lostbits_atomic_lock";
  GlobalVariable *Lock = M.getNamedGlobal(LockName);
  if (!Lock)
    Lock = new GlobalVariable(M, At.getInt8Ty(), false, GlobalValue::WeakAnyLinkage, At.getInt8(0), LockName);
  auto *Guard = Function::Create(FunctionType::get(At.getVoidTy(), false), GlobalValue::LinkOnceODRLinkage, Name, M);
  Guard->addFnAttr(Attribute::NoUnwind);
  BasicBlock *Start = BasicBlock::Create(M.getContext(), "", Guard);
  At.SetInsertPoint(Start);
  if (!Enters) {
    At.CreateAlignedStore(At.getInt8(0), Lock, Align(1))->setAtomic(AtomicOrdering::Release);
    At.CreateRetVoid();
    return wrap(Guard);
  }
  BasicBlock *Try = BasicBlock::Create(M.getContext(), "", Guard);
  BasicBlock *Held = BasicBlock::Create(M.getContext(), "", Guard);
  At.CreateBr(Try);
  At.SetInsertPoint(Try);
  Value *Was = At.CreateAtomicRMW(AtomicRMWInst::Xchg, Lock, At.getInt8(1), MaybeAlign(1), AtomicOrdering::Acquire);
  At.CreateCondBr(At.CreateIsNotNull(Was), Try, Held);
  At.SetInsertPoint(Held);
  At.CreateRetVoid();
  return wrap(Guard);
}
