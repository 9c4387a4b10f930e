// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the C API's handles are, and how its functions report and copy.
#ifndef LUTHIER_EMULATOR_API_HANDLES_H
#define LUTHIER_EMULATOR_API_HANDLES_H

#include "emulator/api/Device.h"
#include "emulator/api/Launch.h"
#include "emulator/api/LoadedCode.h"
#include "emulator/exec/Execution.h"
#include "emulator/lockstep/Lockstep.h"
#include "luthier/emulator.h"
#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

struct luthier_emu_device {
  std::unique_ptr<luthier::emulator::api::Device> D;
  std::string Disassembly;
  /// Those that were not destroyed.
  std::vector<luthier_emu_execution *> Executions;
};

struct luthier_emu_code {
  luthier_emu_device *Owner;
  luthier::emulator::api::LoadedCode Code;
};

struct luthier_emu_execution {
  luthier_emu_execution(luthier_emu_device *Owner)
      : Owner(Owner), NumViolationsBefore(Owner->D->NumViolations),
        L(*Owner->D) {
    Owner->Executions.push_back(this);
  }
  ~luthier_emu_execution() { std::erase(Owner->Executions, this); }
  luthier_emu_execution(const luthier_emu_execution &) = delete;
  luthier_emu_execution &operator=(const luthier_emu_execution &) = delete;

  luthier_emu_device *Owner;
  /// Of the device, when this execution was created.
  uint64_t NumViolationsBefore;
  luthier::emulator::api::Launch L;
  std::unique_ptr<luthier::emulator::DispatchObserver> Observer;
  std::unique_ptr<luthier::emulator::Execution> E;
  /// Of a lockstep comparison, and its text.
  std::optional<luthier::emulator::lockstep::Difference> Difference;
  std::string DifferenceText;
};

namespace luthier::emulator::api {

/// The error text of the calling thread, for calls without any object. Cut
/// where it is very long.
void setThreadError(const std::string &Text);

/// \p Device may be null.
inline luthier_emu_status fail(luthier_emu_device *Device,
                               luthier_emu_status Status, std::string Text) {
  if (Device)
    Device->D->Error = std::move(Text);
  else
    setThreadError(Text);
  return Status;
}

inline luthier_emu_device *ownerOf(luthier_emu_device *Device) {
  return Device;
}
template <class T> luthier_emu_device *ownerOf(const T *Handle) {
  return Handle ? Handle->Owner : nullptr;
}

/// For calls whose handle, which may be the one, or another pointer is null.
template <class T> luthier_emu_status nullArgument(T *Handle) {
  return fail(ownerOf(Handle), LUTHIER_EMU_INVALID_ARGUMENT,
              "a pointer that is needed is null");
}

/// Null counts as having one.
template <class T> bool hasSize(const T *Struct) {
  return !Struct || Struct->struct_size >= sizeof(Struct->struct_size);
}
inline luthier_emu_status noSize(luthier_emu_device *Device,
                                 const char *Struct) {
  return fail(Device, LUTHIER_EMU_INVALID_ARGUMENT,
              std::string("struct_size of the ") + Struct + " is not set");
}

/// A struct as the caller has it; fields that theirs lacks are zero.
template <class T> T takeStruct(const T *From) {
  T Result{};
  std::memcpy(&Result, From, std::min(From->struct_size, sizeof(T)));
  return Result;
}

template <class T> void giveStruct(T *To, T Value) {
  Value.struct_size = To->struct_size;
  std::memcpy(To, &Value, std::min(To->struct_size, sizeof(T)));
}

/// Null arrays and sizes of zero count as 1.
inline std::array<uint32_t, 3> axes(const uint32_t (&Values)[3]) {
  std::array<uint32_t, 3> Result;
  for (unsigned N = 0; N != 3; ++N)
    Result[N] = std::max(Values[N], 1u);
  return Result;
}

/// Null, with the error set, if there is none of that name.
const LoadedKernel *kernelOf(const luthier_emu_code *Code, const char *Name);

/// What \p E came to, with its text as the device's error.
luthier_emu_status statusOf(luthier_emu_execution *E,
                            Execution::Outcome Outcome);
luthier_emu_status statusOf(luthier_emu_device *Device,
                            const ExecutionFault &Fault);

} // namespace luthier::emulator::api

#endif // LUTHIER_EMULATOR_API_HANDLES_H
