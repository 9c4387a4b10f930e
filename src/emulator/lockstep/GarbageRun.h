// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The instrumented version once more, in step with the first run of it, on
// memory of its own and with other garbage where nobody wrote: in registers and
// LDS that the launch does not set, and in lanes of a payload's registers that
// it has not written itself. Neither its way nor what it leaves in the tool's
// memory may depend on that.
#ifndef LUTHIER_EMULATOR_LOCKSTEP_GARBAGERUN_H
#define LUTHIER_EMULATOR_LOCKSTEP_GARBAGERUN_H

#include "emulator/exec/Execution.h"
#include "emulator/lockstep/Difference.h"
#include "emulator/lockstep/Options.h"
#include "emulator/lockstep/PayloadWrites.h"
#include "emulator/lockstep/Side.h"
#include "emulator/lockstep/Watcher.h"
#include <unordered_map>

namespace luthier::emulator::lockstep {

class GarbageRun {
public:
  /// \p IsPayload tells instructions of the instrumented version that are not
  /// the original's.
  GarbageRun(Side S, const Options &O,
             std::function<bool(uint64_t PC)> IsPayload);

  void fill() { E.fill(); }
  Wave *wave(uint64_t Number) { return E.wave(Number); }
  /// \p B, wave \p Number of the first run, has executed \p Steps instructions.
  /// A difference if the same instructions lead elsewhere here.
  std::optional<Difference> follow(const Wave &B, uint64_t Number,
                                   uint64_t Steps);
  /// At the end: the first difference in the instrumented version's own memory.
  std::optional<Difference> compareOwn(const AddressSpace &First) const;

private:
  void before(Wave &W, const Inst &I);
  void after(Wave &W, const Inst &I);

  const Side S;
  const Options &O;
  const std::function<bool(uint64_t)> IsPayload;
  Watcher Watch;
  Execution E;
  std::unordered_map<const Wave *, PayloadWrites> Writes;
  bool ReadsGarbage = false;
  /// Of each dword of own memory, the last instruction that stored there.
  std::unordered_map<uint64_t, uint64_t> Writer;
};

} // namespace luthier::emulator::lockstep

#endif // LUTHIER_EMULATOR_LOCKSTEP_GARBAGERUN_H
