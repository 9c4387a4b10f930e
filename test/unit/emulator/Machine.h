// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A device to run assembled kernels on.
#ifndef LUTHIER_TEST_UNIT_EMULATOR_MACHINE_H
#define LUTHIER_TEST_UNIT_EMULATOR_MACHINE_H

#include "emulator/exec/ShaderArray.h"
#include "emulator/memory/AddressSpace.h"
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <vector>

namespace luthier::test {

/// Memory the device may touch, for as long as the object lives.
class DeviceMemory {
public:
  DeviceMemory(emulator::AddressSpace &Space, size_t Size);
  ~DeviceMemory();
  DeviceMemory(const DeviceMemory &) = delete;

  uint64_t address() const { return reinterpret_cast<uint64_t>(Data); }
  template <class T> T *as() { return reinterpret_cast<T *>(Data); }

private:
  emulator::AddressSpace &Space;
  void *Data;
  size_t Size;
};

/// Runs a kernel that finds its argument block's address in s[0:1] and its
/// workgroup id in s2, s3, s4, or in ttmp9 and ttmp7 where the target has it
/// there. It may use 64 VGPRs and as many AGPRs as there are with them.
class Machine : public ::testing::Test {
protected:
  explicit Machine(emulator::ShaderArray::Options Opts = gfx90a(),
                   unsigned WaveSize = 64);
  static emulator::ShaderArray::Options gfx90a();
  static emulator::ShaderArray::Options on(const std::string &Processor);

  /// Assembles \p Source and makes it the next kernel.
  void load(const std::string &Source);
  std::optional<emulator::ExecutionFault> run();
  /// Runs and expects no fault.
  void runOk();

  /// Room for results and arguments; its address is the kernel's argument.
  static constexpr size_t DataSize = 1 << 20;

  const std::string Processor;
  const unsigned WaveSize;
  emulator::AddressSpace Space;
  std::unique_ptr<emulator::ShaderArray> Device;
  DeviceMemory Code{Space, 1 << 16};
  DeviceMemory Data{Space, DataSize};
  emulator::Dispatch Request;
  emulator::DispatchCounts Counts;
};

} // namespace luthier::test

#endif // LUTHIER_TEST_UNIT_EMULATOR_MACHINE_H
