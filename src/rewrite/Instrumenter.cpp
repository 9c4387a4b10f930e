// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rewrite/Instrumenter.h"
#include "MCTargetDesc/AMDGPUMCTargetDesc.h"
#include "SIInstrInfo.h"
#include "analysis/Liveness.h"
#include "codeobject/CodeObjectWriter.h"
#include "lift/LiftedImpl.h"
#include "rewrite/CodeWriter.h"
#include "rewrite/PlacedHooks.h"
#include "rewrite/PointWriter.h"
#include "rewrite/RegisterPlan.h"
#include "rewrite/VariantPlan.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/CodeGen/MachineFunction.h"
#include <chrono>

using namespace llvm;

namespace luthier {
namespace {

/// Seconds since the last call.
class Stopwatch {
public:
  double lap() {
    auto Now = std::chrono::steady_clock::now();
    return std::chrono::duration<double>(Now - std::exchange(Last, Now))
        .count();
  }

private:
  std::chrono::steady_clock::time_point Last = std::chrono::steady_clock::now();
};

/// Control goes to or comes from where the lifted code does not show.
bool leavesFunction(const MachineInstr &MI) {
  switch (MI.getOpcode()) {
  case AMDGPU::S_ENDPGM:
  case AMDGPU::S_ENDPGM_SAVED:
    return false;
  case AMDGPU::S_SETPC_B64:
  case AMDGPU::S_SWAPPC_B64:
  case AMDGPU::S_CALL_B64:
  case AMDGPU::S_RFE_B64:
  case AMDGPU::S_CBRANCH_I_FORK:
  case AMDGPU::S_CBRANCH_G_FORK:
  case AMDGPU::S_CBRANCH_JOIN:
    return true;
  default:
    return MI.isCall() || MI.isIndirectBranch() || MI.isReturn();
  }
}

/// What this engine does not do yet, each with its reason.
Error checkKernel(const LiftedRepresentation &LR) {
  const KernelInfo &Kernel = *LR.impl().Kernel;
  if (Kernel.Descriptor.usesDynamicStack() || Kernel.Metadata.UsesDynamicStack)
    return refuse(RefusalReason::DynamicStack, Kernel.Name);
  const TargetID &ID = LR.impl().Object->target();
  // Code around payloads is written for 64 lanes and GFX9 wait counters.
  if (registerFileTraits(ID.Processor)->WaveSize != 64)
    return refuse(RefusalReason::UnsupportedTarget, ID.str());
  if (Kernel.Descriptor.raw().kernarg_preload)
    return refuse(RefusalReason::KernargPreload, Kernel.Name);
  for (const auto &[Symbol, MF] : LR.functions())
    for (const MachineBasicBlock &MBB : *MF)
      for (const MachineInstr &MI : MBB)
        if (leavesFunction(MI))
          return refuse(RefusalReason::CallsFunctions,
                        "at 0x" +
                            utohexstr(LR.originalAddress(MI).value_or(0)));
  // Data after the last instruction that is reached looks like code too.
  const MachineFunction &MF = *LR.functions().front().second;
  const bool IsReached = &MF.front() == &MF.back() || !MF.back().pred_empty();
  if (IsReached && (MF.back().empty() || !MF.back().back().isBarrier()))
    return refuse(RefusalReason::CallsFunctions,
                  "the kernel runs on into what follows it");
  return Error::success();
}

KernelHazards hazardsOf(const LiftedRepresentation &LR) {
  KernelHazards Result;
  for (const auto &[Symbol, MF] : LR.functions()) {
    const TargetRegisterInfo &TRI = *MF->getSubtarget().getRegisterInfo();
    for (const MachineBasicBlock &MBB : *MF)
      for (const MachineInstr &MI : MBB) {
        Result.MatrixOps |= SIInstrInfo::isMFMA(MI);
        Result.LoadsVCC |=
            SIInstrInfo::isSMRD(MI) && MI.modifiesRegister(AMDGPU::VCC, &TRI);
      }
  }
  return Result;
}

/// Compiles each module's share of the variants.
Expected<std::vector<Payload>> compileVariants(VariantPlan &Plan,
                                               const PayloadFrame &Frame) {
  std::vector<Payload> Result(Plan.Variants.size());
  for (auto &[Module, Compiler] : Plan.Compilers) {
    std::vector<PayloadVariant> Share;
    std::vector<unsigned> Indices;
    for (auto [Index, Variant] : enumerate(Plan.Variants))
      if (Variant.Hook.Module == Module) {
        Share.push_back(Variant);
        Indices.push_back(Index);
      }
    Expected<std::vector<Payload>> Compiled = Compiler->compile(Share, Frame);
    if (!Compiled)
      return Compiled.takeError();
    for (auto [Index, Payload] : zip(Indices, *Compiled))
      Result[Index] = std::move(Payload);
  }
  return Result;
}

/// Points by the instruction in front of which they end up, in order.
using PointsByAnchor =
    DenseMap<const MachineInstr *, SmallVector<const PlannedPoint *, 1>>;

Expected<PointsByAnchor> placePoints(const VariantPlan &Plan) {
  PointsByAnchor Result;
  for (const PlannedPoint &Point : Plan.Points) {
    if (Point.Where.K != Place::Kind::Before)
      return refuse(RefusalReason::NoInsertionPoint,
                    "edges and entries are not written yet");
    Result[Point.Where.MI].push_back(&Point);
  }
  return Result;
}

} // namespace

Expected<InstrumentedKernel>
instrumentKernel(LiftedRepresentation &LR, const InstrumentationTask &Task,
                 HookResolver Resolve, const InstrumenterOptions &Options) {
  Stopwatch Watch;
  if (Error E = checkKernel(LR))
    return std::move(E);
  RegisterUse Use = registerUse(LR);
  Expected<VariantPlan> Plan =
      planVariants(LR, Use, Task, Resolve, Options.LoadBias);
  if (!Plan)
    return Plan.takeError();
  Expected<PayloadFrame> Frame =
      planFrame(LR, Use, Plan->ArgumentSGPRs, Plan->ArgumentVGPRs);
  if (!Frame)
    return Frame.takeError();
  Expected<std::vector<Payload>> Payloads = compileVariants(*Plan, *Frame);
  if (!Payloads)
    return Payloads.takeError();
  markFixups(*Payloads);
  InstrumentedKernel Result;
  Result.Report.CompileTime = Watch.lap();

  Expected<PointsByAnchor> Points = placePoints(*Plan);
  if (!Points)
    return Points.takeError();
  const Liveness Lives = Liveness::run(LR);
  amdgpu::MachineEncoder Encoder(*LR.impl().Target);
  PointWriter Writer(Encoder, *Frame, *Payloads, hazardsOf(LR));
  auto writePoints = [&](const MachineInstr &MI, amdgpu::CodeLayout &Layout) {
    auto It = Points->find(&MI);
    if (It == Points->end())
      return;
    const RegisterSet &Set = Lives.before(MI);
    LiveFlags Live{Set.has(RegisterSet::SCC), Set.vcc()};
    for (const PlannedPoint *Point : It->second)
      Writer.write(*Point, Live, Layout);
  };
  CodeWriterOptions Writing{.Before = writePoints};
  (Options.Offline ? Writing.LinkedAt : Writing.LoadBias) =
      Options.Offline ? Options.LinkedAt : Options.LoadBias;
  Expected<WrittenCode> Code = writeCode(LR, Encoder, Writing);
  if (!Code)
    return Code.takeError();
  for (const KeptInstruction &Kept : Code->Map)
    Result.Map.push_back({Kept.Offset, Kept.Original});
  Result.Hooks = placedHooks(LR, *Plan);
  Result.Report.RewriteTime = Watch.lap();

  const CodeObject &Object = *LR.impl().Object;
  const KernelInfo &Kernel = *LR.impl().Kernel;
  const RegisterFileTraits &Traits =
      *registerFileTraits(Object.target().Processor);
  KernelImage Image{Kernel.Name, {}, 0, Kernel.Descriptor};
  KernelMetadata Metadata = Kernel.Metadata;
  growRegisters(Use, *Frame, *Payloads, Traits, Image.Descriptor, Metadata);
  Result.Report.BytesBefore = Kernel.CodeSize;
  Result.Report.BytesAfter = Code->Code.size();
  Image.Code = Code->Code;
  if (Options.Offline) {
    auto Fixups = placeFixups(*Payloads, Plan->Variants, *Code);
    if (!Fixups)
      return Fixups.takeError();
    Result.Image.emplace(OfflineImage{Code->Code, Image.Descriptor, Metadata,
                                      std::move(*Fixups)});
  } else {
    Expected<std::vector<uint8_t>> Linked =
        writeCodeObject(Object, Image, Metadata);
    if (!Linked)
      return refuse(RefusalReason::LinkFailed, toString(Linked.takeError()));
    Result.CodeObject = std::move(*Linked);
  }
  Result.Report.EmitTime = Watch.lap();

  Result.Report.Points = Plan->Points.size();
  Result.Report.Payloads = Payloads->size();
  Result.Report.VGPRsBefore = Kernel.Descriptor.allocatedVGPRs(Traits);
  Result.Report.VGPRsAfter = Image.Descriptor.allocatedVGPRs(Traits);
  Result.Report.SGPRsBefore = Kernel.Descriptor.allocatedSGPRs(Traits);
  Result.Report.SGPRsAfter = Image.Descriptor.allocatedSGPRs(Traits);
  return Result;
}

Expected<std::vector<uint8_t>>
emitUninstrumented(const LiftedRepresentation &LR) {
  amdgpu::MachineEncoder Encoder(*LR.impl().Target);
  Expected<WrittenCode> Code = writeCode(LR, Encoder, {});
  if (!Code)
    return Code.takeError();
  return std::move(Code->Code);
}

} // namespace luthier
