// What LLVM's C API lacks: registering a pass, splitting blocks and edges, module constructors,
// and the names behind a debug location. Everything else is in Rust.

#include "llvm-c/Core.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Transforms/Scalar/ADCE.h"
#include "llvm/Transforms/Scalar/EarlyCSE.h"
#include "llvm/Support/Path.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"

using namespace llvm;

extern "C" bool lostbits_instrument(LLVMModuleRef module, bool optimised);

namespace {
struct Instrument : PassInfoMixin<Instrument> {
  bool Optimised;
  explicit Instrument(bool Optimised) : Optimised(Optimised) {}
  PreservedAnalyses run(Module &M, ModuleAnalysisManager &) {
    return lostbits_instrument(wrap(&M), Optimised) ? PreservedAnalyses::none()
                                                    : PreservedAnalyses::all();
  }
  // Also at -O0, and for functions marked optnone.
  static bool isRequired() { return true; }
};
} // namespace

extern "C" void lostbits_prepare(LLVMModuleRef module, bool optimised);

namespace {
struct Prepare : PassInfoMixin<Prepare> {
  bool Optimised;
  explicit Prepare(bool Optimised) : Optimised(Optimised) {}
  PreservedAnalyses run(Module &M, ModuleAnalysisManager &) {
    lostbits_prepare(wrap(&M), Optimised);
    return PreservedAnalyses::none();
  }
  static bool isRequired() { return true; }
};
} // namespace

// The function stays a function, with the arguments it has.
extern "C" void lostbits_reach_directly(LLVMValueRef V) {
    auto *Global = unwrap<GlobalVariable>(V);
    if (Global->getParent()->getPIELevel() != PIELevel::Default)
        Global->setDSOLocal(true);
}

extern "C" void lostbits_keep(LLVMValueRef F) {
  auto *Kept = unwrap<Function>(F);
  Kept->removeFnAttr(Attribute::AlwaysInline);
  Kept->addFnAttr(Attribute::NoInline);
  appendToCompilerUsed(*Kept->getParent(), {Kept});
}

extern "C" void lostbits_register_passes(PassBuilder &PB) {
  PB.registerPipelineStartEPCallback(
      [](ModulePassManager &MPM, OptimizationLevel Level) {
        MPM.addPass(Prepare(Level != OptimizationLevel::O0));
      });
  // The end of the optimiser: the code that really ships.
  PB.registerOptimizerLastEPCallback(
      [](ModulePassManager &MPM, OptimizationLevel Level, ThinOrFullLTOPhase) {
        bool Optimised = Level != OptimizationLevel::O0;
        MPM.addPass(Instrument(Optimised));
        if (!Optimised)
          return;
        // The same exponents and addresses asked for twice; then shadows that nothing uses, phi
        // cycles included.
        FunctionPassManager Tidy;
        Tidy.addPass(EarlyCSEPass());
        Tidy.addPass(ADCEPass());
        MPM.addPass(createModuleToFunctionPassAdaptor(std::move(Tidy)));
      });
}

extern "C" LLVMBasicBlockRef lostbits_split_edge(LLVMBasicBlockRef From, LLVMBasicBlockRef To) {
  return wrap(SplitEdge(unwrap(From), unwrap(To)));
}

// Keeps the instruction's own place in the source.
extern "C" void lostbits_move_before(LLVMValueRef Moved, LLVMValueRef Before) {
  unwrap<Instruction>(Moved)->moveBefore(unwrap<Instruction>(Before)->getIterator());
}

extern "C" void lostbits_remove_variable_locations(LLVMValueRef F) {
  for (Instruction &I : instructions(unwrap<Function>(F)))
    I.dropDbgRecords();
}

extern "C" bool lostbits_may_write(LLVMValueRef I) { return unwrap<Instruction>(I)->mayWriteToMemory(); }

extern "C" bool lostbits_is_plain_load(LLVMValueRef I) {
  auto *Load = dyn_cast<LoadInst>(unwrap(I));
  return Load && Load->isSimple();
}

static MDNode *unlikely(LLVMContext &Context) {
  Type *Int = Type::getInt32Ty(Context);
  return MDNode::get(Context, {MDString::get(Context, "branch_weights"),
                               ConstantAsMetadata::get(ConstantInt::get(Int, 1)),
                               ConstantAsMetadata::get(ConstantInt::get(Int, 1048575))});
}

