// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "emulator/api/Device.h"

namespace luthier::emulator::api {

std::unique_ptr<Device> Device::create(const Options &Opts,
                                       std::string &Error) {
  std::unique_ptr<Device> D(new Device(Opts));
  return D->init(Error) ? std::move(D) : nullptr;
}

std::unique_ptr<Device> Device::clone(std::string &Error) const {
  auto Copy = create(Opts, Error);
  if (!Copy)
    return nullptr;
  Copy->Clock = Clock;
  if (Copy->Mem.copyFrom(Mem))
    return Copy;
  Error = "no memory for a copy";
  return nullptr;
}

bool Device::init(std::string &Error) {
  ShaderArray::Options ArrayOpts;
  ArrayOpts.Processor = Opts.T->Name;
  ArrayOpts.Seed = Opts.Seed;
  ArrayOpts.Threads = Opts.Threads;
  ArrayOpts.ComputeUnits = Opts.ComputeUnits;
  Shaders = ShaderArray::create(ArrayOpts, Mem.Space, Error);
  if (!Shaders)
    return false;
  Wide = cache(64, Error);
  if (Opts.T->HasWave32)
    Narrow = cache(32, Error);
  return Wide && (Narrow || !Opts.T->HasWave32);
}

std::unique_ptr<CodeCache> Device::cache(unsigned WaveSize,
                                         std::string &Error) {
  Decoder *D = Decoder::get(*Opts.T, WaveSize, Error);
  if (!D)
    return nullptr;
  return std::make_unique<CodeCache>(*D, Mem.Space, /*Describe=*/true);
}

void Device::invalidateCode(uint64_t Begin, uint64_t End) {
  Shaders->invalidateCode(Begin, End);
  Wide->invalidate(Begin, End);
  if (Narrow)
    Narrow->invalidate(Begin, End);
}

std::unique_ptr<DispatchObserver> Device::makeObserver(const LaunchPlan &Plan) {
  std::unique_ptr<DispatchObserver> Observer;
  if (Opts.Strict.anyCheck())
    Observer = strict::observer(Opts.Strict, [this](const auto &V) {
      Violations.push_back({V, V.text()});
      ++NumViolations;
    })(Plan);
  if (Opts.CountInstructions)
    Observer = countingObserver(Counts, std::move(Observer));
  return Observer;
}

} // namespace luthier::emulator::api
