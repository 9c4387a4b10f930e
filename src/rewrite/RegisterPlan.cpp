// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rewrite/RegisterPlan.h"
#include "MCTargetDesc/AMDGPUMCTargetDesc.h"
#include "amdgpu/RegisterFiles.h"
#include "lift/LiftedImpl.h"
#include "luthier/Refusal.h"
#include "llvm/CodeGen/MachineFunction.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;

namespace luthier {

static const RegisterFileTraits &traitsOf(const LiftedRepresentation &LR) {
  // Lifting refuses processors without a row.
  return *registerFileTraits(LR.impl().Object->target().Processor);
}

/// Registers per lane that leave room for the largest workgroup the kernel
/// allows: all its waves are on one compute unit at once.
static unsigned vgprCap(const KernelInfo &Kernel,
                        const RegisterFileTraits &Traits) {
  unsigned Waves =
      divideCeil(Kernel.Metadata.MaxFlatWorkgroupSize, Traits.WaveSize);
  unsigned PerSIMD =
      std::max(1u, unsigned(divideCeil(Waves, Traits.SIMDsPerCU)));
  unsigned Cap = alignDown(Traits.VGPRsPerLane / PerSIMD, Traits.VGPRGranule);
  return std::max(Cap, Kernel.Descriptor.allocatedVGPRs(Traits));
}

Expected<PayloadFrame> planFrame(const LiftedRepresentation &LR,
                                 const RegisterUse &Use, unsigned ArgumentSGPRs,
                                 unsigned ArgumentVGPRs) {
  const RegisterFileTraits &Traits = traitsOf(LR);
  PayloadFrame Frame;
  Frame.ApplicationSGPRs = Use.SGPRs;
  Frame.ApplicationVGPRs = Use.VGPRs;
  Frame.ApplicationAGPRs = Use.AGPRs;
  // Two pairs, which must be aligned, then two single registers.
  const unsigned First = alignTo(Use.SGPRs, 2);
  Frame.FirstArgumentSGPR = First + 6;
  Frame.FirstSGPR = Frame.FirstArgumentSGPR + ArgumentSGPRs;
  Frame.SGPRLimit = Traits.AddressableSGPRs;
  // Some targets want register pairs aligned.
  Frame.FirstArgumentVGPR = alignTo(Use.VGPRs, 2);
  Frame.FirstVGPR = Frame.FirstArgumentVGPR + ArgumentVGPRs;
  unsigned Cap = vgprCap(*LR.impl().Kernel, Traits);
  if (Traits.UnifiedAGPRs)
    Cap = alignDown(Cap - std::min(Cap, Use.AGPRs), 4);
  Frame.VGPRLimit = std::min(Traits.AddressableVGPRs, Cap);
  if (Frame.FirstSGPR > Frame.SGPRLimit)
    return refuse(RefusalReason::RegisterBudget,
                  "the kernel uses " + Twine(Use.SGPRs) + " of " +
                      Twine(Frame.SGPRLimit) + " scalar registers");
  if (Frame.FirstVGPR > Frame.VGPRLimit)
    return refuse(RefusalReason::RegisterBudget,
                  "the kernel uses " + Twine(Use.VGPRs) + " of " +
                      Twine(Frame.VGPRLimit) + " vector registers");
  const amdgpu::RegisterFiles &Files = LR.impl().Target->registerFiles();
  Frame.VccSave = Files.sgprPair(First);
  Frame.ExecSave = Files.sgprPair(First + 2);
  Frame.SccSave = Files.sgpr(First + 4);
  Frame.M0Save = Files.sgpr(First + 5);
  return Frame;
}

void growRegisters(const RegisterUse &Use, const PayloadFrame &Frame,
                   ArrayRef<Payload> Payloads, const RegisterFileTraits &Traits,
                   KernelDescriptor &Descriptor, KernelMetadata &Metadata) {
  unsigned SGPRs = Frame.FirstSGPR, VGPRs = Frame.FirstVGPR;
  for (const Payload &P : Payloads) {
    SGPRs = std::max(SGPRs, P.SGPREnd);
    VGPRs = std::max(VGPRs, P.VGPREnd);
  }
  VGPRs = std::max(VGPRs, Descriptor.vgprLimit(Traits));
  if (SGPRs + Traits.ExtraSGPRs > Descriptor.allocatedSGPRs(Traits))
    Descriptor.setSGPRs(SGPRs, Traits);
  if (VGPRs > Descriptor.vgprLimit(Traits))
    Descriptor.setVGPRs(VGPRs, Use.AGPRs, Traits);
  Metadata.SGPRs = std::max(Metadata.SGPRs, SGPRs + Traits.ExtraSGPRs);
  Metadata.AGPRs = Use.AGPRs;
  Metadata.VGPRs = std::max(Metadata.VGPRs, Traits.UnifiedAGPRs && Use.AGPRs
                                                ? alignTo(VGPRs, 4) + Use.AGPRs
                                                : VGPRs);
}

} // namespace luthier
