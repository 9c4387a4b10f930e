// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/InstrumentationCache.h"
#include "analysis/UnhookedCode.h"
#include "codeobject/CodeObject.h"
#include "codeobject/ResourceGrowth.h"
#include "lift/Lifter.h"
#include "rewrite/Instrumenter.h"
#include "runtime/Costs.h"
#include "runtime/FaultText.h"
#include "runtime/Log.h"
#include "runtime/Settings.h"
#include "runtime/State.h"
#include "runtime/Timings.h"
#include "runtime/Verification.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;

namespace luthier::runtime {
namespace {

/// The linker that finishes a kernel runs in this process and keeps its state
/// in globals, so one kernel is built at a time. Tools run outside. Recursive:
/// when the compiler ends the program, exit handlers come here again.
std::recursive_mutex EngineLock;

/// Zero for a processor of which nothing is known.
unsigned wavesPerSIMD(const TargetID &Target, const KernelInfo &Kernel) {
  const RegisterFileTraits *Traits = registerFileTraits(Target.Processor);
  return Traits ? Kernel.Descriptor.wavesPerSIMD(*Traits) : 0;
}

} // namespace

std::recursive_mutex &engineLock() { return EngineLock; }

/// Workgroups that share a compute unit: as far as registers go, and memory.
static uint64_t groupsByRegisters(const hsa_kernel_dispatch_packet_t &Packet,
                                  const Redirection &Target, unsigned Waves) {
  const uint64_t Items = uint64_t(Packet.workgroup_size_x) *
                         Packet.workgroup_size_y * Packet.workgroup_size_z;
  return uint64_t(Waves) * Target.SIMDsPerCU /
         std::max<uint64_t>(divideCeil(Items, Target.WaveSize), 1);
}
static uint64_t groupsByMemory(uint64_t Bytes, const Redirection &Target) {
  return Target.GroupSegmentLimit /
         std::max<uint64_t>(alignTo(Bytes, Target.GroupSegmentGranule), 1);
}

Error checkFitsCooperatively(const hsa_kernel_dispatch_packet_t &Packet,
                             const Redirection &Target) {
  constexpr const char *Why =
      "a cooperative launch needs all its groups on the device at once; "
      "instrumented, ";
  if (Target.WavesAfter < Target.WavesBefore)
    return refuse(RefusalReason::RegisterBudget,
                  Why + Twine(Target.WavesAfter) +
                      " waves fit on a SIMD, not " + Twine(Target.WavesBefore));
  const uint64_t Own = Packet.group_segment_size,
                 Before = std::min(
                     groupsByMemory(Own, Target),
                     groupsByRegisters(Packet, Target, Target.WavesBefore)),
                 After = groupsByMemory(alignTo(Own, GroupSegmentAlignment) +
                                            Target.ExtraGroupSegment,
                                        Target);
  if (Target.ExtraGroupSegment && After < Before)
    return refuse(RefusalReason::SharedMemory,
                  Why + Twine(After) +
                      " groups share the memory of a compute unit, not " +
                      Twine(Before));
  return Error::success();
}

Error redirect(hsa_kernel_dispatch_packet_t &Packet, const Redirection &Target,
               void *Arguments) {
  if (Target.ExtraGroupSegment) {
    const uint64_t Size = alignTo(uint64_t(Packet.group_segment_size), 16) +
                          Target.ExtraGroupSegment;
    if (Size > Target.GroupSegmentLimit)
      return refuse(RefusalReason::SharedMemory,
                    "the kernel uses " + Twine(Packet.group_segment_size) +
                        " bytes, the hooks " + Twine(Target.ExtraGroupSegment) +
                        ", and there are " + Twine(Target.GroupSegmentLimit));
    Packet.group_segment_size = Size;
  }
  Packet.kernel_object = Target.KernelObject;
  if (Packet.kernarg_address != Arguments) {
    Packet.kernarg_address = Arguments;
    // Memory that other arguments were in before, which caches may still hold.
    constexpr unsigned Scope = HSA_PACKET_HEADER_SCACQUIRE_FENCE_SCOPE,
                       Width = HSA_PACKET_HEADER_WIDTH_SCACQUIRE_FENCE_SCOPE;
    Packet.header &= ~(((1u << Width) - 1) << Scope);
    Packet.header |= HSA_FENCE_SCOPE_SYSTEM << Scope;
  }
  // The application may ask for more than the kernel itself needs.
  Packet.private_segment_size =
      std::max(Packet.private_segment_size, Target.PrivateSegmentSize);
  return Error::success();
}

/// Our stack lies above the application's, at a place fixed in the code. Only
/// where a kernel's own need is unknown does what the packet gives matter;
/// rounded, so that a stack that grows does not mean a version per dispatch.
InstrumentationCache::VersionKey
InstrumentationCache::Kernel::key(const PresetKey &Preset,
                                  const LaunchSizes &Sizes) const {
  return {Preset,
          DynamicStack && Sizes.PrivateSegment
              ? static_cast<uint32_t>(PowerOf2Ceil(Sizes.PrivateSegment))
              : 0};
}

std::shared_ptr<InstrumentationCache::Version>
InstrumentationCache::Kernel::find(const PresetKey &Preset,
                                   const LaunchSizes &Sizes) const {
  auto It = Versions.find(key(Preset, Sizes));
  // What was made without a dispatch has no stack of ours, and is right for
  // all; or it was refused, and that says why.
  if (It == Versions.end())
    It = Versions.find({Preset, 0});
  return It == Versions.end() ? nullptr : It->second;
}

std::shared_ptr<InstrumentationCache::Kernel>
InstrumentationCache::kernel(uint64_t KernelObject) {
  std::lock_guard Guard(Lock);
  std::shared_ptr<Kernel> &Entry = Kernels[KernelObject];
  if (!Entry)
    Entry = std::make_shared<Kernel>();
  return Entry;
}

Expected<const LiftedRepresentation &>
InstrumentationCache::lift(const hsa::LoadedCodeObjectKernel &Loaded) {
  std::shared_ptr<Kernel> Entry = kernel(Loaded.kernelObject());
  std::lock_guard Guard(Entry->Busy);
  if (Entry->Failure)
    return Entry->Failure->error();
  if (!Entry->Lifted) {
    std::lock_guard EngineGuard(EngineLock);
    Stopwatch Watch;
    auto Lifted = liftKernel(Loaded.sharedCodeObject(), Loaded.info());
    if (!Lifted) {
      Entry->Failure.emplace(Lifted.takeError());
      return Entry->Failure->error();
    }
    Entry->Lifted = std::move(*Lifted);
    Entry->LiftTime = Watch.lap();
  }
  return *Entry->Lifted;
}

Error InstrumentationCache::instrument(
    const hsa::LoadedCodeObjectKernel &Loaded,
    const LiftedRepresentation &Lifted, Mutator Mutate, const PresetKey &Preset,
    const LaunchSizes &Sizes) {
  std::shared_ptr<Kernel> Entry = kernel(Loaded.kernelObject());
  std::shared_ptr<Version> Result;
  VersionKey Key;
  {
    std::lock_guard Guard(Lock);
    Entry->DynamicStack = Loaded.info().Descriptor.usesDynamicStack() ||
                          Loaded.info().Metadata.UsesDynamicStack;
    Key = Entry->key(Preset, Sizes);
    std::shared_ptr<Version> &Slot = Entry->Versions[Key];
    if (!Slot)
      Slot = std::make_shared<Version>();
    Result = Slot;
  }
  std::lock_guard Guard(Result->Busy);
  if (!Result->Done) {
    if (Error E = make(Loaded, Lifted, Mutate, Key, *Entry, *Result))
      Result->Failure.emplace(std::move(E));
    Result->Done = true;
  }
  return Result->Failure ? Result->Failure->error() : Error::success();
}

Error InstrumentationCache::make(const hsa::LoadedCodeObjectKernel &Loaded,
                                 const LiftedRepresentation &Lifted,
                                 Mutator Mutate, const VersionKey &Key,
                                 Kernel &Entry, Version &Result) {
  Stopwatch Total, Watch;
  RuntimeTimes Times;
  std::unique_ptr<LiftedRepresentation> Copy;
  {
    std::lock_guard Guard(Entry.Busy);
    std::lock_guard EngineGuard(EngineLock);
    auto Clone = cloneLifted(Lifted);
    if (!Clone)
      return Clone.takeError();
    Copy = std::move(*Clone);
    Times.Lift = Entry.LiftTime;
  }
  Times.Copy = Watch.lap();

  InstrumentationTask Task;
  if (Error E = Mutate(Task, *Copy))
    return E;
  Times.Mutate = Watch.lap();

  auto Resolve = [&](const void *Handle) {
    return state().Modules.resolve(Handle, Loaded.agent());
  };
  Expected<InstrumentedKernel> Built = [&] {
    std::lock_guard Guard(EngineLock);
    InstrumenterOptions Options = settings();
    Options.ApplicationStack = Key.Stack;
    Options.LoadBias = Loaded.loadBias();
    return instrumentKernel(*Copy, Task, Resolve, Options);
  }();
  if (!Built)
    return Built.takeError();
  Watch.lap();

  auto Parsed = CodeObject::create(Built->CodeObject);
  if (!Parsed)
    return Parsed.takeError();
  const KernelInfo *Info = (*Parsed)->findKernel(Loaded.name());
  if (!Info)
    return refuse(RefusalReason::LinkFailed,
                  "the instrumented code object has no kernel " +
                      Loaded.name());
  const TargetID &Processor = (*Parsed)->target();
  const RegisterFileTraits *Traits = registerFileTraits(Processor.Processor);
  Redirection Target;
  Target.PrivateSegmentSize = Built->PrivateSegmentSize;
  Target.ExtraGroupSegment = Built->ExtraGroupSegment;
  Target.Kernarg = Built->Kernarg;
  Target.StaticGroupSegment =
      Loaded.info().Descriptor.raw().group_segment_fixed_size;
  Target.GroupSegmentLimit = Traits ? Traits->LDSBytes : 0;
  Target.WavesBefore = wavesPerSIMD(Processor, Loaded.info());
  Target.WavesAfter = wavesPerSIMD(Processor, *Info);
  Target.WaveSize = Info->Descriptor.usesWave32() ? 32 : 64;
  if (Traits) {
    Target.SIMDsPerCU = Traits->SIMDsPerCU;
    Target.GroupSegmentGranule = Traits->LDSGranule;
  }

  auto Executable =
      OwnExecutable::load(std::move(Built->CodeObject), Loaded.agent());
  if (!Executable)
    return refuse(RefusalReason::LinkFailed, toString(Executable.takeError()));
  Expected<uint64_t> Object = (*Executable)->kernelObject(Loaded.name());
  if (!Object)
    return refuse(RefusalReason::LinkFailed, toString(Object.takeError()));
  verifyKernel(Loaded, *Built, *Object,
               *Object + Info->EntryAddress - Info->DescriptorAddress);
  Times.Load = Watch.lap();

  {
    std::lock_guard Guard(Lock);
    if (Entry.Dropped)
      return createStringError("the application has unloaded kernel " +
                               Loaded.name());
    Result.Executable = std::move(*Executable);
    Target.KernelObject = *Object;
    Result.Target = Target;
    Result.Entry = *Object + Info->EntryAddress - Info->DescriptorAddress;
    Result.CodeSize = Info->CodeSize;
    Result.Map = std::move(Built->Map);
    Result.Original = Loaded.sharedCodeObject();
    Result.Info = &Loaded.info();
    Result.Instrumented = std::move(*Parsed);
    ++Instrumented[*Object];
  }
  if (std::string Text = describeUnhookedCode(*Copy); !Text.empty())
    logWarning("kernel " + Loaded.name() + " " + Text);
  Times.Total = Total.lap() + Times.Lift;
  recordTimings(Loaded.name(), Key.Preset.Name, Built->Report, Times);
  recordCosts(Loaded.name(), Key.Preset.Name, Built->Report);
  logDebug("instrumented " + Loaded.name() + " at " +
           Twine(Built->Report.Points) + " points");
  return Error::success();
}

Expected<Redirection> InstrumentationCache::find(uint64_t KernelObject,
                                                 const PresetKey &Preset,
                                                 const LaunchSizes &Sizes) {
  std::shared_ptr<Version> Found;
  {
    std::lock_guard Guard(Lock);
    if (auto Entry = Kernels.find(KernelObject); Entry != Kernels.end())
      Found = Entry->second->find(Preset, Sizes);
  }
  if (!Found)
    return createStringError("the kernel has no preset \"" + Preset.Name +
                             "\": instrumentAndLoad() makes it");
  std::lock_guard Guard(Found->Busy);
  if (Found->Failure)
    return Found->Failure->error();
  return Found->Target;
}

bool InstrumentationCache::isInstrumented(uint64_t KernelObject) {
  std::lock_guard Guard(Lock);
  return Instrumented.count(KernelObject);
}

std::string InstrumentationCache::explain(uint64_t PC) {
  std::lock_guard Guard(Lock);
  for (auto &[Object, Entry] : Kernels)
    for (auto &[Key, V] : Entry->Versions)
      if (PC - V->Entry < V->CodeSize)
        return describeFault(*V->Original, *V->Info, *V->Instrumented, V->Map,
                             PC - V->Entry);
  return "";
}

void InstrumentationCache::drop(const AddressRange &Range) {
  // Destroyed after the lock is released: that calls the GPU runtime.
  std::vector<std::shared_ptr<Kernel>> Dropped;
  std::lock_guard Guard(Lock);
  auto Begin = Kernels.lower_bound(Range.Begin);
  auto End = Kernels.lower_bound(Range.End);
  for (auto It = Begin; It != End; ++It) {
    It->second->Dropped = true;
    for (auto &[Preset, Made] : It->second->Versions) {
      Instrumented.erase(Made->Target.KernelObject);
      forgetVerified(Made->Target.KernelObject);
    }
    Dropped.push_back(std::move(It->second));
  }
  Kernels.erase(Begin, End);
}

void InstrumentationCache::clear() { drop({0, UINT64_MAX}); }

} // namespace luthier::runtime
