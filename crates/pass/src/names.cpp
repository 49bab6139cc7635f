// What the program calls a value: the variable, field or element that debug information says it is.
//
// A value has a name if a debug record says so (`x`, or a part of a structure that lives in registers: `p.x`), or if it
// was loaded from a place that has one (`x`, `p->x`, `a[i]`). Places are described from the outside in: a variable, then
// the bytes into it, by its type. Of several variables that hold the same value, one of the function in which the
// operation stands is taken, since optimisation brings together what was apart.
//
// What it can miss: fields and elements whose address was computed in a way that is not undone here have no name, and an
// index that no variable holds is written as an ellipsis.

#include "llvm-c/Core.h"
#include "llvm/BinaryFormat/Dwarf.h"
#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/DebugProgramInstruction.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Operator.h"

#include <optional>
#include <string>

using namespace llvm;

namespace {
constexpr unsigned MostSteps = 12;
constexpr const char *Unknown = "\u2026";

enum class Language { C, Fortran, Rust };

// A place in memory, or what a pointer points to.
struct Place {
  std::string Text;
  const DIType *Type = nullptr;
  // The text names a pointer, and the type is what it points to.
  bool Behind = false;
  // Some of the way were fields of a library's, which are not told.
  bool Inside = false;
};

// How far into a place an address is.
struct Way {
  int64_t Bytes = 0;
  SmallVector<std::pair<Value *, int64_t>, 2> Steps;
};

class Namer {
public:
  explicit Namer(const Instruction &At) : Layout(At.getDataLayout()), At(At.getDebugLoc()) {
    const DISubprogram *Function = this->At ? this->At->getScope()->getSubprogram() : nullptr;
    if (!Function || !Function->getUnit())
      return;
    uint16_t Code = Function->getUnit()->getSourceLanguage().getUnversionedName();
    switch (Code) {
    case dwarf::DW_LANG_Fortran77:
    case dwarf::DW_LANG_Fortran90:
    case dwarf::DW_LANG_Fortran95:
    case dwarf::DW_LANG_Fortran03:
    case dwarf::DW_LANG_Fortran08:
    case dwarf::DW_LANG_Fortran18:
      In = Language::Fortran;
      break;
    case dwarf::DW_LANG_Rust:
      In = Language::Rust;
      break;
    default:
      break;
    }
  }

  std::optional<std::string> value(Value *V);
  // Whether the name given last is one of the function's own.
  bool IsOwn = true;

private:
  const DataLayout &Layout;
  const DILocation *At;
  Language In = Language::C;
  unsigned Steps = 0;

  std::optional<Place> memory(Value *Address);
  std::optional<Place> origin(Value *Address);
  std::optional<Place> pointer(Value *V);
  std::optional<Place> variable(const DbgVariableRecord *Record, uint64_t Bytes) const;
  std::optional<Place> descend(Place From, Way Rest, uint64_t Bytes);
  bool element(Place &From, Way &Rest, uint64_t Bytes);
  bool field(Place &From, Way &Rest) const;
  bool array(Place &From, Way &Rest);
  std::optional<std::string> loaded(Value *Address, int64_t Further, uint64_t Bytes);
  std::string index(Value *V, int64_t More);
  const DbgVariableRecord *best(ArrayRef<DbgVariableRecord *> Records);
  unsigned distance(const DbgVariableRecord *Record) const;
  std::optional<std::string> stored(Value *V, uint64_t Bytes);
};

const DIType *plain(const DIType *Type) {
  while (const auto *Derived = dyn_cast_or_null<DIDerivedType>(Type)) {
    switch (Derived->getTag()) {
    case dwarf::DW_TAG_typedef:
    case dwarf::DW_TAG_const_type:
    case dwarf::DW_TAG_volatile_type:
    case dwarf::DW_TAG_restrict_type:
    case dwarf::DW_TAG_atomic_type:
    case dwarf::DW_TAG_member:
    case dwarf::DW_TAG_inheritance:
      Type = Derived->getBaseType();
      continue;
    default:
      return Type;
    }
  }
  return Type;
}

uint64_t bytesOf(const DIType *Type) {
  Type = plain(Type);
  return Type ? Type->getSizeInBits() / 8 : 0;
}

const DIDerivedType *asPointer(const DIType *Type) {
  const auto *Derived = dyn_cast_or_null<DIDerivedType>(plain(Type));
  if (!Derived)
    return nullptr;
  switch (Derived->getTag()) {
  case dwarf::DW_TAG_pointer_type:
  case dwarf::DW_TAG_reference_type:
  case dwarf::DW_TAG_rvalue_reference_type:
    return Derived;
  default:
    return nullptr;
  }
}

bool isReference(const DIDerivedType *Pointer) {
  return Pointer->getTag() != dwarf::DW_TAG_pointer_type;
}

// Names that a library uses for itself and no user writes.
bool isInside(StringRef Name, Language In) {
  if (Name.starts_with("_M_") || Name.starts_with("__"))
    return true;
  return In == Language::Rust && is_contained({"data_ptr", "buf", "inner", "ptr", "pointer"}, Name);
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
    if (!Variable || Variable->getName().empty() || isForeign(Variable))
      continue;
    if (!Best || Order(Record) < Order(Best))
      Best = Record;
  }
  IsOwn &= !Best || distance(Best) == 0;
  return Best;
}

