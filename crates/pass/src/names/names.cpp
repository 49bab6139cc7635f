// What the program calls a value: the variable, field or element that debug information says it is.
//
// A value has a name if a debug record says so (`x`, or a part of a structure that lives in registers: `p.x`), or if it
// was loaded from an lvalue that has one (`x`, `p->x`, `a[i]`). Lvalues are described from the outside in: a variable, then
// the bytes into it, by its type. Of several variables that hold the same value, one of the function that contains the
// operation is taken, or of the nearest function that it was inlined into; never one of a library.
//
// What it can miss: fields and elements whose address was computed in a way that is not undone here have no name, and an
// index that no variable holds is written as an ellipsis.

#include "names.h"

#include "llvm-c/Core.h"

using namespace llvm;

namespace names {
// Whether a record describes a variable's value or of a part of it, perhaps in another width.
bool tellsValue(const DbgVariableRecord *Record) {
  if (Record->hasArgList() || !Record->getVariable())
    return false;
  return all_of(Record->getExpression()->expr_ops(), [](const DIExpression::ExprOperand &Step) {
    return is_contained({uint64_t(dwarf::DW_OP_LLVM_fragment), uint64_t(dwarf::DW_OP_LLVM_convert),
                         uint64_t(dwarf::DW_OP_stack_value)},
                        Step.getOp());
  });
}

constexpr unsigned Elsewhere = 1000;

// Over how many calls that were inlined one goes from the operation to the function with the variable.
unsigned Namer::distance(const DbgVariableRecord *Record) const {
  const DILocation *There = Record->getDebugLoc();
  unsigned Calls = 0;
  for (const DILocation *Here = At; Here && There; Here = Here->getInlinedAt(), ++Calls)
    if (There->getInlinedAt() == Here->getInlinedAt() &&
        There->getScope()->getSubprogram() == Here->getScope()->getSubprogram())
      return Calls;
  return Elsewhere;
}

// Whether a variable is one of a library's; users do not know these.
bool isForeign(const DILocalVariable *Variable) {
  StringRef File = Variable->getFilename(), Directory = Variable->getDirectory();
  StringRef Path = File.starts_with("/") ? File : Directory;
  return Path.starts_with("/usr/") || Path.starts_with("/rustc/") || Path.contains("/rustlib/");
}

// Whether a variable has no name, or one that no program can have (`.omp.iv`).
bool isUnnamed(const DILocalVariable *Variable) {
  return Variable->getName().empty() || Variable->getName().starts_with(".");
}

// The nearest; among those the first declared, so that it is always the same one.
const DbgVariableRecord *Namer::best(ArrayRef<DbgVariableRecord *> Records) {
  const DbgVariableRecord *Best = nullptr;
  auto Order = [this](const DbgVariableRecord *Record) {
    const DILocalVariable *Variable = Record->getVariable();
    return std::make_tuple(distance(Record), Variable->isArtificial(), Variable->getLine(),
                           Variable->getName());
  };
  for (const DbgVariableRecord *Record : Records) {
    const DILocalVariable *Variable = Record->getVariable();
    if (!Variable || isUnnamed(Variable) || isForeign(Variable))
      continue;
    if (!Best || Order(Record) < Order(Best))
      Best = Record;
  }
  IsOwn &= !Best || distance(Best) == 0;
  return Best;
}

// The part of a variable that a record describes.
std::optional<Lvalue> Namer::variable(const DbgVariableRecord *Record, uint64_t Bytes) const {
  const DILocalVariable *Variable = Record->getVariable();
  Lvalue Whole{Variable->getName().str(), Variable->getType()};
  auto Fragment = Record->getExpression()->getFragmentInfo();
  // A structure of one field may be in a register as a whole.
  bool IsStructure = isa_and_nonnull<DICompositeType>(plain(Whole.Type));
  if (!Fragment && !IsStructure)
    return Whole;
  Offset Rest;
  Rest.Bytes = Fragment ? Fragment->OffsetInBits / 8 : 0;
  Namer Other = *this;
  return Other.descend(Whole, Rest, Bytes);
}

// An index as the program writes it: what a variable holds, and a number.
std::string Namer::index(Value *V, int64_t More) {
  auto Name = value(V);
  if (!Name || More == 0)
    return Name ? *Name : Unknown;
  return *Name + (More > 0 ? " + " : " - ") + std::to_string(std::abs(More));
}

// The place that an address without any offset belongs to.
std::optional<Lvalue> Namer::origin(Value *Address) {
  if (auto *Global = dyn_cast<GlobalVariable>(Address)) {
    SmallVector<DIGlobalVariableExpression *, 1> Known;
    Global->getDebugInfo(Known);
    if (Known.empty())
      return std::nullopt;
    const DIGlobalVariable *Variable = Known[0]->getVariable();
    return Lvalue{Variable->getName().str(), Variable->getType()};
  }
  SmallVector<DbgVariableRecord *, 4> Records;
  for (DbgVariableRecord *Record : findDVRDeclares(Address))
    Records.push_back(Record);
  if (auto *Local = dyn_cast<AllocaInst>(Address))
    for (DbgVariableRecord *Record : at::getDVRAssignmentMarkers(Local))
      Records.push_back(Record);
  erase_if(Records, [](DbgVariableRecord *Record) { return !Record->getVariable(); });
  if (const DbgVariableRecord *Record = best(Records)) {
    // Variables that are kept behind an address (large arguments, captures).
    const DIExpression *Expression =
        Record->isDbgAssign() ? Record->getAddressExpression() : Record->getExpression();
    if (Expression->getNumElements() == 0)
      return Lvalue{Record->getVariable()->getName().str(), Record->getVariable()->getType()};
    if (Expression->getNumElements() == 1 && Expression->startsWithDeref())
      return std::nullopt;
  }
  SmallVector<DbgVariableRecord *, 4> Values;
  for (DbgVariableRecord *Record : findDVRValues(Address))
    if (Record->getExpression()->getNumElements() == 1 && Record->getExpression()->startsWithDeref())
      Values.push_back(Record);
  if (const DbgVariableRecord *Record = best(Values))
    return Lvalue{Record->getVariable()->getName().str(), Record->getVariable()->getType()};
  if (auto *Call = dyn_cast<CallBase>(Address))
    if (auto Element = subscripted(Call))
      return Element;
  return pointer(Address);
}

// What the pointer held by a variable or field points to.
std::optional<Lvalue> Namer::pointer(Value *V) {
  std::optional<Lvalue> Held;
  SmallVector<DbgVariableRecord *, 4> Records;
  copy_if(findDVRValues(V), std::back_inserter(Records), tellsValue);
  if (const DbgVariableRecord *Record = best(Records))
    Held = variable(Record, 8);
  if (!Held)
    if (auto *Load = dyn_cast<LoadInst>(V))
      Held = memory(Load->getPointerOperand(), 0, 8);
  if (!Held)
    Held = stored(V, 8);
  if (!Held)
    return std::nullopt;
  if (isa_and_nonnull<DICompositeType>(plain(Held->Type)))
    return isDescribed(Held->Type) ? Held : std::nullopt;
  const DIDerivedType *Pointer = asPointer(Held->Type);
  if (!Pointer)
    return std::nullopt;
  Held->Type = Pointer->getBaseType();
  // References are used as what they refer to.
  bool IsThis = Held->Text == "this" || Held->Text == "self";
  bool IsRustField = In == Language::Rust && isa_and_nonnull<DICompositeType>(plain(Held->Type));
  Held->Behind = !isReference(Pointer) && !(In != Language::C && IsThis) && !IsRustField;
  if (In == Language::Rust && Held->Inside)
    Held->Behind = true;
  return Held;
}

// Adds an index, in bytes, taken apart into those that the program has names for.
void Namer::addIndex(Value *V, int64_t Scale, Offset &Rest, unsigned Depth) {
  if (auto *Number = dyn_cast<ConstantInt>(V)) {
    Rest.Bytes += Number->getSExtValue() * Scale;
    return;
  }
  auto *Step = dyn_cast<Instruction>(V);
  bool IsCast = isa<SExtInst, ZExtInst, TruncInst>(V);
  if (Step && Depth < MostTerms && (IsCast || !value(V))) {
    Value *First = Step->getNumOperands() ? Step->getOperand(0) : nullptr;
    auto *Number = Step->getNumOperands() > 1 ? dyn_cast<ConstantInt>(Step->getOperand(1)) : nullptr;
    bool IsDisjoint = isa<PossiblyDisjointInst>(V) && cast<PossiblyDisjointInst>(V)->isDisjoint();
    unsigned Code = Step->getOpcode();
    if (IsCast)
      return addIndex(First, Scale, Rest, Depth + 1);
    if (Code == Instruction::Add || Code == Instruction::Sub || IsDisjoint) {
      addIndex(First, Scale, Rest, Depth + 1);
      int64_t Sign = Code == Instruction::Sub ? -1 : 1;
      return addIndex(Step->getOperand(1), Sign * Scale, Rest, Depth + 1);
    }
    if (Code == Instruction::Mul && Number)
      return addIndex(First, Scale * Number->getSExtValue(), Rest, Depth + 1);
    if (Code == Instruction::Shl && Number && Number->getZExtValue() < 32)
      return addIndex(First, Scale << Number->getZExtValue(), Rest, Depth + 1);
  }
  auto Known = find_if(Rest.Steps, [V](auto &One) { return One.first == V; });
  if (Known == Rest.Steps.end())
    Rest.Steps.push_back({V, Scale});
  else
    Known->second += Scale;
}

bool Namer::addOffset(GEPOperator *Step, Offset &Rest) {
  unsigned Width = Layout.getIndexTypeSizeInBits(Step->getType());
  SmallMapVector<Value *, APInt, 4> Variables;
  APInt Constant(Width, 0);
  if (!Step->collectOffset(Layout, Width, Variables, Constant))
    return false;
  Rest.Bytes += Constant.getSExtValue();
  for (auto &[Index, Scale] : Variables)
    addIndex(Index, Scale.getSExtValue(), Rest, 0);
  return true;
}

// The lvalue of this size, a number or a pointer.
std::optional<Lvalue> Namer::memory(Value *Address, int64_t Further, uint64_t Bytes) {
  if (++Steps > MostSteps)
    return std::nullopt;
  Offset Rest;
  Rest.Bytes = Further;
  Value *Start = Address;
  while (auto *Step = dyn_cast<GEPOperator>(Start)) {
    if (!addOffset(Step, Rest))
      return std::nullopt;
    Start = Step->getPointerOperand();
  }
  auto From = origin(Start);
  if (!From)
    return std::nullopt;
  bool IsWhole = !From->Behind && Rest.Bytes == 0 && Rest.Steps.empty();
  if (IsWhole && isDescribed(From->Type) && Start == Address && Bytes == 8)
    return From;
  return descend(*From, Rest, Bytes);
}

// The local variable that a value is put into: how rustc describes variables without optimisation.
std::optional<Lvalue> Namer::stored(Value *V, uint64_t Bytes) {
  for (User *Use : V->users()) {
    auto *Store = dyn_cast<StoreInst>(Use);
    if (!Store || Store->getValueOperand() != V)
      continue;
    Value *Into = Store->getPointerOperand();
    if (auto *Step = dyn_cast<GEPOperator>(Into))
      Into = Step->getPointerOperand();
    if (!isa<AllocaInst>(Into))
      continue;
    if (auto Found = memory(Store->getPointerOperand(), 0, Bytes))
      return Found;
  }
  return std::nullopt;
}

// An element that a function of a container's gives the address of, without optimisation.
std::optional<Lvalue> Namer::subscripted(CallBase *Call) {
  const Function *Callee = Call->getCalledFunction();
  const DISubprogram *Known = Callee ? Callee->getSubprogram() : nullptr;
  if (!Known || Call->arg_size() < 2 || !Call->getType()->isPointerTy())
    return std::nullopt;
  bool IsIndex = In == Language::Rust && Known->getName().starts_with("index<");
  if (!IsIndex && Known->getName() != "operator[]")
    return std::nullopt;
  auto Container = origin(Call->getArgOperand(0));
  auto Types = Known->getType() ? Known->getType()->getTypeArray() : DITypeRefArray(nullptr);
  const DIDerivedType *Given = Types && Types.size() ? asPointer(Types[0]) : nullptr;
  if (!Container || !Given || !Call->getArgOperand(1)->getType()->isIntegerTy())
    return std::nullopt;
  Offset Index;
  addIndex(Call->getArgOperand(1), 1, Index, 0);
  bool IsOne = Index.Steps.size() == 1 && Index.Steps[0].second == 1;
  std::string Text = IsOne                ? index(Index.Steps[0].first, Index.Bytes)
                     : Index.Steps.empty() ? std::to_string(Index.Bytes)
                                           : Unknown;
  return Lvalue{Container->Text + "[" + Text + "]", Given->getBaseType()};
}

// The name of a scalar.
std::optional<std::string> Namer::value(Value *V) {
  if (isa<Constant>(V) || ++Steps > MostSteps)
    return std::nullopt;
  uint64_t Bytes = Layout.getTypeStoreSize(V->getType()).getKnownMinValue();
  SmallVector<DbgVariableRecord *, 4> Records;
  copy_if(findDVRValues(V), std::back_inserter(Records), tellsValue);
  std::optional<Lvalue> Found;
  if (const DbgVariableRecord *Record = best(Records))
    Found = variable(Record, Bytes);
  else if (isa<FPExtInst, FPTruncInst, SIToFPInst, UIToFPInst, SExtInst, ZExtInst, TruncInst,
               FreezeInst>(V))
    return value(cast<Instruction>(V)->getOperand(0));
  else if (V->getType()->isVectorTy())
    return vector(V);
  else if (auto *Load = dyn_cast<LoadInst>(V))
    Found = memory(Load->getPointerOperand(), 0, Bytes);
  else if (auto *Lane = dyn_cast<ExtractElementInst>(V))
    Found = lane(*Lane, Bytes);
  else if (auto *Call = dyn_cast<CallBase>(V))
    Found = part(*Call);
  if (!Found)
    Found = stored(V, Bytes);
  return Found ? std::optional(Found->Text) : std::nullopt;
}

// The name of all lanes of a vector: the scalar they were all made of, or an element of the array they were loaded from;
// which one, is for others to leave out.
std::optional<std::string> Namer::vector(Value *V) {
  if (auto *Spread = dyn_cast<ShuffleVectorInst>(V); Spread && Spread->isZeroEltSplat())
    if (auto *First = dyn_cast<InsertElementInst>(Spread->getOperand(0)))
      return value(First->getOperand(1));
  auto *Load = dyn_cast<LoadInst>(V);
  if (!Load)
    return std::nullopt;
  uint64_t Bytes = Layout.getTypeStoreSize(V->getType()->getScalarType());
  auto Found = memory(Load->getPointerOperand(), 0, Bytes);
  bool IsElement = Found && StringRef(Found->Text).ends_with(In == Language::Fortran ? ")" : "]");
  return IsElement ? std::optional(Found->Text) : std::nullopt;
}

// Whether a variable that the operation can see holds this constant: then the optimiser may have put it there.
bool Namer::isVariable(Constant *C) const {
  return any_of(findDVRValues(C), [this](const DbgVariableRecord *Record) {
    return distance(Record) != Elsewhere;
  });
}

// The number that a constant is, in all lanes; none if it may be a variable's value.
std::optional<double> Namer::literal(Constant *C) {
  if (C->getType()->isVectorTy())
    C = C->getSplatValue();
  if (auto *Whole = dyn_cast_or_null<ConstantInt>(C); Whole && Whole->getBitWidth() <= 64)
    return isVariable(Whole) ? std::nullopt : std::optional<double>(Whole->getSExtValue());
  auto *Number = dyn_cast_or_null<ConstantFP>(C);
  if (!Number)
    return std::nullopt;
  // The optimiser adds what the program subtracts.
  APFloat Value = Number->getValueAPF();
  if (isVariable(Number) || isVariable(ConstantFP::get(Number->getContext(), neg(Value))))
    return std::nullopt;
  bool Loses;
  Value.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven, &Loses);
  return Value.convertToDouble();
}

