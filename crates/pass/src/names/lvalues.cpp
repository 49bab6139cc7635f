// Lvalues as the program writes them, by their types: fields, elements, what pointers point to.

#include "names.h"

#include "llvm/Support/MathExtras.h"

using namespace llvm;

namespace names {
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

bool isDescribed(const DIType *Type) {
  const auto *Array = dyn_cast_or_null<DICompositeType>(plain(Type));
  return Array && Array->getTag() == dwarf::DW_TAG_array_type && Array->getRawDataLocation();
}

// What a place is that a value was taken from by a constant number of bytes and by steps.
std::optional<Lvalue> Namer::descend(Lvalue From, Offset Rest, uint64_t Bytes) {
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
      From.Text += In == Language::Fortran ? "%" : ".";
      From.Text += Rest.Bytes ? "im" : "re";
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
bool Namer::element(Lvalue &From, Offset &Rest, uint64_t Bytes) {
  From.Behind = false;
  int64_t Size = bytesOf(From.Type);
  // Containers may know their elements as bytes only.
  bool IsUntyped = Size <= 1 && From.Inside;
  if (IsUntyped)
    Size = Bytes;
  if (Size <= 0)
    return false;
  bool IsAggregate = isa_and_nonnull<DICompositeType>(plain(From.Type));
  auto Step = find_if(Rest.Steps, [&](auto &One) { return One.second == Size; });
  int64_t Whole = divideFloorSigned(Rest.Bytes, Size);
  Rest.Bytes -= Whole * Size;
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

bool Namer::field(Lvalue &From, Offset &Rest) const {
  for (const DINode *Node : cast<DICompositeType>(From.Type)->getElements()) {
    const auto *Member = dyn_cast<DIDerivedType>(Node);
    if (!Member || Member->isStaticMember())
      continue;
    bool IsBase = Member->getTag() == dwarf::DW_TAG_inheritance;
    if (!IsBase && Member->getTag() != dwarf::DW_TAG_member)
      continue;
    int64_t Start = Member->getOffsetInBits() / 8;
    int64_t Size = bytesOf(Member->getBaseType());
    // Bases without members lie on top of others.
    if (IsBase && Size <= 1)
      continue;
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

// What a constant number of elements means in a dimension of that length. Where an index is added to it, it is as small as
// can be, of either sign: programs write `i - 1`, and what Fortran counts from one is moved by one.
int64_t remainder(int64_t Elements, int64_t Count, bool HasIndex, bool IsFortran) {
  if (Count <= 0)
    return 0;
  int64_t Rest = Elements - divideFloorSigned(Elements, Count) * Count;
  int64_t Most = IsFortran ? (Count - 1) / 2 : Count / 2;
  return HasIndex && Rest > Most ? Rest - Count : Rest;
}

// An element of an array of as many dimensions as there are.
bool Namer::array(Lvalue &From, Offset &Rest) {
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
  if (Stride <= 0 || Dimensions.empty())
    return false;
  // The dimension whose elements lie side by side comes first.
  if (!IsFortran)
    std::reverse(Dimensions.begin(), Dimensions.end());
  SmallVector<std::string, 3> Indices;
  int64_t Whole = divideFloorSigned(Rest.Bytes, Stride);
  Rest.Bytes -= Whole * Stride;
  bool IsKnown = true;
  for (unsigned D = 0; D < Dimensions.size(); ++D) {
    const Dimension &One = Dimensions[D];
    bool IsLast = D + 1 == Dimensions.size();
    auto *Step = find_if(Rest.Steps, [&](auto &Offset) { return Offset.second == Stride; });
    bool HasStep = IsKnown && Step != Rest.Steps.end();
    int64_t Here = IsLast ? Whole : remainder(Whole, One.Count, HasStep, IsFortran);
    if (HasStep) {
      Indices.push_back(index(Step->first, Here + One.First));
      Rest.Steps.erase(Step);
    } else {
      Indices.push_back(IsKnown ? std::to_string(Here + One.First) : Unknown);
    }
    IsKnown &= IsLast || One.Count > 0;
    if (IsKnown && !IsLast) {
      Whole = (Whole - Here) / One.Count;
      Stride *= One.Count;
    }
  }
  // Steps that no dimension has are a mixture of several.
  if (!Rest.Steps.empty()) {
    for (std::string &Index : Indices)
      Index = Unknown;
    Rest.Steps.clear();
  }
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
} // namespace names
