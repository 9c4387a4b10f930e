// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Launch.h"
#include "Scrambled.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace luthier::hip {
namespace {

using DeviceHandle =
    std::unique_ptr<luthier_emu_device, decltype(&luthier_emu_device_destroy)>;
using CodeHandle =
    std::unique_ptr<luthier_emu_code, decltype(&luthier_emu_unload)>;
using ExecutionHandle =
    std::unique_ptr<luthier_emu_execution,
                    decltype(&luthier_emu_execution_destroy)>;

/// One dispatch, of the original and perhaps of its scrambled version.
class Dispatch {
public:
  Dispatch(Function &F, const LaunchShape &Shape,
           const std::vector<uint8_t> &Kernarg)
      : F(F), Shape(Shape), Kernarg(Kernarg) {
    // What HIP gives kernels whose stack grows.
    constexpr uint32_t DynamicStack = 16384;
    if (F.Kernel->Descriptor.usesDynamicStack())
      Stack = std::max(F.Info.private_segment_size, DynamicStack);
    if (settings().Scramble)
      New = &scrambled(F, Stack);
  }

  bool run();

private:
  luthier_emu_launch launchOf(bool IsNew) const;
  DeviceHandle clone() const;
  CodeHandle copyOf(luthier_emu_code *Code, const DeviceHandle &On) const;
  ExecutionHandle create(const CodeHandle &Code, bool IsNew,
                         const DeviceHandle &On) const;
  void runInLockstep() const;
  void report(const luthier_emu_stats &Stats) const;

  Function &F;
  const LaunchShape &Shape;
  const std::vector<uint8_t> &Kernarg;
  const Scrambled *New = nullptr;
  /// Set only where the kernel does not say what it needs.
  uint32_t Stack = 0;
};

luthier_emu_launch Dispatch::launchOf(bool IsNew) const {
  auto L = sized<luthier_emu_launch>();
  for (unsigned Axis = 0; Axis != 3; ++Axis) {
    L.grid[Axis] = Shape.Grid[Axis];
    L.workgroup[Axis] = Shape.Workgroup[Axis];
  }
  L.kernarg = Kernarg.data();
  L.kernarg_size = Kernarg.size();
  L.dynamic_lds = Shape.DynamicLds;
  L.private_segment_size = Stack;
  if (!New)
    return L;
  const uint32_t OldScratch = std::max(F.Info.private_segment_size, Stack);
  const uint32_t NewScratch =
      std::max({OldScratch, New->Info.private_segment_size,
                New->Kernel.PrivateSegmentSize});
  L.scratch_reserve = NewScratch;
  if (!IsNew)
    return L;
  L.private_segment_size = NewScratch;
  uint32_t Lds = F.Info.group_segment_size + Shape.DynamicLds;
  if (New->Kernel.ExtraGroupSegment)
    Lds = alignTo(Lds, 16) + New->Kernel.ExtraGroupSegment;
  L.dynamic_lds = Lds - std::min(Lds, New->Info.group_segment_size);
  return L;
}

DeviceHandle Dispatch::clone() const {
  luthier_emu_device *Copy = nullptr;
  device().check(luthier_emu_clone(device().handle(), &Copy), "clone");
  return {Copy, luthier_emu_device_destroy};
}

CodeHandle Dispatch::copyOf(luthier_emu_code *Code,
                            const DeviceHandle &On) const {
  luthier_emu_code *Copy = nullptr;
  device().check(luthier_emu_clone_code(On.get(), Code, &Copy), "clone");
  return {Copy, luthier_emu_unload};
}

ExecutionHandle Dispatch::create(const CodeHandle &Code, bool IsNew,
                                 const DeviceHandle &On) const {
  const luthier_emu_launch L = launchOf(IsNew);
  luthier_emu_execution *E = nullptr;
  if (luthier_emu_execution_create(Code.get(), F.Name.c_str(), &L, &E) !=
      LUTHIER_EMU_OK)
    fail("lockstep of " + F.Name + ": " + luthier_emu_error(On.get()));
  return {E, luthier_emu_execution_destroy};
}

void Dispatch::runInLockstep() const {
  DeviceHandle A = clone(), B = clone();
  CodeHandle Old = copyOf(F.Owner->code(), A), Scrambled = copyOf(New->Code, B);
  ExecutionHandle OldRun = create(Old, false, A),
                  NewRun = create(Scrambled, true, B);
  auto How = sized<luthier_emu_lockstep_options>();
  How.map = New->Map.data();
  How.map_count = New->Map.size();
  uint64_t Begin = 0, Size = 0;
  luthier_emu_code_range(Old.get(), &Begin, &Size);
  How.in_place = {Begin, Begin + Size};
  How.seed = settings().Seed;
  How.strict = settings().Strict.c_str();
  // Code that depends on its position is written differently.
  How.allow_other_instructions = 1;
  How.only_what_is_read = 1;
  auto Difference = sized<luthier_emu_difference>();
  switch (luthier_emu_lockstep(OldRun.get(), NewRun.get(), &How, &Difference)) {
  case LUTHIER_EMU_OK:
    return;
  case LUTHIER_EMU_DIFFERENT:
    fail("lockstep: kernel " + F.Name + ": " + Difference.text);
  default:
    fail("lockstep: kernel " + F.Name + ": " + luthier_emu_error(A.get()));
  }
}

/// One line for each dispatch, so that processes may share a file.
void Dispatch::report(const luthier_emu_stats &Stats) const {
  if (settings().Report.empty())
    return;
  std::string Line;
  raw_string_ostream(Line)
      << json::Value(
             json::Object{{"kernel", F.Name},
                          {"wave_instructions", Stats.wave_instructions},
                          {"lane_instructions", Stats.lane_instructions},
                          {"points", New ? New->Kernel.Report.Points : 0},
                          {"lockstep", New && settings().Lockstep}})
      << '\n';
  std::FILE *File = std::fopen(settings().Report.c_str(), "a");
  if (!File)
    fail("cannot write " + settings().Report);
  std::fputs(Line.c_str(), File);
  std::fclose(File);
}

bool Dispatch::run() {
  if (New && settings().Lockstep)
    runInLockstep();
  const luthier_emu_launch L = launchOf(true);
  auto Stats = sized<luthier_emu_stats>();
  luthier_emu_code *Code = New ? New->Code : F.Owner->code();
  const luthier_emu_status Status =
      luthier_emu_dispatch(Code, F.Name.c_str(), &L, &Stats);
  if (Status == LUTHIER_EMU_REFUSED || Status == LUTHIER_EMU_INVALID_ARGUMENT)
    return false;
  device().check(Status, F.Name.c_str());
  report(Stats);
  return true;
}

} // namespace

bool launch(Function &F, const LaunchShape &Shape,
            const std::vector<uint8_t> &Kernarg) {
  return Dispatch(F, Shape, Kernarg).run();
}

} // namespace luthier::hip
