// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where two versions of a kernel part.
#ifndef LUTHIER_EMULATOR_LOCKSTEP_DIFFERENCE_H
#define LUTHIER_EMULATOR_LOCKSTEP_DIFFERENCE_H

#include <cstdint>
#include <optional>
#include <string>

namespace luthier::emulator::lockstep {

struct Difference {
  enum class Kind {
    Register,    ///< A register differs before OriginalPC.
    Lds,         ///< LDS differs before OriginalPC; Address is the offset.
    Memory,      ///< Memory differs after the store at OriginalPC, or at the
                 ///< end; Address says where.
    ControlFlow, ///< The instrumented version is at another original PC.
    Instruction, ///< The instruction at the mapped PC is another one.
    End,         ///< One version has ended, the other goes on or waits.
    Fault,       ///< The instrumented version faulted; Detail says why.
    Violation,   ///< It broke a rule of strict mode; Detail is its text.
    Garbage,     ///< Registers that nobody wrote decide what the instrumented
                 ///< version does, or leaves in its own memory at Address.
    NoReturn,    ///< It executes on and on without reaching a mapped PC.
  };
  Difference(Kind What) : What(What) {}

  Kind What;
  std::string Kernel;
  /// 0 where there is none.
  uint64_t OriginalPC = 0, OriginalEntry = 0;
  uint64_t InstrumentedPC = 0;
  /// The original's at OriginalPC.
  std::string Instruction;
  uint32_t Workgroup[3] = {};
  unsigned Wave = 0; ///< Its number in the workgroup.
  std::optional<unsigned> Lane;
  std::string Register; ///< As assembly spells it; may be empty.
  uint64_t Address = 0;
  uint64_t Original = 0, Instrumented = 0; ///< The two values.
  /// The last instruction of the instrumented version that wrote the register.
  uint64_t WriterPC = 0;
  std::string Writer;
  std::string Detail;

  /// One line with everything.
  std::string text() const;
};

/// Stable spelling, such as "control-flow".
const char *nameOf(Difference::Kind K);

} // namespace luthier::emulator::lockstep

#endif // LUTHIER_EMULATOR_LOCKSTEP_DIFFERENCE_H
