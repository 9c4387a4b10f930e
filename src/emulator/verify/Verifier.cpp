// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "emulator/verify/Verifier.h"
#include "emulator/core/GlobalWaveSync.h"
#include "emulator/cp/Clock.h"
#include "emulator/cp/KernelNames.h"
#include "emulator/cp/KernelObject.h"
#include "emulator/cp/Report.h"
#include "emulator/lockstep/Attribution.h"
#include "emulator/memory/Snapshot.h"
#include <algorithm>
#include <fcntl.h>
#include <unistd.h>

namespace luthier::emulator {

/// What is compared, and with which original.
struct Verifier::Judged {
  const hsa_kernel_dispatch_packet_t &Original;
  const Dispatch &Work;
  const KernelObject &Object;
  const Kernel &K;
  const DeviceModel &Model;
  AddressSpace &Memory;
};

/// Two versions of one dispatch, each with its memory.
struct Verifier::Pair {
  Dispatch Old, New, Again;
  GlobalWaveSync OldSync, NewSync, AgainSync;
  /// The last is for the instrumented version once more.
  std::unique_ptr<Snapshot> OldMemory, NewMemory, AgainMemory;
};

struct Verifier::Attempt {
  /// Why there is no result to speak of.
  std::optional<std::string> Unjudged = {}, Differs = {};
  lockstep::Result R = {};
};

void Verifier::addKernel(const luthier_verify_kernel &K) {
  auto New = std::make_shared<Kernel>();
  New->Original = K.original;
  for (size_t N = 0; N != K.map_count; ++N)
    New->ToOriginal[K.map[N].instrumented] = K.map[N].original;
  New->InPlaceBegin = K.in_place_begin;
  New->InPlaceEnd = K.in_place_end;
  for (size_t N = 0; N != K.hook_count; ++N)
    New->Hooks.emplace(K.hooks[N].original, K.hooks[N].name);
  {
    std::lock_guard Lock(Mutex);
    Kernels[K.instrumented] = std::move(New);
  }
  // The code may lie where other code was.
  std::lock_guard Lock(JudgeMutex);
  Codes.clear();
}

void Verifier::removeKernel(uint64_t Instrumented) {
  std::lock_guard Lock(Mutex);
  Kernels.erase(Instrumented);
}

void Verifier::addOwnMemory(uint64_t Begin, uint64_t End) {
  std::lock_guard Lock(Mutex);
  OwnMemory.push_back({Begin, End});
}

void Verifier::removeOwnMemory(uint64_t Begin) {
  std::lock_guard Lock(Mutex);
  std::erase_if(OwnMemory,
                [&](const auto &Extent) { return Extent.Begin == Begin; });
}

void Verifier::redirected(const hsa_kernel_dispatch_packet_t &Original,
                          const hsa_kernel_dispatch_packet_t &Submitted) {
  std::lock_guard Lock(Mutex);
  Redirected.note(Original, Submitted);
}

void Verifier::noteUnchanged(const std::string &Kernel,
                             const std::string &Reason) {
  {
    std::lock_guard Lock(Mutex);
    if (!Unchanged.emplace(Kernel, Reason).second)
      return;
  }
  report("unchanged", Kernel, Reason);
}

/// In one write: several threads and processes append.
void Verifier::report(const char *What, const std::string &Kernel,
                      const std::string &Text) {
  std::string Line = Kernel + "\t" + Text;
  std::ranges::replace(Line, '\n', ' ');
  Line = What + ("\t" + Line) + "\n";
  const int File = open(S.ReportPath.c_str(),
                        O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  if (File < 0 || write(File, Line.data(), Line.size()) < 0)
    reportError("cannot write to " + S.ReportPath + ": " + Line);
  if (File >= 0)
    close(File);
}

CodeCache *Verifier::codeOf(const DeviceModel &Model, unsigned WaveSize,
                            AddressSpace &Memory, std::string &Error) {
  Code &C = Codes[{&Memory, WaveSize}];
  const uint64_t Generation = Memory.generation();
  if (C.Cache && C.Generation == Generation)
    return C.Cache.get();
  Decoder *D = Decoder::get(*findTarget(Model.Name), WaveSize, Error);
  if (!D)
    return nullptr;
  C.Generation = Generation;
  C.Cache = std::make_unique<CodeCache>(*D, Memory, /*Describe=*/true);
  return C.Cache.get();
}

lockstep::Options Verifier::optionsFor(const Kernel &K,
                                       const Dispatch &New) const {
  lockstep::Options O;
  O.ToOriginal = K.ToOriginal;
  O.InPlaceBegin = K.InPlaceBegin;
  O.InPlaceEnd = K.InPlaceEnd;
  O.Ignored = O.Own = OwnMemory;
  O.Ignored.push_back({New.PacketAddress, New.PacketAddress + 64});
  O.Ignored.push_back(
      {New.ScratchBase,
       New.ScratchBase + New.ScratchWaves * New.ScratchBytesPerWave});
  // Values that nobody reads again need not be saved.
  O.OnlyWhatIsRead = true;
  O.Seed = S.Strict.Seed.value_or(S.Seed);
  O.Strict = S.Strict;
  return O;
}

/// The version of \p New that the application asked for.
static Dispatch originalOf(const Dispatch &New, const KernelObject &Object,
                           const hsa_kernel_dispatch_packet_t &Packet) {
  Dispatch Old = New;
  Old.EntryPC = Object.EntryPC;
  Old.ComputePgmRsrc1 = Object.ComputePgmRsrc1;
  Old.ComputePgmRsrc2 = Object.ComputePgmRsrc2;
  Old.ComputePgmRsrc3 = Object.ComputePgmRsrc3;
  Old.KernelCodeProperties = Object.Properties;
  Old.KernargPreload = Object.KernargPreload;
  Old.PrivateSegmentSize = Packet.private_segment_size;
  Old.GroupSegmentSize = Packet.group_segment_size;
  Old.KernargAddress = reinterpret_cast<uint64_t>(Packet.kernarg_address);
  return Old;
}

/// The hooks that wrote the register, else those that ran last.
std::string Verifier::hooksNear(const Kernel &K,
                                const lockstep::Difference &D) {
  uint64_t At = D.OriginalPC;
  if (D.WriterPC && !K.ToOriginal.contains(D.WriterPC))
    if (auto Next = K.ToOriginal.upper_bound(D.WriterPC);
        Next != K.ToOriginal.end())
      At = Next->second;
  std::string Names;
  for (auto [It, End] = K.Hooks.equal_range(At); It != End; ++It)
    Names += (Names.empty() ? "" : ", ") + It->second;
  return Names;
}

/// Each version on memory of its own; false if there is none.
bool Verifier::copy(Pair &P, const Judged &J) {
  P.New = J.Work;
  P.OldMemory = Snapshot::create(J.Memory, Copies);
  P.NewMemory = P.OldMemory ? P.OldMemory->again() : nullptr;
  P.AgainMemory = P.NewMemory ? P.OldMemory->again() : nullptr;
  if (!P.AgainMemory)
    return false;
  P.Old = originalOf(J.Work, J.Object, J.Original);
  P.OldMemory->write(J.Work.PacketAddress, &J.Original, sizeof(J.Original));
  if (J.Work.Sync) {
    P.OldSync.copyFrom(*J.Work.Sync);
    P.NewSync.copyFrom(*J.Work.Sync);
    P.Old.Sync = &P.OldSync;
    P.New.Sync = &P.NewSync;
  }
  P.Again = P.New;
  if (J.Work.Sync) {
    P.AgainSync.copyFrom(*J.Work.Sync);
    P.Again.Sync = &P.AgainSync;
  }
  return true;
}

Verifier::Attempt Verifier::compareOnce(const Judged &J,
                                        const lockstep::Options &O) {
  Pair P;
  if (!copy(P, J))
    return {.Unjudged = "there is no memory for copies of the device's, or "
                        "files may not be so large (ulimit -f)"};
  const Target &T = *findTarget(J.Model.Name);
  // The groups of a cooperative grid wait for each other. Otherwise as many as
  // a small device holds at a time will do, which saves memory.
  constexpr unsigned FewUnits = 8;
  LaunchPlan OldPlan, NewPlan, AgainPlan;
  OldPlan.ComputeUnits = NewPlan.ComputeUnits = AgainPlan.ComputeUnits =
      P.New.Sync ? J.Model.ComputeUnits : FewUnits;
  OldPlan.ShaderEngines = NewPlan.ShaderEngines = AgainPlan.ShaderEngines =
      J.Model.ShaderEngines;
  std::string Error;
  if (!OldPlan.init(P.Old, T, P.OldMemory->space(), Error))
    return {.Unjudged = "the original cannot be launched: " + Error};
  if (!NewPlan.init(P.New, T, P.NewMemory->space(), Error) ||
      !AgainPlan.init(P.Again, T, P.AgainMemory->space(), Error))
    return {.Differs = "the instrumented version cannot be launched: " + Error};
  CodeCache *Code = codeOf(J.Model, OldPlan.WaveSize, J.Memory, Error);
  if (!Code)
    return {.Unjudged = Error};
  Attempt A;
  A.R = lockstep::run({OldPlan, P.OldMemory->space(), *Code, P.OldMemory.get()},
                      {NewPlan, P.NewMemory->space(), *Code, P.NewMemory.get()},
                      O,
                      lockstep::Side{AgainPlan, P.AgainMemory->space(), *Code});
  if (A.R.OriginalFault)
    A.Unjudged =
        "the original cannot run to its end here: " + *A.R.OriginalFault;
  return A;
}

/// Why there is nothing to say, or nothing.
std::optional<std::string> Verifier::compare(const Judged &J) {
  lockstep::Options O = optionsFor(J.K, J.Work);
  bool AsksHost = false;
  const uint64_t Start = hostNanoseconds();
  O.Interrupt = [&](uint32_t) { AsksHost = true; };
  O.Stop = [&]() -> std::optional<std::string> {
    if (AsksHost)
      return "it calls the host (printf, assert), who can answer only once";
    if (J.Work.Cancel && J.Work.Cancel->load())
      return "the program destroyed the queue";
    if (S.TimeoutNanoseconds &&
        hostNanoseconds() - Start > S.TimeoutNanoseconds)
      return "it did not end in time";
    return std::nullopt;
  };
  const std::string &Name = J.Work.KernelName;
  Attempt Last;
  const lockstep::Result R =
      lockstep::runAttributed(O, [&](const lockstep::Options &Each) {
        Last = compareOnce(J, Each);
        return Last.R;
      });
  if (Last.Unjudged)
    return Last.Unjudged;
  auto Describe = [&](const lockstep::Difference &D) {
    const std::string Hooks = hooksNear(J.K, D);
    return D.text() + (Hooks.empty() ? "" : "; hook " + Hooks);
  };
  if (Last.Differs)
    report("differs", Name, *Last.Differs);
  else if (R.Found)
    report("differs", Name, Describe(*R.Found));
  else
    report("verified", Name,
           std::to_string(R.Compared) + "\t" +
               std::to_string(R.PayloadInstructions));
  if (R.Noted)
    report("noted", Name, Describe(*R.Noted));
  return std::nullopt;
}

void Verifier::judge(const hsa_kernel_dispatch_packet_t &Packet,
                     const Dispatch &Work, const DeviceModel &Model,
                     AddressSpace &Memory) {
  std::optional<hsa_kernel_dispatch_packet_t> Original;
  std::shared_ptr<const Kernel> K;
  {
    std::lock_guard Lock(Mutex);
    Original = Redirected.take(Packet);
    auto Known = Kernels.find(Packet.kernel_object);
    if (Original && Known != Kernels.end())
      K = Known->second;
  }
  if (!K) {
    // ROCr's own copies are nobody's kernels.
    if (!isBlitKernel(Work.KernelName))
      noteUnchanged(Work.KernelName, "");
    return;
  }
  std::lock_guard Lock(JudgeMutex);
  const std::optional<KernelObject> Object =
      readKernelObject(Memory, K->Original);
  const std::optional<std::string> Why =
      Object ? compare({*Original, Work, *Object, *K, Model, Memory})
             : "the original is not loaded any more";
  if (Why)
    report("unjudged", Work.KernelName, *Why);
}

} // namespace luthier::emulator