// Splits before `Before`; gives the terminator of a new, unlikely block that runs if `Condition`.
extern "C" LLVMValueRef lostbits_unlikely_block(LLVMValueRef Condition, LLVMValueRef Before) {
  auto *At = unwrap<Instruction>(Before);
  return wrap(SplitBlockAndInsertIfThen(unwrap(Condition), At->getIterator(), false,
                                        unlikely(At->getContext())));
}

// The same, and in `Otherwise` the terminator of the block that runs if not.
extern "C" LLVMValueRef lostbits_unlikely_blocks(LLVMValueRef Condition, LLVMValueRef Before,
                                                 LLVMValueRef *Otherwise) {
  auto *At = unwrap<Instruction>(Before);
  Instruction *Then = nullptr, *Else = nullptr;
  SplitBlockAndInsertIfThenElse(unwrap(Condition), At->getIterator(), &Then, &Else,
                                unlikely(At->getContext()));
  *Otherwise = wrap(Else);
  return wrap(Then);
}

extern "C" void lostbits_add_constructor(LLVMModuleRef M, LLVMValueRef F, LLVMValueRef D) {
  appendToGlobalCtors(*unwrap(M), unwrap<Function>(F), 0);
  appendToGlobalDtors(*unwrap(M), unwrap<Function>(D), 0);
}

struct SourceLocation {
  const char *File, *Directory, *Function;
  size_t FileLength, DirectoryLength, FunctionLength;
  unsigned Line, Column;
  // Which of the operations at this place, see prepare/discriminators.cpp.
  unsigned Ordinal;
};

// Whether a file belongs to a compiler or to the system, not to the program.
static bool isForeign(const DILocation *At) {
  StringRef File = At->getFilename(), Directory = At->getDirectory();
  StringRef Path = File.starts_with("/") ? File : Directory;
  return Path.starts_with("/usr/") || Path.starts_with("/rustc/") || Path.contains("/rustlib/");
}

// Whether a file belongs to the standard library of a language: every sum of complex numbers, and in generic code of
// Rust's every sum, is one of its lines.
static bool isStandard(const DILocation *At) {
  StringRef File = At->getFilename(), Directory = At->getDirectory();
  StringRef Path = File.starts_with("/") ? File : Directory;
  return isForeign(At) && (!Path.starts_with("/usr/") || Path.contains("/c++/"));
}

// See prepare/discriminators.cpp.
SmallVector<StringRef, 6> lostbitsAnnotated(const Instruction &I);

static unsigned number(StringRef Text) {
  unsigned Value = 0;
  Text.getAsInteger(10, Value);
  return Value;
}

// The place of an operation that the optimiser took it from, as it was before.
static bool annotatedLocation(const Instruction &I, SourceLocation *Out) {
  auto Words = lostbitsAnnotated(I);
  if (Words.size() != 6)
    return false;
  StringRef File = Words[3], Directory = Words[4], Name = Words[5];
  *Out = {File.data(),      Directory.data(), Name.data(),      File.size(),     Directory.size(),
          Name.size(),      number(Words[0]), number(Words[1]), number(Words[2])};
  return true;
}

enum class Whose { Anybodys, NotStandard, Own };

extern "C" bool lostbits_subprogram_location(LLVMValueRef F, SourceLocation *Out);

// What was inlined from a library is where others' code called it, if that is wanted.
static const DILocation *wantedLocation(const DILocation *At, Whose Wanted) {
  auto *IsPassed = Wanted == Whose::Own ? isForeign : isStandard;
  while (Wanted != Whose::Anybodys && IsPassed(At) && At->getInlinedAt())
    At = At->getInlinedAt();
  return At;
}

static bool hasLine(const DILocation *At) { return At && At->getScope() && At->getLine(); }

static bool fillIn(const DILocation *Inner, Whose Wanted, SourceLocation *Out) {
  const DILocation *At = wantedLocation(Inner, Wanted);
  unsigned Ordinal = Inner->getBaseDiscriminator();
  // What one call made of several lines stays apart, but for outputs.
  if (At != Inner && Wanted == Whose::NotStandard)
    Ordinal ^= Inner->getLine() << 12 ^ Inner->getColumn() << 24;
  const DISubprogram *Function = At->getScope()->getSubprogram();
  StringRef File = At->getFilename(), Directory = At->getDirectory();
  StringRef Name = Function ? Function->getLinkageName() : "";
  if (Name.empty() && Function)
    Name = Function->getName();
  *Out = {File.data(),    Directory.data(), Name.data(),    File.size(),
          Directory.size(), Name.size(),    At->getLine(), At->getColumn(), Ordinal};
  return true;
}

