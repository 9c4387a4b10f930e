// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The parts of the operation table, one per topic.
#ifndef LUTHIER_EMULATOR_ISA_TABLES_H
#define LUTHIER_EMULATOR_ISA_TABLES_H

#include "emulator/isa/Operation.h"
#include "emulator/isa/Simd.h"

namespace luthier::emulator::LUTHIER_EMULATOR_SIMD {

std::span<const Operation> scalarAluRows();
std::span<const Operation> scalarFloatRows();
std::span<const Operation> controlRows();
std::span<const Operation> hardwareRegisterRows();
std::span<const Operation> scalarMemoryRows();
std::span<const Operation> integerRows();
std::span<const Operation> bitRows();
std::span<const Operation> carryRows();
std::span<const Operation> narrowRows();
std::span<const Operation> float32Rows();
std::span<const Operation> float64Rows();
std::span<const Operation> float16Rows();
std::span<const Operation> transcendentalRows();
std::span<const Operation> convertRows();
std::span<const Operation> smallFloatRows();
std::span<const Operation> divideRows();
std::span<const Operation> dualRows();
std::span<const Operation> compareRows();
std::span<const Operation> classRows();
std::span<const Operation> laneRows();
std::span<const Operation> moveRelativeRows();
std::span<const Operation> packedRows();
std::span<const Operation> dotRows();
std::span<const Operation> matrixRows();
std::span<const Operation> sparseMatrixRows();
std::span<const Operation> scaledMatrixRows();
std::span<const Operation> waveMatrixRows();
std::span<const Operation> ldsRows();
std::span<const Operation> ldsTransposeRows();
std::span<const Operation> globalSyncRows();
std::span<const Operation> flatRows();
std::span<const Operation> memoryAtomicRows();
std::span<const Operation> bufferRows();
std::span<const Operation> bufferFormatRows();

const OperationSet &operations();

} // namespace luthier::emulator::LUTHIER_EMULATOR_SIMD

#endif // LUTHIER_EMULATOR_ISA_TABLES_H
