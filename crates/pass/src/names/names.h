// See names.cpp.

#pragma once

#include "llvm/BinaryFormat/Dwarf.h"
#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/DebugProgramInstruction.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Operator.h"

#include <optional>
#include <string>

namespace names {
using namespace llvm;

constexpr unsigned MostSteps = 40;
constexpr const char *Unknown = "\u2026";

constexpr unsigned MostTerms = 6;

enum class Language { C, Fortran, Rust };

// A place in memory, or what a pointer points to.
struct Lvalue {
  std::string Text;
  const DIType *Type = nullptr;
  // The text names a pointer, and the type is what it points to.
  bool Behind = false;
  // Some of the way were fields of a library, which are not named.
  bool Inside = false;
};

// How far into a place an address is.
struct Offset {
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
  std::optional<double> literal(Constant *C);
  // Whether the name given last is one of the function's own.
  bool IsOwn = true;

private:
  const DataLayout &Layout;
  const DILocation *At;
  Language In = Language::C;
  unsigned Steps = 0;

  std::optional<Lvalue> memory(Value *Address, int64_t Further, uint64_t Bytes);
  std::optional<Lvalue> origin(Value *Address);
  std::optional<Lvalue> pointer(Value *V);
  std::optional<Lvalue> variable(const DbgVariableRecord *Record, uint64_t Bytes) const;
  std::optional<Lvalue> descend(Lvalue From, Offset Rest, uint64_t Bytes);
  bool element(Lvalue &From, Offset &Rest, uint64_t Bytes);
  bool field(Lvalue &From, Offset &Rest) const;
  bool array(Lvalue &From, Offset &Rest);
  std::string index(Value *V, int64_t More);
  void addIndex(Value *V, int64_t Scale, Offset &Rest, unsigned Depth);
  bool addOffset(GEPOperator *Step, Offset &Rest);
  const DbgVariableRecord *best(ArrayRef<DbgVariableRecord *> Records);
  unsigned distance(const DbgVariableRecord *Record) const;
  bool isVariable(Constant *C) const;
  std::optional<Lvalue> stored(Value *V, uint64_t Bytes);
  std::optional<Lvalue> subscripted(CallBase *Call);
  std::optional<Lvalue> part(CallBase &Call);
  std::optional<std::string> vector(Value *V);
  std::optional<Lvalue> lane(ExtractElementInst &Lane, uint64_t Bytes);
};

// Types without what only qualifies them.
const DIType *plain(const DIType *Type);
uint64_t bytesOf(const DIType *Type);
// None if it is neither a pointer nor a reference.
const DIDerivedType *asPointer(const DIType *Type);
bool isReference(const DIDerivedType *Pointer);
// A descriptor of Fortran's, whose first word is where the elements are.
bool isDescribed(const DIType *Type);
} // namespace names
