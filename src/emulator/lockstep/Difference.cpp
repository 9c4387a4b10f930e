// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "emulator/lockstep/Difference.h"
#include "emulator/exec/WaitingWaves.h"

namespace luthier::emulator::lockstep {

const char *nameOf(Difference::Kind K) {
  switch (K) {
  case Difference::Kind::Register:
    return "register";
  case Difference::Kind::Lds:
    return "lds";
  case Difference::Kind::Memory:
    return "memory";
  case Difference::Kind::ControlFlow:
    return "control-flow";
  case Difference::Kind::Instruction:
    return "instruction";
  case Difference::Kind::End:
    return "end";
  case Difference::Kind::Fault:
    return "fault";
  case Difference::Kind::Violation:
    return "violation";
  case Difference::Kind::Garbage:
    return "garbage";
  case Difference::Kind::NoReturn:
    return "no-return";
  }
  return "";
}

std::string Difference::text() const {
  std::string Text = Kernel;
  if (OriginalPC)
    Text += " at " + hexText(OriginalPC) + " (entry + " +
            hexText(OriginalPC - OriginalEntry) + ")";
  if (InstrumentedPC)
    Text += ", instrumented " + hexText(InstrumentedPC);
  if (!Instruction.empty())
    Text += ": " + Instruction;
  Text += ": workgroup " + std::to_string(Workgroup[0]) + "," +
          std::to_string(Workgroup[1]) + "," + std::to_string(Workgroup[2]) +
          ", wave " + std::to_string(Wave);
  if (Lane)
    Text += ", lane " + std::to_string(*Lane);
  Text += std::string(": ") + nameOf(What);
  if (!Register.empty())
    Text += " " + Register;
  if (What == Kind::Lds || What == Kind::Memory ||
      (What == Kind::Garbage && Address))
    Text += " at " + hexText(Address);
  if (Original != Instrumented)
    Text += ": " + hexText(Instrumented) + " instead of " + hexText(Original);
  if (WriterPC)
    Text += ", written at " + hexText(WriterPC) + " by " + Writer;
  if (!Detail.empty())
    Text += ": " + Detail;
  return Text;
}

} // namespace luthier::emulator::lockstep
