// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lift/LiftedDigest.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/CodeGen/MachineFunction.h"
#include "llvm/IR/GlobalValue.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Support/xxhash.h"

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
    return {Pending[0], Pending[1]};
  }

private:
  void add(uint64_t Number) { Pending.push_back(Number); }
  /// Lengths keep neighbours apart.
  void add(StringRef Text) {
    add(Text.size());
    const size_t At = Pending.size();
    Pending.resize(At + divideCeil(Text.size(), sizeof(uint64_t)));
    llvm::copy(Text, reinterpret_cast<char *>(Pending.data() + At));
  }
  void add(const LiftedRepresentation &LR, const MachineBasicBlock &MBB);
  void add(const MachineOperand &MO);
  /// What follows is hashed together with the hash of all before it.
  void flush() {
    const XXH128_hash_t Hash =
        xxh3_128bits({reinterpret_cast<const uint8_t *>(Pending.data()),
                      Pending.size_in_bytes()});
    Pending.assign({Hash.low64, Hash.high64});
  }

  SmallVector<uint64_t, 0> Pending;
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
  if (Pending.size() >= 1 << 13)
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
