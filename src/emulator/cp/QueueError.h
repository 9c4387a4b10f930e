// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Why the command processor cannot go on. ROCr knows these values in
// amd_queue_t::queue_inactive_signal. A runtime that the driver can tell of
// exceptions looks there for requests only, and hears of errors from the
// driver.
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

/// KFD_EC_MASK() of the kfd_dbg_trap_exception_code by which the driver reports
/// it, as in Linux's <linux/kfd_ioctl.h> since 6.5; 0 for what is no error.
constexpr uint64_t exceptionMask(QueueError Error) {
  constexpr auto Mask = [](unsigned Code) { return uint64_t(1) << (Code - 1); };
  switch (Error) {
  case QueueError::InvalidDimensions:
    return Mask(16); // EC_QUEUE_PACKET_DISPATCH_DIM_INVALID
  case QueueError::InvalidGroupMemory:
    return Mask(17); // ..._PACKET_DISPATCH_GROUP_SEGMENT_SIZE_INVALID
  case QueueError::InvalidKernelObject:
    return Mask(18); // ..._PACKET_DISPATCH_CODE_INVALID
  case QueueError::InvalidPacket:
    return Mask(20); // ..._PACKET_UNSUPPORTED
  case QueueError::WorkgroupTooLarge:
    return Mask(21); // ..._PACKET_DISPATCH_WORK_GROUP_SIZE_INVALID
  case QueueError::ApertureViolation:
    return Mask(6); // ..._WAVE_APERTURE_VIOLATION
  case QueueError::IllegalInstruction:
    return Mask(4); // ..._WAVE_ILLEGAL_INSTRUCTION
  case QueueError::Exception:
    return Mask(2); // ..._WAVE_TRAP
  case QueueError::None:
  case QueueError::InsufficientScratchWave64:
  case QueueError::InsufficientScratchWave32:
  case QueueError::ReclaimScratch:
    break;
  }
  return 0;
}

} // namespace luthier::emulator

#endif // LUTHIER_EMULATOR_CP_QUEUEERROR_H
