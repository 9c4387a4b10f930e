// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "emulator/exec/FaultText.h"
#include "emulator/exec/Scheduler.h"

namespace luthier::emulator {

ExecutionFault describeFault(const Dispatch &D, CodeCache &Code,
                             const WaveFault &Fault) {
  const uint64_t PC = Fault.Where.PC;
  ExecutionFault Result{Fault.Kind, PC, Fault.Address, ""};
  Result.Message = D.KernelName + " at " + describePC(PC, D.EntryPC) + ", " +
                   describeWave(Fault.Where) + ": " + Code.print(PC) + ": " +
                   Fault.Detail;
  if (Fault.Address)
    Result.Message += " " + hexText(Fault.Address);
  return Result;
}

} // namespace luthier::emulator