// A part of a complex number that a function of its own gives, without optimisation.
std::optional<Lvalue> Namer::part(CallBase &Call) {
  const Function *Callee = Call.getCalledFunction();
  const DISubprogram *Known = Callee ? Callee->getSubprogram() : nullptr;
  if (!Known || Call.arg_size() != 1 || !is_contained({"real", "imag"}, Known->getName()))
    return std::nullopt;
  if (!Call.getArgOperand(0)->getType()->isPointerTy())
    return std::nullopt;
  auto Whole = origin(Call.getArgOperand(0));
  if (Whole)
    Whole->Text += Known->getName() == "real" ? ".re" : ".im";
  return Whole;
}

// A lane of a vector that was loaded.
std::optional<Lvalue> Namer::lane(ExtractElementInst &Lane, uint64_t Bytes) {
  auto *Number = dyn_cast<ConstantInt>(Lane.getIndexOperand());
  auto *Load = dyn_cast<LoadInst>(Lane.getVectorOperand());
  if (!Number || !Load)
    return std::nullopt;
  return memory(Load->getPointerOperand(), Number->getZExtValue() * Bytes, Bytes);
}
} // namespace names

// Writes the name of an operand into `Out`; how long it is, 0 if there is none. `IsOwn`: it is a name of the function in
// which contains the operation, not of one that it was inlined into.
extern "C" size_t lostbits_value_name(LLVMValueRef I, LLVMValueRef V, char *Out, size_t Room,
                                      bool *IsOwn) {
  names::Namer Names(*unwrap<Instruction>(I));
  auto Name = Names.value(unwrap(V));
  if (!Name || Name->size() > Room)
    return 0;
  *IsOwn = Names.IsOwn;
  std::copy(Name->begin(), Name->end(), Out);
  return Name->size();
}

// Whether an operand is a number that is written in the source, as far as is known; returns the number.
extern "C" bool lostbits_literal(LLVMValueRef I, LLVMValueRef V, double *Out) {
  auto *Known = dyn_cast<Constant>(unwrap(V));
  auto Number = Known ? names::Namer(*unwrap<Instruction>(I)).literal(Known) : std::nullopt;
  if (Number)
    *Out = *Number;
  return Number.has_value();
}
