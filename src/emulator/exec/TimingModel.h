// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the model of time says of an instruction; its figures are in Timing.def.
#ifndef LUTHIER_EMULATOR_EXEC_TIMINGMODEL_H
#define LUTHIER_EMULATOR_EXEC_TIMINGMODEL_H

#include "emulator/core/Timing.h"
#include <cstdint>

namespace llvm {
class MCInst;
} // namespace llvm

namespace luthier::emulator {

struct Inst;
struct Operation;
struct OperationFacts;
struct Target;

InstTiming timingOf(const Target &T, const Operation &Op,
                    const OperationFacts &Facts, uint64_t Flags,
                    const llvm::MCInst &MI, const Inst &I);

} // namespace luthier::emulator

#endif // LUTHIER_EMULATOR_EXEC_TIMINGMODEL_H
