// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the command processor stores in amd_queue_t::queue_inactive_signal when
// it cannot go on. ROCr's handler for the signal knows these values.
#ifndef LUTHIER_EMULATOR_CP_QUEUEERROR_H
#define LUTHIER_EMULATOR_CP_QUEUEERROR_H

#include <cstdint>

namespace luthier::emulator {

enum class QueueError : int64_t {
  None = 0,
  // Requests: ROCr answers with 0 and the queue goes on.
  InsufficientScratchWave64 = 0x1,
  InsufficientScratchWave32 = 0x400,
  ReclaimScratch = 0x200,
  // Errors: ROCr suspends the queue and calls its error callback with
  InvalidDimensions = 0x2,         // HSA_STATUS_ERROR_INCOMPATIBLE_ARGUMENTS
  InvalidGroupMemory = 0x4,        // HSA_STATUS_ERROR_INVALID_ALLOCATION
  InvalidKernelObject = 0x8,       // HSA_STATUS_ERROR_INVALID_CODE_OBJECT
  InvalidPacket = 0x20,            // HSA_STATUS_ERROR_INVALID_PACKET_FORMAT
  WorkgroupTooLarge = 0x40,        // HSA_STATUS_ERROR_INVALID_ARGUMENT
  ApertureViolation = 0x20000000,  // ..._MEMORY_APERTURE_VIOLATION
  IllegalInstruction = 0x40000000, // HSA_STATUS_ERROR_ILLEGAL_INSTRUCTION
  Exception = 0x80000000,          // HSA_STATUS_ERROR_EXCEPTION
};

} // namespace luthier::emulator

#endif // LUTHIER_EMULATOR_CP_QUEUEERROR_H
