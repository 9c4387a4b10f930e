// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "WaveStepper.h"
#include "emulator/isa/Operation.h"
#include "gtest/gtest.h"
#include <cstring>

namespace luthier::test {

using namespace emulator;

WaveStepper::WaveStepper(const std::string &Processor, unsigned WaveSize)
    : Registers(NumVectorRegs) {
  std::string Error;
  const Target *T = findTarget(Processor);
  EXPECT_TRUE(T) << Processor;
  Decoder *D = Decoder::get(*T, WaveSize, Error);
  EXPECT_TRUE(D) << Error;
  Cache = std::make_unique<CodeCache>(*D, Space);
  View = std::make_unique<CodeView>(*Cache);
  Thread = std::make_unique<ThreadContext>(Space, *View);
  std::memset(W.S, 0, sizeof(W.S));
  W.V = Registers.front().Lanes;
  W.Thread = Thread.get();
  W.T = T;
  W.WaveSize = WaveSize;
  W.LaneMask = WaveSize == 64 ? ~uint64_t(0) : 0xffffffff;
  // VGPRs, AGPRs and SGPRs: all that the encodings can name.
  W.Limits = 256 | uint64_t(256) << 16 | uint64_t(128) << 32;
  W.setMode(0xf0);
}

void WaveStepper::load(const std::vector<uint8_t> &Bytes) {
  std::memcpy(Code.as<void>(), Bytes.data(), Bytes.size());
  Cache->invalidate(Code.address(), Code.address() + Bytes.size());
  View->refresh();
}

std::optional<std::string> WaveStepper::step() {
  W.PC = Code.address();
  W.Event = WaveEvent::None;
  operationSet().Run(W, 1);
  if (W.Event != WaveEvent::Fault)
    return std::nullopt;
  return Cache->print(Code.address()) + ": " + W.FaultDetail;
}

} // namespace luthier::test
