// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "CountingKernel.h"
#include "pgo/Flags.h"
#include "pgo/RawProfile.h"
#include <cstring>

using namespace llvm;

namespace luthier::test {
namespace {

constexpr char Source[] = R"(
extern "C" [[clang::amdgpu_kernel, gnu::visibility("protected")]] void
counting(unsigned *Out) {
  unsigned I = __builtin_amdgcn_workgroup_id_x() * 100 +
               __builtin_amdgcn_workitem_id_x();
  unsigned Sum = 0;
  for (unsigned Turn = 0; Turn < I % 7; ++Turn)
    Sum += Out[I] + Turn;
  if (I % 3 == 0)
    Sum += 1000;
  Out[1000 + I] = Sum;
}
)";

template <class T> T sized() {
  T Value = {};
  Value.struct_size = sizeof(T);
  return Value;
}

void check(luthier_emu_status Status, luthier_emu_device *Device) {
  ASSERT_EQ(Status, LUTHIER_EMU_OK) << luthier_emu_error(Device);
}

uint32_t expectedOf(uint32_t Lane) {
  uint32_t Sum = Lane % 3 ? 0 : 1000;
  for (uint32_t Turn = 0; Turn < Lane % 7; ++Turn)
    Sum += Lane + Turn;
  return Sum;
}

} // namespace

StringRef textOf(const Bytes &From) {
  return {reinterpret_cast<const char *>(From.data()), From.size()};
}

Bytes buildCounting(const EngineTarget &T, StringRef Route,
                    std::vector<std::string> MoreFlags) {
  return buildCounting(Source, T, Route, std::move(MoreFlags));
}

Bytes buildCounting(StringRef Source, const EngineTarget &T,
                    StringRef RouteName, std::vector<std::string> MoreFlags) {
  auto Route = pgo::findRoute(RouteName, 22);
  auto Flags = pgo::expand((*Route)->Collect, {"", "", VALUE_HEADER});
  std::vector<std::string> All = {"-O2"};
  for (const std::string &Flag : *Flags)
    if (Flag != "-Xarch_device") // There is no host.
      All.push_back(Flag);
  append_range(All, MoreFlags);
  auto Code = compileCpp(T, Source.str(), All);
  if (Code)
    return *Code;
  ADD_FAILURE() << toString(Code.takeError());
  return {};
}

CountingRun::CountingRun(const EngineTarget &T, const Bytes &Code)
    : Code(Code) {
  auto Options = sized<luthier_emu_device_options>();
  Options.target = T.Processor;
  luthier_emu_device *NewDevice = nullptr;
  check(luthier_emu_device_create(&Options, &NewDevice), nullptr);
  Device.reset(NewDevice);
  luthier_emu_code *NewCode = nullptr;
  check(luthier_emu_load(NewDevice, Code.data(), Code.size(), &NewCode),
        NewDevice);
  Loaded.reset(NewCode);
}

void CountingRun::launch() {
  std::vector<uint32_t> Words(2 * Lanes);
  for (uint32_t I = 0; I != Lanes; ++I)
    Words[I] = I;
  uint64_t Buffer = 0;
  check(luthier_emu_allocate(Device.get(), Words.size() * 4, &Buffer),
        Device.get());
  check(luthier_emu_write(Device.get(), Buffer, Words.data(), Words.size() * 4),
        Device.get());
  auto Launch = sized<luthier_emu_launch>();
  Launch.grid[0] = Lanes;
  Launch.workgroup[0] = 100;
  Launch.kernarg = &Buffer;
  Launch.kernarg_size = sizeof(Buffer);
  check(luthier_emu_dispatch(Loaded.get(), "counting", &Launch, nullptr),
        Device.get());
  check(luthier_emu_read(Device.get(), Buffer, Words.data(), Words.size() * 4),
        Device.get());
  for (uint32_t I = 0; I != Lanes; ++I)
    ASSERT_EQ(Words[Lanes + I], expectedOf(I)) << I;
}

Error CountingRun::read(uint64_t Address, MutableArrayRef<uint8_t> To) const {
  uint64_t Base = 0;
  luthier_emu_code_range(Loaded.get(), &Base, nullptr);
  if (luthier_emu_read(Device.get(), Base + Address, To.data(), To.size()) !=
      LUTHIER_EMU_OK)
    return createStringError(luthier_emu_error(Device.get()));
  return Error::success();
}

void CountingRun::write(uint64_t Address, ArrayRef<uint8_t> From) const {
  uint64_t Base = 0;
  luthier_emu_code_range(Loaded.get(), &Base, nullptr);
  check(
      luthier_emu_write(Device.get(), Base + Address, From.data(), From.size()),
      Device.get());
}

Bytes CountingRun::rawProfile() const {
  auto Sections = pgo::findCounterSections(Code);
  if (!Sections || !*Sections) {
    ADD_FAILURE() << (Sections ? "no counters"
                               : toString(Sections.takeError()));
    return {};
  }
  auto Raw = pgo::makeRawProfile(
      **Sections, [&](uint64_t Address, auto To) { return read(Address, To); });
  if (Raw)
    return *Raw;
  ADD_FAILURE() << toString(Raw.takeError());
  return {};
}

} // namespace luthier::test
