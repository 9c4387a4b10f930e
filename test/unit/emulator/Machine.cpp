// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Machine.h"
#include "Assembler.h"
#include <cstring>
#include <sys/mman.h>

namespace luthier::test {

DeviceMemory::DeviceMemory(emulator::AddressSpace &Space, size_t Size)
    : Space(Space), Size(Size) {
  Data = mmap(nullptr, Size, PROT_READ | PROT_WRITE,
              MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  Space.map(address(), Size);
}

DeviceMemory::~DeviceMemory() {
  Space.unmap(address());
  munmap(Data, Size);
}

emulator::ShaderArray::Options Machine::gfx90a() {
  emulator::ShaderArray::Options Opts;
  Opts.Processor = "gfx90a";
  return Opts;
}

Machine::Machine(emulator::ShaderArray::Options Opts) {
  std::string Error;
  Device = emulator::ShaderArray::create(std::move(Opts), Space, Error);
  EXPECT_TRUE(Device) << Error;
  Request.KernelName = "kernel";
  Request.EntryPC = Code.address();
  // 64 VGPRs and 64 AGPRs, 96 SGPRs, denormals kept, DX10 clamp, IEEE.
  Request.ComputePgmRsrc1 = 15 | 10 << 6 | 0xf0 << 12 | 1 << 21 | 1 << 23;
  // Two user SGPRs, then all three workgroup ids.
  Request.ComputePgmRsrc2 = 2 << 1 | 7 << 7;
  Request.ComputePgmRsrc3 = 15;
  Request.KernelCodeProperties = 1 << 3;
  Request.WorkgroupSize = {64, 1, 1};
  Request.GridSize = {64, 1, 1};
  Request.KernargAddress = Data.address();
}

void Machine::load(const std::string &Source) {
  std::vector<uint8_t> Bytes = assemble(Source);
  ASSERT_FALSE(Bytes.empty()) << Source;
  std::memcpy(Code.as<void>(), Bytes.data(), Bytes.size());
  Device->invalidateCode(Code.address(), Code.address() + Bytes.size());
}

std::optional<emulator::ExecutionFault> Machine::run() {
  Counts = {};
  return Device->run(Request, Counts);
}

void Machine::runOk() {
  auto Fault = run();
  EXPECT_FALSE(Fault) << Fault->Message;
}

} // namespace luthier::test
