// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "offline/FileInstrumentation.h"
#include "analysis/UnhookedCode.h"
#include "codeobject/CodeObjectExtender.h"
#include "hook/HookCompilers.h"
#include "lift/LiftedImpl.h"
#include "lift/Lifter.h"
#include "luthier/Refusal.h"
#include "offline/ToolVariables.h"
#include "rewrite/Instrumenter.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/CodeGen/MachineFunction.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;

namespace luthier {
namespace {

using offline::Kernel;

/// COMPUTE_PGM holds the entry's address without its low eight bits.
constexpr uint64_t EntryAlignment = 256;
/// Hardware fetches ahead, and what it fetches must be there.
constexpr uint64_t PrefetchBytes = 1024;

class FileInstrumentation {
public:
  FileInstrumentation(std::shared_ptr<const CodeObject> Object,
                      const offline::LoadedTools &Tools,
                      const InstrumenterOptions &Options)
      : Object(std::move(Object)), Tools(Tools), Options(Options) {}

  /// The first of \p Names is the one that it is listed under.
  Kernel instrument(ArrayRef<const KernelInfo *> Names);
  offline::Result finish(std::vector<Kernel> Kernels);

private:
  Error tryInstrument(ArrayRef<const KernelInfo *> Names, Kernel &Result);
  void add(ArrayRef<const KernelInfo *> Names, const OfflineImage &Image);
  Error extend(offline::Result &Result);
  void relocateAddresses();

