// Functions that code of other languages or of the C library calls through pointers, where shadows would be lost: each is
// replaced by one that this pass made.

#include "llvm-c/Core.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"

using namespace llvm;

// See discriminators.cpp.
void lostbitsAnnotate(Instruction &I, unsigned Line, unsigned Column, StringRef File, StringRef Directory, StringRef Function);

// Exceptions and debuggers pass through it as they did through what it replaces.
static void prepareFrame(Function &Made) {
  Made.addFnAttr(Attribute::getWithUWTableKind(Made.getContext(), UWTableKind::Default));
  Made.addFnAttr("frame-pointer", "all");
}

static bool isDirectCall(const Use &Of) {
  const auto *Call = dyn_cast<CallBase>(Of.getUser());
  return Call && Call->isCallee(&Of);
}

// Where an address is taken: by an instruction, or by a variable's first value.
static bool annotateAs(Instruction &Made, const Value &Taken, unsigned Depth) {
  for (const User *By : Taken.users()) {
    if (const auto *At = dyn_cast<Instruction>(By)) {
      const DILocation *Where = At->getDebugLoc();
      if (!Where || !Where->getLine())
        continue;
      const DISubprogram *Of = Where->getScope()->getSubprogram();
      lostbitsAnnotate(Made, Where->getLine(), Where->getColumn(), Where->getFilename(), Where->getDirectory(),
                       Of ? Of->getName() : "");
      return true;
    }
    if (const auto *Variable = dyn_cast<GlobalVariable>(By)) {
      SmallVector<DIGlobalVariableExpression *, 1> Described;
      Variable->getDebugInfo(Described);
      for (const DIGlobalVariableExpression *One : Described) {
        const DIGlobalVariable *Of = One->getVariable();
        lostbitsAnnotate(Made, Of->getLine(), 0, Of->getFilename(), Of->getDirectory(), Of->getName());
        return true;
      }
      continue;
    }
    if (Depth && isa<Constant>(By) && annotateAs(Made, *By, Depth - 1))
      return true;
  }
  return false;
}

// Wherever the address of a function is used, but for calls, it becomes that of one with this name that calls it. All
// modules of a program share it, so that pointers remain equal. None if the address is not used.
extern "C" LLVMValueRef lostbits_wrap_address(LLVMValueRef F, const char *Name) {
  auto *Called = unwrap<Function>(F);
  if (Called->isVarArg() || all_of(Called->uses(), isDirectCall))
    return nullptr;
  Module &M = *Called->getParent();
  auto *Made = Function::Create(Called->getFunctionType(), GlobalValue::LinkOnceODRLinkage, Name, M);
  Made->setComdat(M.getOrInsertComdat(Name));
  prepareFrame(*Made);
  IRBuilder<> At(BasicBlock::Create(M.getContext(), "", Made));
  SmallVector<Value *, 4> Arguments;
  for (Argument &One : Made->args())
    Arguments.push_back(&One);
  CallInst *Call = At.CreateCall(Called, Arguments);
  annotateAs(*Call, *Called, 4);
  if (Made->getReturnType()->isVoidTy())
    At.CreateRetVoid();
  else
    At.CreateRet(Call);
  Called->replaceAllUsesWith(Made);
  SmallVector<CallBase *> Calls;
  for (Use &Of : Made->uses())
    if (isDirectCall(Of))
      Calls.push_back(cast<CallBase>(Of.getUser()));
  for (CallBase *Direct : Calls)
    Direct->setCalledOperand(Called);
  return wrap(Made);
}

// A comparison for the C library's sorts. It asks `Ask` (with the thread's variable and the two elements) for the program's
// own, and calls that.
extern "C" LLVMValueRef lostbits_comparison(LLVMModuleRef M, LLVMValueRef Ask, LLVMValueRef Variable, bool HasContext) {
  Module &In = *unwrap(M);
  StringRef Name = HasContext ? "lostbits.compare_with_context" : "lostbits.compare";
  if (Function *Known = In.getFunction(Name))
    return wrap(Known);
  LLVMContext &Context = In.getContext();
  Type *Pointer = PointerType::getUnqual(Context);
  SmallVector<Type *, 3> Types(HasContext ? 3 : 2, Pointer);
  auto *Ty = FunctionType::get(Type::getInt32Ty(Context), Types, false);
  auto *Made = Function::Create(Ty, GlobalValue::InternalLinkage, Name, In);
  prepareFrame(*Made);
  IRBuilder<> At(BasicBlock::Create(Context, "", Made));
  Value *OfThread = At.CreateThreadLocalAddress(unwrap<GlobalValue>(Variable));
  Value *Own = At.CreateCall(unwrap<Function>(Ask), {OfThread, Made->getArg(0), Made->getArg(1)});
  SmallVector<Value *, 3> Arguments;
  for (Argument &One : Made->args())
    Arguments.push_back(&One);
  At.CreateRet(At.CreateCall(Ty, Own, Arguments));
  return wrap(Made);
}
