// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "emulator/exec/FaultText.h"
#include "emulator/exec/Scheduler.h"

namespace luthier::emulator {

ExecutionFault describeFault(const Dispatch &D, CodeCache &Code,
                             const WaveFault &Fault) {
  ExecutionFault Result{Fault.Kind, Fault.PC, Fault.Address, ""};
  Result.Message = D.KernelName + " at " + hexText(Fault.PC) + " (entry + " +
                   hexText(Fault.PC - D.EntryPC) +
                   "): " + Code.print(Fault.PC) + ": " + Fault.Detail;
  if (Fault.Address)
    Result.Message += " " + hexText(Fault.Address);
  return Result;
}

} // namespace luthier::emulator
