// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Machine.h"
#include "Assembler.h"
#include "emulator/core/Target.h"
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

emulator::ShaderArray::Options Machine::on(const std::string &Processor) {
  emulator::ShaderArray::Options Opts;
  Opts.Processor = Processor;
  return Opts;
}
emulator::ShaderArray::Options Machine::gfx90a() { return on("gfx90a"); }

Machine::Machine(emulator::ShaderArray::Options Opts, unsigned WaveSize)
    : Processor(Opts.Processor), WaveSize(WaveSize) {
  const emulator::Target *T = emulator::findTarget(Processor);
  std::string Error;
  Device = emulator::ShaderArray::create(std::move(Opts), Space, Error);
  EXPECT_TRUE(Device) << Error;
  Request.KernelName = "kernel";
  Request.EntryPC = Code.address();
  // 64 VGPRs and 64 AGPRs, 96 SGPRs, denormals kept, DX10 clamp, IEEE.
  unsigned Vectors = T && T->HasUnifiedFile ? 128 : 64;
  unsigned Granule = T ? T->VgprGranule * (64 / WaveSize) : 8;
  Request.ComputePgmRsrc1 =
      (Vectors / Granule - 1) | 10 << 6 | 0xf0 << 12 | 1 << 21 | 1 << 23;
  if (T && T->ImpliedMode)
    Request.ComputePgmRsrc1 &= ~(1u << 21 | 1u << 23);
  // Two user SGPRs, then all three workgroup ids.
  Request.ComputePgmRsrc2 = 2 << 1 | 7 << 7;
  if (T && T->HasUnifiedFile)
    Request.ComputePgmRsrc3 = 15;
  Request.KernelCodeProperties = uint16_t(1 << 3 | (WaveSize == 32) << 10);
  Request.WorkgroupSize = {64, 1, 1};
  Request.GridSize = {64, 1, 1};
  Request.KernargAddress = Data.address();
}

void Machine::load(const std::string &Source) {
  std::vector<uint8_t> Bytes = assemble(Source, Processor, WaveSize);
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
