// Whether memory that a function is given holds floating-point numbers, as far as types say: those of the addresses, of
// what is read and written there, and of the variables behind them.
//
// What it can miss: memory whose address came from elsewhere (a table of pointers, a descriptor of Fortran's).

#include "names.h"

#include "llvm-c/Core.h"
#include "llvm/Analysis/TargetLibraryInfo.h"

using namespace llvm;

namespace names {
const DIType *plain(const DIType *Type);
const DIDerivedType *asPointer(const DIType *Type);
bool tellsValue(const DbgVariableRecord *Record);
} // namespace names

using names::asPointer;
using names::plain;

static bool holdsNumbers(Type *In) {
  if (auto *Array = dyn_cast<ArrayType>(In))
    return holdsNumbers(Array->getElementType());
  if (auto *Structure = dyn_cast<StructType>(In))
    return any_of(Structure->elements(), holdsNumbers);
  return In->isFPOrFPVectorTy();
}

// A matrix of a library's is often a structure with a pointer to its elements.
static bool holdsNumbers(const DIType *Type, unsigned Depth = 3) {
  Type = plain(Type);
  if (!Type || !Depth)
    return false;
  if (const auto *Basic = dyn_cast<DIBasicType>(Type))
    return is_contained({unsigned(dwarf::DW_ATE_float), unsigned(dwarf::DW_ATE_complex_float)}, Basic->getEncoding());
  const auto *Whole = dyn_cast<DICompositeType>(Type);
  if (!Whole)
    return false;
  if (Whole->getTag() == dwarf::DW_TAG_array_type)
    return holdsNumbers(Whole->getBaseType(), Depth);
  return any_of(Whole->getElements(), [Depth](const DINode *Part) {
    const auto *Member = dyn_cast_or_null<DIDerivedType>(Part);
    if (!Member || Member->getTag() != dwarf::DW_TAG_member)
      return false;
    const DIDerivedType *Pointer = asPointer(Member->getBaseType());
    return holdsNumbers(Pointer ? Pointer->getBaseType() : Member->getBaseType(), Depth - 1);
  });
}

static bool isPointerToNumbers(const DIType *Type) {
  const DIDerivedType *Pointer = asPointer(Type);
  return Pointer && holdsNumbers(Pointer->getBaseType());
}

static bool isUsedForNumbers(const Value *Address) {
  return any_of(Address->users(), [Address](const User *By) {
    if (const auto *Step = dyn_cast<GetElementPtrInst>(By))
      return holdsNumbers(Step->getSourceElementType());
    if (const auto *Load = dyn_cast<LoadInst>(By))
      return Load->getType()->isFPOrFPVectorTy();
    const auto *Store = dyn_cast<StoreInst>(By);
    return Store && Store->getPointerOperand() == Address && Store->getValueOperand()->getType()->isFPOrFPVectorTy();
  });
}

static bool pointsToNumbers(Value *Address, unsigned Depth = 3) {
  while (auto *Step = dyn_cast<GEPOperator>(Address)) {
    if (holdsNumbers(Step->getSourceElementType()))
      return true;
    Address = Step->getPointerOperand();
  }
  if (auto *Local = dyn_cast<AllocaInst>(Address)) {
    auto OfNumbers = [](const DbgVariableRecord *Record) {
      return Record->getVariable() && holdsNumbers(Record->getVariable()->getType());
    };
    return holdsNumbers(Local->getAllocatedType()) || any_of(findDVRDeclares(Address), OfNumbers);
  }
  if (auto *Global = dyn_cast<GlobalVariable>(Address))
    return holdsNumbers(Global->getValueType());
  if (isa<Constant>(Address))
    return false;
  auto OfPointer = [](const DbgVariableRecord *Record) {
    return names::tellsValue(Record) && isPointerToNumbers(Record->getVariable()->getType());
  };
  if (isUsedForNumbers(Address) || any_of(findDVRValues(Address), OfPointer))
    return true;
  if (auto *Load = dyn_cast<LoadInst>(Address))
    return any_of(findDVRDeclares(Load->getPointerOperand()), [](const DbgVariableRecord *Record) {
      return Record->getVariable() && isPointerToNumbers(Record->getVariable()->getType());
    });
  if (auto *Phi = dyn_cast<PHINode>(Address))
    return Depth && any_of(Phi->incoming_values(), [Depth](Value *From) { return pointsToNumbers(From, Depth - 1); });
  return false;
}

// Whether any argument of a call points to numbers that the function may write.
extern "C" bool lostbits_takes_number_memory(LLVMValueRef I) {
  auto *Call = dyn_cast<CallBase>(unwrap(I));
  if (!Call)
    return false;
  for (unsigned Index = 0; Index < Call->arg_size(); ++Index) {
    Value *Given = Call->getArgOperand(Index);
    if (Given->getType()->isPointerTy() && !Call->onlyReadsMemory(Index) && pointsToNumbers(Given))
      return true;
  }
  return false;
}

// Whether a function is one of C's library, of which it is known what it does.
extern "C" bool lostbits_is_c_library_function(LLVMModuleRef M, const char *Name, size_t Length) {
  TargetLibraryInfoImpl Library(Triple(unwrap(M)->getTargetTriple()));
  LibFunc Known;
  return Library.getLibFunc(StringRef(Name, Length), Known);
}

// Bytes from an address to the end of the variable that contains it; 0 if that is not known.
extern "C" uint64_t lostbits_object_bytes(LLVMValueRef I, LLVMValueRef Address) {
  const DataLayout &Layout = unwrap<Instruction>(I)->getModule()->getDataLayout();
  APInt Offset(Layout.getIndexSizeInBits(0), 0);
  const Value *Base = unwrap(Address)->stripAndAccumulateConstantOffsets(Layout, Offset, true);
  uint64_t Bytes = 0;
  if (const auto *Local = dyn_cast<AllocaInst>(Base)) {
    if (auto Size = Local->getAllocationSize(Layout); Size && !Size->isScalable())
      Bytes = Size->getFixedValue();
  } else if (const auto *Global = dyn_cast<GlobalVariable>(Base)) {
    if (Global->hasInitializer() && !Global->isThreadLocal())
      Bytes = Layout.getTypeAllocSize(Global->getValueType());
  }
  return Offset.ule(Bytes) ? Bytes - Offset.getZExtValue() : 0;
}