// The part of a variable that a record tells of.
std::optional<Place> Namer::variable(const DbgVariableRecord *Record, uint64_t Bytes) const {
  const DILocalVariable *Variable = Record->getVariable();
  Place Whole{Variable->getName().str(), Variable->getType()};
  auto Fragment = Record->getExpression()->getFragmentInfo();
  if (!Fragment)
    return Whole;
  Way Rest;
  Rest.Bytes = Fragment->OffsetInBits / 8;
  Namer Other = *this;
  return Other.descend(Whole, Rest, Bytes);
}

// What a place is that a value was taken from by a constant number of bytes and by steps.
std::optional<Place> Namer::descend(Place From, Way Rest, uint64_t Bytes) {
  for (unsigned Level = 0; Level < MostSteps; ++Level) {
    if (From.Behind) {
      if (!element(From, Rest, Bytes))
        return std::nullopt;
      if (!From.Type)
        return From;
      continue;
    }
    From.Type = plain(From.Type);
    if (!From.Type)
      return std::nullopt;
    bool IsScalar = isa<DIBasicType>(From.Type) || asPointer(From.Type);
    if (IsScalar && Rest.Bytes == 0 && Rest.Steps.empty() && bytesOf(From.Type) == Bytes)
      return From;
    if (const auto *Basic = dyn_cast<DIBasicType>(From.Type)) {
      bool IsComplex = Basic->getEncoding() == dwarf::DW_ATE_complex_float;
      if (!IsComplex || !Rest.Steps.empty() || bytesOf(Basic) != 2 * Bytes)
        return std::nullopt;
      if (Rest.Bytes != 0 && Rest.Bytes != int64_t(Bytes))
        return std::nullopt;
      From.Text = (Rest.Bytes ? "imag(" : "real(") + From.Text + ")";
      return From;
    }
    const auto *Composite = dyn_cast<DICompositeType>(From.Type);
    if (!Composite)
      return std::nullopt;
    bool IsArray = Composite->getTag() == dwarf::DW_TAG_array_type;
    if (!(IsArray ? array(From, Rest) : field(From, Rest)))
      return std::nullopt;
  }
  return std::nullopt;
}

// From a pointer to what it points to.
bool Namer::element(Place &From, Way &Rest, uint64_t Bytes) {
  From.Behind = false;
  int64_t Size = bytesOf(From.Type);
  // Containers may know their elements as bytes only.
  bool IsUntyped = Size <= 1 && From.Inside;
  if (IsUntyped)
    Size = Bytes;
  if (Size <= 0 || Rest.Bytes < 0)
    return false;
  bool IsAggregate = isa_and_nonnull<DICompositeType>(plain(From.Type));
  auto Step = find_if(Rest.Steps, [&](auto &One) { return One.second == Size; });
  int64_t Whole = Rest.Bytes / Size;
  Rest.Bytes %= Size;
  if (Step != Rest.Steps.end()) {
    From.Text += "[" + index(Step->first, Whole) + "]";
    Rest.Steps.erase(Step);
  } else if (Whole || From.Inside) {
    From.Text += "[" + std::to_string(Whole) + "]";
  } else if (IsAggregate) {
    // The arrow or point comes with the field.
    if (In == Language::C && From.Text != "this")
      From.Text += "->";
  } else {
    From.Text = "*" + From.Text;
  }
  // There is no more to be known of an element without a type.
  if (IsUntyped)
    From.Type = nullptr;
  return !IsUntyped || (Rest.Bytes == 0 && Rest.Steps.empty());
}

