// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The state of two waves that stand at the same original instruction.
#ifndef LUTHIER_EMULATOR_LOCKSTEP_STATECOMPARISON_H
#define LUTHIER_EMULATOR_LOCKSTEP_STATECOMPARISON_H

#include "emulator/lockstep/Difference.h"
#include "emulator/lockstep/Options.h"
#include "emulator/lockstep/Watcher.h"
#include "emulator/strict/InstFacts.h"
#include <set>

namespace luthier::emulator::lockstep {

class StateComparison {
public:
  explicit StateComparison(const Options &O);

  struct Pair {
    Wave &Original, &Instrumented;
    Trace &OriginalTrace, &InstrumentedTrace;
    /// The original's undefined bits; may be null.
    const Wave *Uninitialised;
  };
  /// Only what, where, and the values are filled in. Compares registers that
  /// either has written, or all of them; EXEC if it has a meaning there.
  std::optional<Difference> compare(const Pair &P, bool Everything,
                                    bool HasLanes);

  /// Only registers that the original's next instruction, at \p PC, reads: of
  /// vector registers the lanes that it reads.
  std::optional<Difference> compareReads(const Pair &P, const Inst &Next,
                                         uint64_t PC);

  /// Bits of a register of the original that count as uninitialised.
  struct Lost {
    RegisterFile File;
    unsigned Reg, Lane;
    uint32_t Bits;
  };
  /// Both have executed the instruction that compareReads() was asked about. If
  /// it computed with a code address, which compilers do with what they think
  /// undefined, results differ: those count as uninitialised from then on.
  /// Where they do matter, that shows in control flow or memory. So do bytes
  /// that it loaded one by one from what a return address was in.
  std::vector<Lost> noteResults(const Pair &P, const InstInfo &Info);

  /// The two waves have just executed an instruction that leaves code addresses
  /// in registers.
  void noteCodeAddresses(const Pair &P, const InstInfo &Info);

  /// Two dwords that differ because they hold halves of return addresses that
  /// correspond, or what narrower stores have left of such halves: at least two
  /// bytes that differ, beside bytes that were overwritten with the same.
  /// Compilers copy it from the stack with the padding of structures.
  bool isLeftOfReturn(uint32_t Original, uint32_t Instrumented) const;

private:
  std::optional<Difference> compareMasks(const Pair &P, bool HasLanes);
  std::optional<Difference> compareScalar(const Pair &P, unsigned Reg,
                                          uint64_t PC);
  std::optional<Difference> compareScalars(const Pair &P);
  std::optional<Difference> compareVectors(const Pair &P, bool Everything);
  std::optional<Difference> compareRow(const Pair &P, unsigned Reg,
                                       uint64_t Lanes, uint64_t PC);
  std::optional<Difference> compareLds(const Pair &P);
  bool isAllowed(uint64_t PC, RegisterFile File, unsigned Reg) const;
  bool isTranslated(uint32_t Original, uint32_t Instrumented) const {
    return !Halves.empty() && Halves.contains({Original, Instrumented});
  }
  bool isOfCodeAddress(uint32_t Original, uint32_t Instrumented) const {
    return isTranslated(Original, Instrumented) ||
           isLeftOfReturn(Original, Instrumented);
  }
  bool isPartOfReturn(uint32_t Original, uint32_t Instrumented,
                      unsigned Bytes) const;
  void noteLoadedParts(const Pair &P, const InstInfo &Info,
                       std::vector<Lost> &Results);
  std::optional<uint64_t> translate(uint64_t Instrumented) const;
  bool isCodeAddress(const Pair &P, unsigned Reg);
  void noteOverwrites(const Pair &P, const strict::InstFacts &Facts);

  const Options &O;
  bool ReadsCodeAddress = false;
  /// A lane of a result that held half of a code address before: operations on
  /// 16 bits may keep a part of it, and of that nobody says anything.
  struct Overwritten {
    unsigned Reg, Lane;
    uint32_t Original, Instrumented;
  };
  std::vector<Overwritten> Overwrites;
  /// Halves of code addresses that correspond: original, instrumented. Those
  /// that calls left are Returns, too: of no other is the instrumented one's
  /// anything but the original's own, once it is in memory.
  using HalfPairs = std::set<std::pair<uint32_t, uint32_t>>;
  HalfPairs Halves, Returns;
};

} // namespace luthier::emulator::lockstep

#endif // LUTHIER_EMULATOR_LOCKSTEP_STATECOMPARISON_H