  std::shared_ptr<const CodeObject> Object;
  const offline::LoadedTools &Tools;
  const InstrumenterOptions &Options;
  HookCompilers Compilers;
  CodeObjectExtension New;
  struct Pending {
    uint64_t Address;
    PlacedFixup Fixup;
  };
  std::vector<Pending> Fixups;
  std::vector<OriginalAddress> Addresses; ///< Offsets in New.Code.
};

std::string reasonOf(Error E) {
  std::string Text;
  handleAllErrors(
      std::move(E),
      [&](const Refusal &R) {
        Text = (toString(R.reason()) + ": " + R.detail()).str();
      },
      [&](const ErrorInfoBase &Other) { Text = "error: " + Other.message(); });
  return Text;
}

Kernel FileInstrumentation::instrument(ArrayRef<const KernelInfo *> Names) {
  Kernel Result;
  Result.Name = Names.front()->Name;
  if (Error E = tryInstrument(Names, Result))
    Result.Unchanged = reasonOf(std::move(E));
  return Result;
}

Error FileInstrumentation::tryInstrument(ArrayRef<const KernelInfo *> Names,
                                         Kernel &Result) {
  Expected<std::unique_ptr<LiftedRepresentation>> LR =
      liftKernel(Object, *Names.front());
  if (!LR)
    return LR.takeError();
  InstrumentationTask Task;
  if (Error E = Tools.Instrument(**LR, Task))
    return E;
  // Then it does not matter whether the kernel could be instrumented.
  if (detail::contentsOf(Task).isEmpty() && !isEdited(**LR)) {
    Result.Unchanged = "the tool puts nothing into it";
    return Error::success();
  }
  New.Code.resize(alignTo(New.Code.size(), EntryAlignment));
  InstrumenterOptions Placed = Options;
  Placed.Offline = true;
  Placed.OriginalWillDo = true;
  Placed.Compilers = &Compilers;
  Placed.LinkedAt = codeAddress(*Object) + New.Code.size();
  auto Resolve = [&](const void *Handle) {
    return Tools.Resolve(Handle, Object->target());
  };
  Expected<InstrumentedKernel> Built =
      instrumentKernel(**LR, Task, Resolve, Placed);
  if (!Built)
    return Built.takeError();
  if (Built->IsOriginal) {
    Result.Unchanged = "the tool puts nothing into it";
    return Error::success();
  }
  Result.Points = Built->Report.Points;
  Result.Unhooked = describeUnhookedCode(**LR);
  for (const PCPair &Pair : Built->Map)
    Result.Map.push_back({Placed.LinkedAt + Pair.Offset, Pair.Original});
  for (const PlacedHook &Hook : Built->Hooks)
    Result.Hooks.push_back({Hook.Original, Hook.Name});
  add(Names, *Built->Image);
  return Error::success();
}

void FileInstrumentation::add(ArrayRef<const KernelInfo *> Names,
                              const OfflineImage &Image) {
  const uint64_t Offset = New.Code.size(),
                 Address = codeAddress(*Object) + Offset;
  New.Code.insert(New.Code.end(), Image.Code.begin(), Image.Code.end());
  for (const KernelInfo *Info : Names) {
    CodeObjectExtension::Kernel K{Image.Descriptor, Image.Metadata, Address,
                                  Image.Code.size()};
    if (Info == Names.front())
      K.Lines = Image.Lines;
    New.Kernels.try_emplace(Info->Name, std::move(K));
  }
  for (const PlacedFixup &F : Image.Fixups)
    Fixups.push_back({Address + F.Offset, F});
  for (const OriginalAddress &A : Image.Addresses)
    Addresses.push_back({Offset + A.Offset, A.IsHigh, A.Address});
}

/// By their distance from a symbol that every loader knows.
void FileInstrumentation::relocateAddresses() {
  using Relocation = CodeObjectExtension::Relocation;
  const KernelInfo &Known = Object->kernels().front();
  for (const OriginalAddress &A : Addresses)
    New.Relocations.push_back(
        {codeAddress(*Object) + A.Offset,
         A.IsHigh ? Relocation::Absolute32Hi : Relocation::Absolute32Lo,
         Known.Name + ".kd", int64_t(A.Address - Known.DescriptorAddress)});
}

offline::Result FileInstrumentation::finish(std::vector<Kernel> Kernels) {
  offline::Result Result;
  Error Failed = New.Kernels.empty() ? Error::success() : extend(Result);
  if (Failed) {
    const std::string Reason = reasonOf(std::move(Failed));
    Result = {};
    for (Kernel &K : Kernels)
      if (K.Unchanged.empty() && K.SameAs.empty()) {
        Kernel Left;
        Left.Name = std::move(K.Name);
        Left.Unchanged = Reason;
        K = std::move(Left);
      }
  }
  if (Result.CodeObject.empty())
    Result.CodeObject = Result.Uninstrumented = Object->bytes().vec();
  Result.Kernels = std::move(Kernels);
  return Result;
}

Error FileInstrumentation::extend(offline::Result &Result) {
  // Of zeros, which is an instruction on every target.
  New.Code.resize(New.Code.size() + PrefetchBytes);
  offline::ToolCode Modules;
  StringSet<> Used;
  for (const Pending &P : Fixups) {
    const std::pair Code(Tools.CodeOf(*P.Fixup.Module),
                         P.Fixup.Module->ToolName);
    if (!is_contained(Modules, Code))
      Modules.push_back(Code);
    Used.insert(P.Fixup.Variable);
  }
  Expected<offline::VariableNames> Names =
      offline::addVariables(Modules, Used, *Object, New);
  if (!Names)
    return Names.takeError();
  for (const Pending &P : Fixups)
    New.Relocations.push_back(
        {P.Address,
         P.Fixup.Kind == Fixup::Abs32Lo
             ? CodeObjectExtension::Relocation::Absolute32Lo
             : CodeObjectExtension::Relocation::Absolute32Hi,
         Names->nameOf(Tools.CodeOf(*P.Fixup.Module), P.Fixup.Variable),
         P.Fixup.Addend});
  relocateAddresses();
  for (const CodeObjectExtension::Variable &V : New.Variables)
    Result.Variables.push_back({V.Address, V.Size});

  auto Bytes = extendCodeObject(*Object, New);
  if (!Bytes)
    return Bytes.takeError();
  Result.CodeObject = std::move(*Bytes);
  // The same file, whose descriptors are the original's.
  Result.Uninstrumented = Result.CodeObject;
  for (const auto &Entry : New.Kernels) {
    const KernelInfo *Info = Object->findKernel(Entry.first());
    auto Old = Object->contents(Info->DescriptorAddress,
                                sizeof(amdhsa::kernel_descriptor_t));
    if (!Old)
      return Old.takeError();
    copy(*Old, Result.Uninstrumented.begin() +
                   (Old->data() - Object->bytes().data()));
  }
  return Error::success();
}

using KernelNames = SmallVector<const KernelInfo *, 1>;

/// In order of their first names.
SmallVector<KernelNames> kernelsOf(const class CodeObject &Object) {
  MapVector<uint64_t, KernelNames> Kernels;
  for (const KernelInfo &Info : Object.kernels())
    Kernels[Info.DescriptorAddress].push_back(&Info);
  return to_vector(make_second_range(Kernels));
}

/// Assembly can give one descriptor several names. To the front, the one to say
/// all about: that knows its metadata, or else that was asked for.
void sortNames(KernelNames &Names, function_ref<bool(StringRef)> IsWanted) {
  auto Rank = [&](const KernelInfo *Info) {
    // Which compilers never leave out. The name makes it a strict order.
    return std::tuple(Info->Metadata.KernargSegmentAlign == 0,
                      !IsWanted(Info->Name), StringRef(Info->Name));
  };
  llvm::sort(Names, [&](const KernelInfo *A, const KernelInfo *B) {
    return Rank(A) < Rank(B);
  });
}

} // namespace

Expected<offline::Result> offline::instrumentFile(
    ArrayRef<uint8_t> Bytes, function_ref<bool(StringRef)> IsWanted,
    const LoadedTools &Tools, const InstrumenterOptions &Options) {
  Expected<std::unique_ptr<class CodeObject>> Read =
      luthier::CodeObject::create(Bytes);
  if (!Read)
    return Read.takeError();
  std::shared_ptr<const class CodeObject> Object = std::move(*Read);
  FileInstrumentation Work(Object, Tools, Options);
  std::vector<Kernel> Kernels;
  for (KernelNames &Names : kernelsOf(*Object)) {
    if (none_of(Names, [&](auto *Info) { return IsWanted(Info->Name); }))
      continue;
    sortNames(Names, IsWanted);
    Kernels.push_back(Work.instrument(Names));
    for (const KernelInfo *Other : ArrayRef(Names).drop_front()) {
      Kernels.emplace_back().Name = Other->Name;
      Kernels.back().SameAs = Names.front()->Name;
    }
  }
  return Work.finish(std::move(Kernels));
}

} // namespace luthier