bool Namer::field(Place &From, Way &Rest) const {
  for (const DINode *Node : cast<DICompositeType>(From.Type)->getElements()) {
    const auto *Member = dyn_cast<DIDerivedType>(Node);
    if (!Member || Member->isStaticMember())
      continue;
    bool IsBase = Member->getTag() == dwarf::DW_TAG_inheritance;
    if (!IsBase && Member->getTag() != dwarf::DW_TAG_member)
      continue;
    int64_t Start = Member->getOffsetInBits() / 8;
    int64_t Size = bytesOf(Member->getBaseType());
    if (Rest.Bytes < Start || Rest.Bytes >= Start + Size)
      continue;
    Rest.Bytes -= Start;
    From.Type = Member->getBaseType();
    StringRef Name = Member->getName();
    StringRef Text = From.Text;
    bool Arrow = Text.ends_with("->");
    // Tuples have fields without a name of their own.
    if (In == Language::Rust && Name.consume_front("__") && !Name.empty()) {
      From.Text += "." + Name.str();
      return true;
    }
    if (IsBase || Name.empty() || isInside(Name, In)) {
      From.Inside |= !IsBase;
      return true;
    }
    if (Text == "this")
      From.Text = Name.str();
    else
      From.Text += (Arrow ? "" : In == Language::Fortran ? "%" : ".") + Name.str();
    return true;
  }
  return false;
}

// An element of an array of as many dimensions as there are.
bool Namer::array(Place &From, Way &Rest) {
  const auto *Array = cast<DICompositeType>(From.Type);
  struct Dimension {
    int64_t Count, First;
  };
  SmallVector<Dimension, 3> Dimensions;
  bool IsFortran = In == Language::Fortran;
  for (const DINode *Node : Array->getElements()) {
    Dimension One{0, IsFortran ? 1 : 0};
    if (const auto *Range = dyn_cast<DISubrange>(Node)) {
      if (auto *Count = dyn_cast_if_present<ConstantInt *>(Range->getCount()))
        One.Count = Count->getSExtValue();
      if (auto *First = dyn_cast_if_present<ConstantInt *>(Range->getLowerBound()))
        One.First = First->getSExtValue();
    }
    Dimensions.push_back(One);
  }
  int64_t Stride = bytesOf(Array->getBaseType());
  if (Stride <= 0 || Rest.Bytes < 0 || Dimensions.empty())
    return false;
  // The dimension whose elements lie side by side comes first.
  if (!IsFortran)
    std::reverse(Dimensions.begin(), Dimensions.end());
  SmallVector<std::string, 3> Indices;
  int64_t Inner = Stride;
  bool IsKnown = true;
  for (unsigned D = 0; D < Dimensions.size(); ++D) {
    const Dimension &One = Dimensions[D];
    bool IsLast = D + 1 == Dimensions.size();
    int64_t Whole = IsKnown ? Rest.Bytes / Stride : 0;
    if (!IsLast && IsKnown) {
      IsKnown = One.Count > 0;
      Whole = IsKnown ? Whole % One.Count : 0;
    }
    auto Step = find_if(Rest.Steps, [&](auto &At) { return IsKnown && At.second == Stride; });
    if (Step != Rest.Steps.end()) {
      Indices.push_back(index(Step->first, Whole + One.First));
      Rest.Steps.erase(Step);
    } else {
      Indices.push_back(IsKnown ? std::to_string(Whole + One.First) : Unknown);
    }
    if (IsKnown && !IsLast)
      Stride *= One.Count;
  }
  // Steps that no dimension has are a mixture of several.
  if (!Rest.Steps.empty()) {
    for (std::string &Index : Indices)
      Index = Unknown;
    Rest.Steps.clear();
  }
  Rest.Bytes %= Inner;
  if (IsFortran) {
    From.Text += "(";
    for (unsigned D = 0; D < Indices.size(); ++D)
      From.Text += (D ? ", " : "") + Indices[D];
    From.Text += ")";
  } else {
    for (auto Index = Indices.rbegin(); Index != Indices.rend(); ++Index)
      From.Text += "[" + *Index + "]";
  }
  From.Type = Array->getBaseType();
  return true;
}

