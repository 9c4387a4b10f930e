// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What observers need to know of an instruction beyond executing it.
#ifndef LUTHIER_EMULATOR_EXEC_INSTINFO_H
#define LUTHIER_EMULATOR_EXEC_INSTINFO_H

#include "emulator/isa/OperationFacts.h"
#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace llvm {
class MCInst;
class MCInstrDesc;
class MCRegisterInfo;
} // namespace llvm

namespace luthier::emulator {

enum class RegisterFile : uint8_t {
  Vector, ///< Numbers as Operand::Reg: AGPRs follow the VGPRs.
  Scalar, ///< Numbers as Wave::S: VCC, M0, EXEC and SCC among them.
};

struct RegisterRange {
  RegisterFile File;
  uint16_t First;
  uint8_t Count;
};

/// What an observer works out of an instruction once.
struct InstNote {
  virtual ~InstNote() = default;
};

/// Holds a note for the threads that may want it. Copies start empty.
class NoteSlot {
public:
  NoteSlot() = default;
  NoteSlot(const NoteSlot &) {}
  NoteSlot &operator=(const NoteSlot &) = delete;
  ~NoteSlot() { delete Note.load(); }

  /// The note, made by \p Make if there is none yet.
  template <class F> const InstNote &get(F Make) const {
    const InstNote *Known = Note.load(std::memory_order_acquire);
    return Known ? *Known : keep(Make());
  }

private:
  const InstNote &keep(std::unique_ptr<InstNote> New) const {
    const InstNote *Known = nullptr;
    if (Note.compare_exchange_strong(Known, New.get()))
      return *New.release();
    return *Known;
  }
  mutable std::atomic<const InstNote *> Note{nullptr};
};

struct InstInfo {
  /// The operation's name without encoding suffix.
  std::string Mnemonic;
  /// Its row; without a name if it has none.
  const OperationFacts *Operation = &factsOf({});
  /// LLVM's opcode, and the SIInstrFlags of its description.
  unsigned Opcode = 0;
  uint64_t Flags = 0;
  bool MayLoad = false;
  bool MayStore = false;
  bool IsBranch = false;
  /// Without naming it: of the pair, waves of 32 lanes need the low half.
  bool ReadsVccAsMask = false;
  /// A source is what M0 points to in LDS.
  bool ReadsLdsDirect = false;
  /// Implicit registers included.
  std::vector<RegisterRange> Reads;
  std::vector<RegisterRange> Writes;
  NoteSlot Note;
};

struct Target;

std::unique_ptr<InstInfo> describe(const Target &T, const llvm::MCInst &MI,
                                   const llvm::MCInstrDesc &Desc,
                                   const llvm::MCRegisterInfo &Registers,
                                   std::string Mnemonic,
                                   const OperationFacts &Operation);

} // namespace luthier::emulator

#endif // LUTHIER_EMULATOR_EXEC_INSTINFO_H