// See nearby_location.cpp.
namespace nearby {
const Instruction *withLocation(const Instruction &I, bool (*HasLocation)(const Instruction &));
} // namespace nearby

static bool hasLocation(const Instruction &I) {
  return hasLine(I.getDebugLoc()) || lostbitsAnnotated(I).size() == 6;
}

static bool exactLocation(const Instruction &I, Whose Wanted, SourceLocation *Out) {
  if (hasLine(I.getDebugLoc()))
    return fillIn(I.getDebugLoc(), Wanted, Out);
  return annotatedLocation(I, Out);
}

// The optimiser drops the places of what it merges, fuses and vectorises. The statement is then that of an operation
// beside it, and in the worst case the function; the column is unknown.
extern "C" bool lostbits_source_location(LLVMValueRef V, Whose Wanted, SourceLocation *Out) {
  const auto &I = *unwrap<Instruction>(V);
  if (exactLocation(I, Wanted, Out))
    return true;
  // Of outputs that were merged, any line would be that of one alone.
  const Instruction *Near = Wanted == Whose::Own ? nullptr : nearby::withLocation(I, hasLocation);
  bool IsFound = Near ? exactLocation(*Near, Wanted, Out) : lostbits_subprogram_location(wrap(I.getFunction()), Out);
  if (!IsFound)
    return false;
  Out->Column = 0;
  Out->Ordinal = 0;
  return true;
}

static std::string pathOf(StringRef Directory, StringRef File) {
  SmallString<128> Path(File.starts_with("/") ? "" : Directory);
  sys::path::append(Path, File);
  sys::path::remove_dots(Path, true);
  return std::string(Path);
}

static std::string pathOf(const DILocation *At) { return pathOf(At->getDirectory(), At->getFilename()); }

// What a compiler was given: a file, or of a crate of Rust's the folder of its root, in which its modules are.
static std::string ownPath(const DILocation *At) {
  while (At->getInlinedAt())
    At = At->getInlinedAt();
  const DISubprogram *Function = At->getScope()->getSubprogram();
  const DICompileUnit *Unit = Function ? Function->getUnit() : nullptr;
  if (!Unit)
    return "";
  // Rust's name has the unit's own behind the root's.
  auto [Root, Part] = Unit->getFilename().split("/@/");
  std::string Path = pathOf(Unit->getDirectory(), Root);
  return Part.empty() ? Path : sys::path::parent_path(Path).str() + "/";
}

static bool isOwn(StringRef Path, StringRef Own) {
  return Own.ends_with("/") ? Path.starts_with(Own) : Path == Own;
}

// Where the program called what an operation of another file was inlined from: the nearest caller in the file that was
// compiled, or else the outermost in any other file of the program's.
static const DILocation *callerOf(const DILocation *At) {
  const std::string Own = ownPath(At), Path = pathOf(At);
  const DILocation *Found = nullptr;
  if (isOwn(Path, Own))
    return Found;
  for (const DILocation *Caller = At->getInlinedAt(); Caller; Caller = Caller->getInlinedAt()) {
    if (!Caller->getLine())
      continue;
    if (isOwn(pathOf(Caller), Own))
      return Caller;
    if (!isForeign(Caller) && pathOf(Caller) != Path)
      Found = Caller;
  }
  return Found;
}

// The caller of an operation whose place is that of `lostbits_source_location`, if that is not another one's.
extern "C" bool lostbits_caller_location(LLVMValueRef I, Whose Wanted, SourceLocation *Out) {
  const DILocation *At = unwrap<Instruction>(I)->getDebugLoc();
  if (!At || !At->getScope() || !At->getLine())
    return false;
  At = callerOf(wantedLocation(At, Wanted));
  if (!At)
    return false;
  StringRef File = At->getFilename(), Directory = At->getDirectory();
  *Out = {File.data(), Directory.data(), "", File.size(), Directory.size(), 0, At->getLine(), At->getColumn(), 0};
  return true;
}

extern "C" bool lostbits_subprogram_location(LLVMValueRef F, SourceLocation *Out) {
  const DISubprogram *At = unwrap<Function>(F)->getSubprogram();
  if (!At)
    return false;
  StringRef File = At->getFilename(), Directory = At->getDirectory();
  StringRef Name = At->getLinkageName().empty() ? At->getName() : At->getLinkageName();
  *Out = {File.data(),      Directory.data(), Name.data(),   File.size(),
          Directory.size(), Name.size(),      At->getLine(), 0, 0};
  return true;
}
