// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lift/LiftedDigest.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/CodeGen/MachineFunction.h"
#include "llvm/IR/GlobalValue.h"
#include "llvm/Support/BLAKE3.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace luthier {
namespace {

class Digester {
public:
  Digest run(const LiftedRepresentation &LR) {
    for (const auto &[Symbol, MF] : LR.functions()) {
      add(MF->getName());
      add(MF->size());
      for (const MachineBasicBlock &MBB : *MF)
        add(LR, MBB);
    }
    flush();
    const BLAKE3Result<> Result = Hasher.final<32>();
    static_assert(sizeof(Digest) == sizeof(Result));
    Digest Copy;
    llvm::copy(Result, Copy.begin());
    return Copy;
  }

private:
  void add(uint64_t Number) {
    const auto *Bytes = reinterpret_cast<const uint8_t *>(&Number);
    Pending.append(Bytes, Bytes + sizeof(Number));
  }
  /// Lengths keep neighbours apart.
  void add(StringRef Text) {
    add(Text.size());
    Pending.append(Text.bytes_begin(), Text.bytes_end());
  }
  void add(const LiftedRepresentation &LR, const MachineBasicBlock &MBB);
  void add(const MachineOperand &MO);
  void flush() {
    Hasher.update(Pending);
    Pending.clear();
  }

  BLAKE3 Hasher;
  /// Hashing pays off for long runs of bytes.
  SmallVector<uint8_t, 0> Pending;
};

void Digester::add(const LiftedRepresentation &LR,
                   const MachineBasicBlock &MBB) {
  add(MBB.getNumber());
  add(MBB.succ_size());
  for (const MachineBasicBlock *To : MBB.successors())
    add(To->getNumber());
  add(MBB.size());
  for (const MachineInstr &MI : MBB) {
    add(LR.originalAddress(MI).value_or(UINT64_MAX));
    add(uint64_t(MI.getOpcode()) << 32 | MI.getFlags());
    add(MI.getNumOperands());
    for (const MachineOperand &MO : MI.operands())
      add(MO);
  }
  if (Pending.size() >= 1 << 16)
    flush();
}

void Digester::add(const MachineOperand &MO) {
  add(uint64_t(MO.getType()) << 32 | MO.getTargetFlags());
  switch (MO.getType()) {
  case MachineOperand::MO_Register:
    add(uint64_t(MO.getReg().id()) << 32 | MO.getSubReg() << 4 |
        MO.isDef() << 1 | MO.isImplicit());
    break;
  case MachineOperand::MO_Immediate:
    add(MO.getImm());
    break;
  case MachineOperand::MO_MachineBasicBlock:
    add(MO.getMBB()->getNumber());
    break;
  case MachineOperand::MO_GlobalAddress:
    add(MO.getGlobal()->getName());
    add(MO.getOffset());
    break;
  default: {
    std::string Text;
    raw_string_ostream OS(Text);
    MO.print(OS);
    add(Text);
  }
  }
}

} // namespace

Digest digestOf(const LiftedRepresentation &LR) { return Digester().run(LR); }

} // namespace luthier