// An index as the program writes it: what a variable holds, and a number.
std::string Namer::index(Value *V, int64_t More) {
  for (unsigned Level = 0; Level < MostSteps; ++Level) {
    if (auto *Number = dyn_cast<ConstantInt>(V))
      return std::to_string(Number->getSExtValue() + More);
    if (auto Name = Steps < MostSteps ? value(V) : std::nullopt) {
      if (More == 0)
        return *Name;
      return *Name + (More > 0 ? " + " : " - ") + std::to_string(std::abs(More));
    }
    auto *Binary = dyn_cast<BinaryOperator>(V);
    auto *Number = Binary ? dyn_cast<ConstantInt>(Binary->getOperand(1)) : nullptr;
    if (Number && Binary->getOpcode() == Instruction::Add) {
      More += Number->getSExtValue();
    } else if (Number && Binary->getOpcode() == Instruction::Sub) {
      More -= Number->getSExtValue();
    } else if (Number && Binary->getOpcode() == Instruction::Or &&
               cast<PossiblyDisjointInst>(Binary)->isDisjoint()) {
      More += Number->getSExtValue();
    } else if (isa<SExtInst, ZExtInst, TruncInst>(V)) {
      V = cast<Instruction>(V)->getOperand(0);
      continue;
    } else {
      break;
    }
    V = Binary->getOperand(0);
  }
  return Unknown;
}

// The place that an address without any offset belongs to.
std::optional<Place> Namer::origin(Value *Address) {
  if (auto *Global = dyn_cast<GlobalVariable>(Address)) {
    SmallVector<DIGlobalVariableExpression *, 1> Known;
    Global->getDebugInfo(Known);
    if (Known.empty())
      return std::nullopt;
    const DIGlobalVariable *Variable = Known[0]->getVariable();
    return Place{Variable->getName().str(), Variable->getType()};
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
      return Place{Record->getVariable()->getName().str(), Record->getVariable()->getType()};
    if (Expression->getNumElements() == 1 && Expression->startsWithDeref())
      return std::nullopt;
  }
  SmallVector<DbgVariableRecord *, 4> Values;
  for (DbgVariableRecord *Record : findDVRValues(Address))
    if (Record->getExpression()->getNumElements() == 1 && Record->getExpression()->startsWithDeref())
      Values.push_back(Record);
  if (const DbgVariableRecord *Record = best(Values))
    return Place{Record->getVariable()->getName().str(), Record->getVariable()->getType()};
  return pointer(Address);
}

