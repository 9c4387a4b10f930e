// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/VersionCache.h"
#include "analysis/UnhookedCode.h"
#include "codeobject/CodeObject.h"
#include "codeobject/ResourceGrowth.h"
#include "lift/LiftedImpl.h"
#include "lift/Lifter.h"
#include "luthier/Refusal.h"
#include "rewrite/Instrumenter.h"
#include "rewrite/Stopwatch.h"
#include "runtime/Costs.h"
#include "runtime/EngineThread.h"
#include "runtime/FaultText.h"
#include "runtime/KernelAccess.h"
#include "runtime/Log.h"
#include "runtime/PayloadCache.h"
#include "runtime/Settings.h"
#include "runtime/Timings.h"
#include "runtime/Verification.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;

namespace luthier::runtime {
/// Zero for a processor of which nothing is known.
static unsigned wavesPerSIMD(const RegisterFileTraits *Traits,
                             const KernelInfo &Kernel) {
  return Traits ? Kernel.Descriptor.wavesPerSIMD(*Traits) : 0;
}

static Error noSuchPreset(const std::string &Name) {
  return createStringError("the kernel has no preset \"" + Name +
                           "\": instrumentAndLoad() makes it");
}

/// Our stack lies above the application's, at a place fixed in the code. Only
/// where a kernel's own need is unknown does what the packet gives matter;
/// rounded, so that a stack that grows does not mean a version per dispatch.
VersionCache::VersionKey
VersionCache::Kernel::key(const PresetSet &Presets,
                          const LaunchSizes &Sizes) const {
  return {Presets,
          DynamicStack && Sizes.PrivateSegment
              ? static_cast<uint32_t>(PowerOf2Ceil(Sizes.PrivateSegment))
              : 0};
}

void VersionCache::Kernel::noteGone(const PresetKey &Preset) {
  // Needed by launches that are on their way. A tool may have a preset, and a
  // module, for each launch.
  constexpr size_t Most = 256;
  if (Gone.size() >= Most)
    Gone.erase(Gone.begin());
  Gone.push_back(Preset);
}

std::shared_ptr<VersionCache::Version>
VersionCache::Kernel::find(const PresetSet &Presets,
                           const LaunchSizes &Sizes) const {
  auto It = Versions.find(key(Presets, Sizes));
  // What was made without a dispatch has no stack of ours, and is right for
  // all; or it was refused, and that says why.
  if (It == Versions.end())
    It = Versions.find({Presets, 0});
  return It == Versions.end() ? nullptr : It->second;
}

std::shared_ptr<VersionCache::Kernel>
VersionCache::kernel(uint64_t KernelObject) {
  std::lock_guard Guard(Lock);
  std::shared_ptr<Kernel> &Entry = Kernels[KernelObject];
  if (!Entry)
    Entry = std::make_shared<Kernel>();
  return Entry;
}

static Expected<std::unique_ptr<LiftedRepresentation>>
liftInEngine(const hsa::LoadedCodeObjectKernel &Loaded) {
  std::optional<Expected<std::unique_ptr<LiftedRepresentation>>> Result;
  engineThread().run([&] {
    Result.emplace(liftKernel(KernelAccess::codeObject(Loaded),
                              KernelAccess::info(Loaded)));
  });
  return std::move(*Result);
}

/// Measured: LLVM's description of a function alone takes 200 KiB.
static uint64_t bytesOfLift(const LiftedRepresentation &LR) {
  constexpr uint64_t EachFunction = 200 << 10, EachInstruction = 1 << 10;
  uint64_t Bytes = 0;
  for (const auto &[Symbol, MF] : LR.functions())
    Bytes += EachFunction + EachInstruction * MF->getInstructionCount();
  return Bytes;
}

VersionCache::Forgotten
VersionCache::noteLifted(const std::shared_ptr<Kernel> &Entry, uint64_t Bytes) {
  Forgotten Result;
  erase_if(Recent, [&](const RecentLift &R) {
    const bool IsGone = R.Of.expired();
    RecentBytes -= IsGone ? R.Bytes : 0;
    return IsGone;
  });
  Recent.push_back({Entry, Bytes});
  RecentBytes += Bytes;
  while (RecentBytes > LimitOfLifted && Recent.size() > 1) {
    if (auto Oldest = Recent.front().Of.lock()) {
      if (!Oldest->LiftedStays)
        Result.push_back(std::move(Oldest->Lifted));
      // Its code may be unloaded at this moment.
      Result.push_back(std::move(Oldest));
    }
    RecentBytes -= Recent.front().Bytes;
    Recent.pop_front();
  }
  return Result;
}

Expected<VersionCache::SharedLift>
VersionCache::lift(const hsa::LoadedCodeObjectKernel &Loaded, bool Stays) {
  std::shared_ptr<Kernel> Entry = kernel(Loaded.kernelObject());
  std::lock_guard OneAtATime(Entry->Busy);
  if (Entry->Failure)
    return Entry->Failure->error();
  {
    std::lock_guard Guard(Lock);
    Entry->LiftedStays |= Stays;
    if (Entry->Lifted)
      return Entry->Lifted;
  }
  auto Lifted = liftInEngine(Loaded);
  if (!Lifted) {
    Entry->Failure.emplace(Lifted.takeError());
    return Entry->Failure->error();
  }
  const SharedLift Result = std::move(*Lifted);
  const uint64_t Bytes = bytesOfLift(*Result);
  Forgotten Others;
  std::lock_guard Guard(Lock);
  Entry->Lifted = Result;
  Others = noteLifted(Entry, Bytes);
  return Result;
}

Error VersionCache::instrument(const hsa::LoadedCodeObjectKernel &Loaded,
                               Mutator Mutate, const PresetKey &Preset,
                               const LaunchSizes &Sizes,
                               const PresetSet &Beside) {
  std::shared_ptr<Kernel> Entry = kernel(Loaded.kernelObject());
  std::shared_ptr<Version> Result;
  VersionKey Key;
  const bool CanMake = Mutate || recipe(*Entry, Preset);
  {
    std::lock_guard Guard(Lock);
    const KernelInfo &Info = KernelAccess::info(Loaded);
    Entry->DynamicStack =
        Info.Descriptor.usesDynamicStack() || Info.Metadata.UsesDynamicStack;
    Key = Entry->key(Beside.with(Preset), Sizes);
    // Made before there was a second tool, it may have no recipe.
    if (!CanMake && !Entry->Versions.count(Key))
      return noSuchPreset(Preset.Name);
    std::shared_ptr<Version> &Slot = Entry->Versions[Key];
    if (!Slot)
      Slot = std::make_shared<Version>();
    Result = Slot;
  }
  std::lock_guard Guard(Result->Busy);
  if (!Result->Done) {
    if (Error E = make(Loaded, Mutate, Preset, Key, *Entry, *Result)) {
      if (E.isA<UnloadedHook>())
        Result->IsDropped = true;
      Result->Failure.emplace(std::move(E));
    }
    Result->Done = true;
    // Not the next time, when the tool knows of it.
    if (Result->IsDropped) {
      const bool IsOwn = isGone(Loaded, Preset);
      std::lock_guard Guard(Lock);
      std::erase_if(Entry->Versions,
                    [&](const auto &Each) { return Each.second == Result; });
      if (IsOwn && Entry->Recipes.erase(Preset))
        Entry->noteGone(Preset);
    }
  }
  return Result->Failure ? Result->Failure->error() : Error::success();
}

bool VersionCache::isGone(const hsa::LoadedCodeObjectKernel &Loaded,
                          const PresetKey &Preset) {
  std::shared_ptr<Kernel> Entry = kernel(Loaded.kernelObject());
  {
    std::lock_guard Guard(Lock);
    if (is_contained(Entry->Gone, Preset))
      return true;
  }
  auto isUnloaded = [&](const void *Hook) {
    Expected<ResolvedHook> Found = Resolve(Hook, Loaded.agent());
    if (Found)
      return false;
    Error E = Found.takeError();
    const bool Result = E.isA<UnloadedHook>();
    consumeError(std::move(E));
    return Result;
  };
  std::shared_ptr<const TaskRecipe> Known = recipe(*Entry, Preset);
  return Known && Known->hasHook(isUnloaded);
}

std::shared_ptr<const TaskRecipe>
VersionCache::recipe(Kernel &Entry, const PresetKey &Preset) {
  std::lock_guard Guard(Lock);
  auto Known = Entry.Recipes.find(Preset);
  return Known == Entry.Recipes.end() ? nullptr : Known->second;
}

Error VersionCache::ask(Mutator Mutate, const PresetKey &Preset, Kernel &Entry,
                        InstrumentationTask &Task, LiftedRepresentation &LR) {
  if (std::shared_ptr<const TaskRecipe> Known = recipe(Entry, Preset);
      Known && (Known->isRepeatable() || !Mutate))
    return Known->addTo(Task, LR);
  if (Error E = Mutate(Task, LR))
    return E;
  // A second tool may come at any time, and nobody is asked twice; but what
  // asks for so much takes more memory than the kernel.
  constexpr size_t MostAlone = 16384;
  if (!(HasSeveralTools && HasSeveralTools()) &&
      detail::contentsOf(Task).Insertions.size() > MostAlone)
    return Error::success();
  auto New = std::make_shared<const TaskRecipe>(TaskRecipe::of(Task, LR));
  std::lock_guard Guard(Lock);
  std::erase(Entry.Gone, Preset);
  Entry.Recipes.try_emplace(Preset, std::move(New));
  return Error::success();
}

Expected<InstrumentationTask> VersionCache::join(const PresetSet &Presets,
                                                 const PresetKey &Preset,
                                                 const InstrumentationTask &Own,
                                                 Kernel &Entry,
                                                 LiftedRepresentation &LR) {
  if (isEdited(LR))
    return refuse(RefusalReason::UnsupportedEdit,
                  "the tool changes the kernel's code");
  const TaskRecipe OwnRecipe = TaskRecipe::of(Own, LR);
  InstrumentationTask Result;
  for (const PresetKey &Key : Presets.Keys) {
    std::shared_ptr<const TaskRecipe> Known;
    if (Key != Preset && !(Known = recipe(Entry, Key)))
      return noSuchPreset(Key.Name);
    auto &Insertions = detail::contentsOf(Result).Insertions;
    const size_t First = Insertions.size();
    if (Error E = (Known ? *Known : OwnRecipe).addTo(Result, LR))
      return std::move(E);
    for (auto &Request : drop_begin(Insertions, First))
      Request.Tool = &Key - Presets.Keys.data();
  }
  return Result;
}

Error VersionCache::make(const hsa::LoadedCodeObjectKernel &Loaded,
                         Mutator Mutate, const PresetKey &Preset,
                         const VersionKey &Key, Kernel &Entry,
                         Version &Result) {
  Stopwatch Total, Watch;
  RuntimeTimes Times;
  const bool IsAlone = Key.Presets.Keys.size() == 1;
  // The tool's own to edit; lift() may have been asked for another.
  auto LR = liftInEngine(Loaded);
  if (!LR)
    return LR.takeError();
  Times.Lift = Watch.lap();

  InstrumentationTask Task;
  if (Error E = ask(Mutate, Preset, Entry, Task, **LR))
    return E;
  Times.Mutate = Watch.lap();

  if (detail::contentsOf(Task).isEmpty() && !isEdited(**LR)) {
    if (IsAlone)
      keepOriginal(Loaded);
    return Error::success();
  }
  if (!IsAlone) {
    auto Joined = join(Key.Presets, Preset, Task, Entry, **LR);
    if (!Joined)
      return Joined.takeError();
    Task = std::move(*Joined);
  }
  Owners Uses;
  Expected<InstrumentedKernel> Built = build(Loaded, **LR, Task, Key, Uses);
  // Whatever has come of it.
  own(std::move(Uses), Result);
  if (!Built)
    return Built.takeError();
  Watch.lap();
  const InstrumentationReport Report = Built->Report;
  const bool IsOriginal = Built->IsOriginal;
  if (IsOriginal)
    keepOriginal(Loaded);
  else if (Error E = load(Loaded, std::move(*Built), Entry, Result))
    return E;
  Times.Load = Watch.lap();
  Times.Total = Total.lap();

  const std::string Presets = Key.Presets.text();
  recordTimings(Loaded.name(), Presets, Report, Times);
  recordCosts(Loaded.name(), Presets, Report);
  if (IsOriginal)
    return Error::success();
  if (std::string Text = describeUnhookedCode(**LR); !Text.empty())
    logWarning("kernel " + Loaded.name() + " " + Text);
  logDebug("instrumented " + Loaded.name() + " at " + Twine(Report.Points) +
           " points");
  return Error::success();
}

Expected<InstrumentedKernel>
VersionCache::build(const hsa::LoadedCodeObjectKernel &Loaded,
                    LiftedRepresentation &LR, const InstrumentationTask &Task,
                    const VersionKey &Key, Owners &Uses) {
  InstrumenterOptions Options = settings();
  Options.ApplicationStack = Key.Stack;
  Options.LoadBias = KernelAccess::loadBias(Loaded);
  Options.OriginalWillDo = true;
  Options.Compilers = &Compilers;
  Options.Payloads = payloadCache();
  auto ResolveHere = [&](const void *Handle) -> Expected<HookReference> {
    Expected<ResolvedHook> Hook = Resolve(Handle, Loaded.agent());
    if (!Hook)
      return Hook.takeError();
    if (Hook->Owner && !is_contained(Uses, Hook->Owner))
      Uses.push_back(Hook->Owner);
    return *Hook;
  };
  std::optional<Expected<InstrumentedKernel>> Result;
  engineThread().run([&] {
    Result.emplace(instrumentKernel(LR, Task, ResolveHere, Options));
  });
  return std::move(*Result);
}

/// From here on, dropUsersOf() finds it.
void VersionCache::own(Owners Uses, Version &Result) {
  std::lock_guard Guard(Lock);
  if (any_of(Uses, [](const auto &Owner) { return Owner->IsUnloaded.load(); }))
    Result.IsDropped = true;
  Result.Uses = std::move(Uses);
}

/// Without a target, dispatches keep the original.
void VersionCache::keepOriginal(const hsa::LoadedCodeObjectKernel &Loaded) {
  noteUnchangedKernel(Loaded.name(), "the tool puts nothing into it");
  logDebug("kernel " + Loaded.name() +
           " stays as it is: the tool puts nothing into it");
}

Error VersionCache::load(const hsa::LoadedCodeObjectKernel &Loaded,
                         InstrumentedKernel Built, Kernel &Entry,
                         Version &Result) {
  auto Parsed = CodeObject::create(Built.CodeObject);
  if (!Parsed)
    return Parsed.takeError();
  const KernelInfo *Info = (*Parsed)->findKernel(Loaded.name());
  if (!Info)
    return refuse(RefusalReason::LinkFailed,
                  "the instrumented code object has no kernel " +
                      Loaded.name());
  const KernelInfo &Original = KernelAccess::info(Loaded);
  Redirection Target;
  Target.PrivateSegmentSize = Built.PrivateSegmentSize;
  Target.ExtraGroupSegment = Built.ExtraGroupSegment;
  Target.Kernarg = Built.Kernarg;
  Target.StaticGroupSegment =
      Original.Descriptor.raw().group_segment_fixed_size;
  Target.Traits = registerFileTraits((*Parsed)->target().Processor);
  Target.WavesBefore = wavesPerSIMD(Target.Traits, Original);
  Target.WavesAfter = wavesPerSIMD(Target.Traits, *Info);
  Target.IsWave32 = Info->Descriptor.usesWave32();

  auto Executable =
      OwnExecutable::load(std::move(Built.CodeObject), Loaded.agent());
  if (!Executable)
    return refuse(RefusalReason::LinkFailed, detailOf(Executable.takeError()));
  Expected<uint64_t> Object = (*Executable)->kernelObject(Loaded.name());
  if (!Object)
    return refuse(RefusalReason::LinkFailed, detailOf(Object.takeError()));
  Target.KernelObject = *Object;
  const uint64_t Start = *Object + Info->EntryAddress - Info->DescriptorAddress;
  verifyKernel(Loaded, Built, *Object, Start);

  std::lock_guard Guard(Lock);
  if (Entry.Dropped)
    return createStringError("the application has unloaded kernel " +
                             Loaded.name());
  if (Result.IsDropped)
    return make_error<UnloadedHook>(
        "a module with its hooks was unloaded meanwhile");
  Result.Executable = std::move(*Executable);
  Result.Target = Target;
  Result.Entry = Start;
  Result.CodeSize = Info->CodeSize;
  Result.Map = std::move(Built.Map);
  Result.Original = KernelAccess::codeObject(Loaded);
  Result.Info = &Original;
  ++Instrumented[*Object];
  return Error::success();
}

Expected<Redirection> VersionCache::find(uint64_t KernelObject,
                                         const PresetSet &Presets,
                                         const LaunchSizes &Sizes) {
  std::shared_ptr<Version> Found;
  {
    std::lock_guard Guard(Lock);
    if (auto Entry = Kernels.find(KernelObject); Entry != Kernels.end())
      Found = Entry->second->find(Presets, Sizes);
  }
  if (!Found)
    return noSuchPreset(Presets.text());
  std::lock_guard Guard(Found->Busy);
  if (Found->Failure)
    return Found->Failure->error();
  Redirection Target = Found->Target;
  if (Found->Executable && !Found->Uses.empty())
    Target.Version = Found;
  return Target;
}

bool VersionCache::isInstrumented(uint64_t KernelObject) {
  std::lock_guard Guard(Lock);
  return Instrumented.count(KernelObject);
}

std::string VersionCache::Version::explain(uint64_t Offset) const {
  // Needed here alone, so not kept for each kernel.
  Expected<std::unique_ptr<CodeObject>> Instrumented =
      CodeObject::create(Executable->bytes());
  if (!Instrumented)
    return toString(Instrumented.takeError());
  return describeFault(*Original, *Info, **Instrumented, Map, Offset);
}

std::string VersionCache::explain(uint64_t PC) {
  std::lock_guard Guard(Lock);
  for (auto &[Object, Entry] : Kernels)
    for (auto &[Key, V] : Entry->Versions)
      if (PC - V->Entry < V->CodeSize)
        return V->explain(PC - V->Entry);
  return "";
}

void VersionCache::forget(const Version &Made) {
  Made.IsDropped = true;
  Instrumented.erase(Made.Target.KernelObject);
  forgetVerified(Made.Target.KernelObject);
}

void VersionCache::dropUsersOf(const HookOwner &Owner,
                               function_ref<bool(const void *)> IsOfOwner) {
  auto Uses = [&](const Version &Made) {
    return any_of(Made.Uses,
                  [&](const auto &Each) { return Each.get() == &Owner; });
  };
  // Destroyed after the lock is released: that calls the GPU runtime.
  std::vector<std::shared_ptr<Version>> Dropped;
  std::lock_guard Guard(Lock);
  for (auto &[Object, Entry] : Kernels) {
    for (auto It = Entry->Versions.begin(); It != Entry->Versions.end();) {
      if (!Uses(*It->second)) {
        ++It;
        continue;
      }
      forget(*It->second);
      Dropped.push_back(std::move(It->second));
      It = Entry->Versions.erase(It);
    }
    std::erase_if(Entry->Recipes, [&](const auto &Known) {
      const bool IsGone = Known.second->hasHook(IsOfOwner);
      if (IsGone)
        Entry->noteGone(Known.first);
      return IsGone;
    });
  }
}

void VersionCache::keep(HeldVersion Version) {
  std::lock_guard Guard(Lock);
  if (Version && !is_contained(Kept, Version))
    Kept.push_back(std::move(Version));
}

void VersionCache::drop(const AddressRange &Range) {
  // Destroyed after the lock is released: that calls the GPU runtime.
  std::vector<std::shared_ptr<Kernel>> Dropped;
  std::lock_guard Guard(Lock);
  auto Begin = Kernels.lower_bound(Range.Begin);
  auto End = Kernels.lower_bound(Range.End);
  for (auto It = Begin; It != End; ++It) {
    It->second->Dropped = true;
    for (auto &[Preset, Made] : It->second->Versions)
      forget(*Made);
    Dropped.push_back(std::move(It->second));
  }
  Kernels.erase(Begin, End);
}

void VersionCache::clear() { drop({0, UINT64_MAX}); }

} // namespace luthier::runtime
