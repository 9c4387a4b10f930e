// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rewrite/CodeWriter.h"
#include "MCTargetDesc/AMDGPUMCTargetDesc.h"
#include "lift/LiftedImpl.h"
#include "luthier/Refusal.h"
#include "llvm/CodeGen/MachineFunction.h"

using namespace llvm;

namespace luthier {

/// Instead of its own position, code gets the one it had in the original, which
/// stays loaded: data found from there is the application's own.
///   s_getpc_b64 s[4:5]   ->   s_mov_b32 s4, <low half of the original PC>
///                             s_mov_b32 s5, <high half>
static void writeOriginalPC(const MachineInstr &GetPC, uint64_t PC,
                            amdgpu::MachineEncoder &Encoder,
                            amdgpu::CodeLayout &Layout) {
  const MCRegisterInfo &MRI = Encoder.target().registers();
  MCRegister Pair = GetPC.getOperand(0).getReg();
  SmallVector<uint8_t, 16> Code;
  for (unsigned I = 0; I < 2; ++I) {
    MCRegister Half = MRI.getSubReg(Pair, I ? AMDGPU::sub1 : AMDGPU::sub0);
    Encoder.encode(AMDGPU::S_MOV_B32,
                   {MCOperand::createReg(Half),
                    MCOperand::createImm(int32_t(PC >> (32 * I)))},
                   Code);
  }
  Layout.append(Code);
}

Expected<std::vector<uint8_t>> writeCode(const LiftedRepresentation &LR,
                                         amdgpu::MachineEncoder &Encoder,
                                         const CodeWriterOptions &Options) {
  amdgpu::CodeLayout Layout;
  DenseMap<const MachineBasicBlock *, amdgpu::CodeLayout::Label> Labels;
  for (const auto &[Symbol, MF] : LR.functions())
    for (const MachineBasicBlock &MBB : *MF)
      Labels[&MBB] = Layout.createLabel();
  auto labelOf = [&](const MachineBasicBlock &MBB) {
    return Labels.lookup(&MBB);
  };
  for (const auto &[Symbol, MF] : LR.functions())
    for (const MachineBasicBlock &MBB : *MF) {
      Layout.bind(labelOf(MBB));
      for (const MachineInstr &MI : MBB) {
        if (Options.Before)
          Options.Before(MI, Layout);
        std::optional<uint64_t> Address = LR.originalAddress(MI);
        if (Address)
          Layout.mark(*Address);
        if (Options.LoadBias && MI.getOpcode() == AMDGPU::S_GETPC_B64 &&
            Address) {
          writeOriginalPC(MI, *Address + 4 + *Options.LoadBias, Encoder,
                          Layout);
          continue;
        }
        if (Error E = Encoder.encode(MI, Layout, labelOf))
          return refuse(RefusalReason::UnsupportedEdit, toString(std::move(E)));
      }
    }
  Expected<std::vector<uint8_t>> Code = Layout.finish(Options.Long, Options.Map);
  if (!Code)
    return refuse(RefusalReason::UnsupportedEdit, toString(Code.takeError()));
  return Code;
}

} // namespace luthier