// What the pointer held by a variable or field points to.
std::optional<Place> Namer::pointer(Value *V) {
  std::optional<Place> Held;
  SmallVector<DbgVariableRecord *, 4> Records;
  for (DbgVariableRecord *Record : findDVRValues(V))
    if (Record->isDbgValue() && !Record->hasArgList() &&
        (Record->getExpression()->getNumElements() == 0 ||
         Record->getExpression()->isFragment()))
      Records.push_back(Record);
  if (const DbgVariableRecord *Record = best(Records))
    Held = variable(Record, 8);
  if (!Held)
    if (auto *Load = dyn_cast<LoadInst>(V))
      Held = memory(Load->getPointerOperand());
  if (!Held)
    return std::nullopt;
  if (const auto *Array = dyn_cast_or_null<DICompositeType>(plain(Held->Type)))
    // A descriptor of Fortran's, whose first word is where the elements are.
    return Array->getTag() == dwarf::DW_TAG_array_type && Array->getRawDataLocation() ? Held
                                                                                      : std::nullopt;
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

static bool addOffset(GEPOperator *Step, const DataLayout &Layout, Way &Rest) {
  unsigned Width = Layout.getIndexTypeSizeInBits(Step->getType());
  SmallMapVector<Value *, APInt, 4> Variables;
  APInt Constant(Width, 0);
  if (!Step->collectOffset(Layout, Width, Variables, Constant))
    return false;
  Rest.Bytes += Constant.getSExtValue();
  for (auto &[Index, Scale] : Variables)
    Rest.Steps.push_back({Index, Scale.getSExtValue()});
  return true;
}

// The place of a pointer that is itself in memory.
std::optional<Place> Namer::memory(Value *Address) {
  if (++Steps > MostSteps)
    return std::nullopt;
  Way Rest;
  Value *Start = Address;
  while (auto *Step = dyn_cast<GEPOperator>(Start)) {
    if (!addOffset(Step, Layout, Rest))
      return std::nullopt;
    Start = Step->getPointerOperand();
  }
  auto From = origin(Start);
  if (!From)
    return std::nullopt;
  bool IsDescriptor = false;
  if (const auto *Array = dyn_cast_or_null<DICompositeType>(plain(From->Type)))
    IsDescriptor = Array->getTag() == dwarf::DW_TAG_array_type && Array->getRawDataLocation();
  if (IsDescriptor && !From->Behind && Rest.Bytes == 0 && Rest.Steps.empty())
    return From;
  return descend(*From, Rest, 8);
}

std::optional<std::string> Namer::loaded(Value *Address, int64_t Further, uint64_t Bytes) {
  if (++Steps > MostSteps)
    return std::nullopt;
  Way Rest;
  Rest.Bytes = Further;
  Value *Start = Address;
  while (auto *Step = dyn_cast<GEPOperator>(Start)) {
    if (!addOffset(Step, Layout, Rest))
      return std::nullopt;
    Start = Step->getPointerOperand();
  }
  auto From = origin(Start);
  if (!From)
    return std::nullopt;
  auto Found = descend(*From, Rest, Bytes);
  return Found ? std::optional(Found->Text) : std::nullopt;
}

// The name of a scalar.
std::optional<std::string> Namer::value(Value *V) {
  if (isa<Constant>(V) || ++Steps > MostSteps)
    return std::nullopt;
  uint64_t Bytes = Layout.getTypeStoreSize(V->getType()).getKnownMinValue();
  SmallVector<DbgVariableRecord *, 4> Records;
  for (DbgVariableRecord *Record : findDVRValues(V)) {
    const DIExpression *Expression = Record->getExpression();
    bool IsPlain = Expression->getNumElements() == 0 ||
                   (Expression->isFragment() && Expression->getNumElements() == 3);
    if (!Record->hasArgList() && IsPlain)
      Records.push_back(Record);
  }
  if (const DbgVariableRecord *Record = best(Records)) {
    auto Found = variable(Record, Bytes);
    return Found ? std::optional(Found->Text) : std::nullopt;
  }
  if (isa<FPExtInst, FPTruncInst, SIToFPInst, UIToFPInst, SExtInst, ZExtInst, FreezeInst>(V))
    return value(cast<Instruction>(V)->getOperand(0));
  if (auto *Load = dyn_cast<LoadInst>(V))
    return V->getType()->isVectorTy() ? std::nullopt : loaded(Load->getPointerOperand(), 0, Bytes);
  // A lane of a vector that was loaded, or put in.
  if (auto *Lane = dyn_cast<ExtractElementInst>(V)) {
    auto *Number = dyn_cast<ConstantInt>(Lane->getIndexOperand());
    auto *Load = dyn_cast<LoadInst>(Lane->getVectorOperand());
    if (Number && Load)
      return loaded(Load->getPointerOperand(), Number->getZExtValue() * Bytes, Bytes);
  }
  return stored(V, Bytes);
}

// The local variable that a value is put into: rustc's way to tell of variables without optimisation.
std::optional<std::string> Namer::stored(Value *V, uint64_t Bytes) {
  for (User *Use : V->users()) {
    auto *Store = dyn_cast<StoreInst>(Use);
    if (!Store || Store->getValueOperand() != V)
      continue;
    Value *Into = Store->getPointerOperand();
    if (auto *Step = dyn_cast<GEPOperator>(Into))
      Into = Step->getPointerOperand();
    if (!isa<AllocaInst>(Into))
      continue;
    if (auto Name = loaded(Store->getPointerOperand(), 0, Bytes))
      return Name;
  }
  return std::nullopt;
}
} // namespace

// Writes the name of an operand into `Out`; how long it is, 0 if there is none. `IsOwn`: it is a name of the function in
// which the operation stands, not of one that it was inlined into.
extern "C" size_t lostbits_value_name(LLVMValueRef I, LLVMValueRef V, char *Out, size_t Room,
                                      bool *IsOwn) {
  Namer Names(*unwrap<Instruction>(I));
  auto Name = Names.value(unwrap(V));
  if (!Name || Name->size() > Room)
    return 0;
  *IsOwn = Names.IsOwn;
  std::copy(Name->begin(), Name->end(), Out);
  return Name->size();
}
