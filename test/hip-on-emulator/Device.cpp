// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Device.h"
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <sys/mman.h>
#include <unistd.h>
#include <vector>

namespace luthier::hip {

static std::string variable(const char *Name) {
  const char *Value = std::getenv(Name);
  return Value ? Value : "";
}

const Settings &settings() {
  static const Settings All = [] {
    Settings S;
    S.Target = variable("LUTHIER_EMULATED_GPU");
    S.Strict = variable("LUTHIER_EMULATOR_STRICT");
    S.Report = variable("LUTHIER_HIP_REPORT");
    S.Scramble = !variable("LUTHIER_SCRAMBLE_SEED").empty();
    S.Seed =
        std::strtoull(variable("LUTHIER_SCRAMBLE_SEED").c_str(), nullptr, 10);
    S.ScrambleStack = variable("LUTHIER_SCRAMBLE_STACK") == "1";
    S.Lockstep = variable("LUTHIER_HIP_LOCKSTEP") == "1";
    if (S.Target.empty())
      S.Target = "gfx90a";
    const std::string WaveSize = variable("LUTHIER_HIP_WAVE_SIZE");
    S.WaveSize = !WaveSize.empty()              ? std::stoi(WaveSize)
                 : S.Target.starts_with("gfx1") ? 32
                                                : 64;
    return S;
  }();
  return All;
}

void fail(const std::string &Why) {
  std::fflush(stdout);
  std::fprintf(stderr, "hip-on-emulator: %s\n", Why.c_str());
  std::fflush(stderr);
  // The program's own exit handlers would use the device.
  ::_exit(70);
}

Device::Device() {
  auto Options = sized<luthier_emu_device_options>();
  Options.target = settings().Target.c_str();
  Options.strict = settings().Strict.c_str();
  if (luthier_emu_device_create(&Options, &Handle) != LUTHIER_EMU_OK)
    fail(settings().Target + ": " + luthier_emu_error(nullptr));
}

void Device::check(luthier_emu_status Status, const char *What) const {
  if (Status != LUTHIER_EMU_OK)
    fail(std::string(What) + ": " + luthier_emu_status_name(Status) + ": " +
         luthier_emu_error(Handle));
}

static uint64_t addressOf(const void *P) {
  return reinterpret_cast<uint64_t>(P);
}

/// Memory comes in pages, as on a GPU: rocPRIM's merge writes past the end of
/// its temporary storage.
static size_t inPages(size_t Size) {
  constexpr size_t Page = 4096;
  return (std::max<size_t>(Size, 1) + Page - 1) / Page * Page;
}

void *Device::allocate(size_t Size) {
  uint64_t Address = 0;
  Size = inPages(Size);
  if (luthier_emu_allocate(Handle, Size, &Address) != LUTHIER_EMU_OK)
    return nullptr;
  Allocated[Address] = Size;
  return reinterpret_cast<void *>(Address);
}

void *Device::allocateShared(size_t Size) {
  Size = inPages(Size);
  void *Memory = ::mmap(nullptr, Size, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (Memory == MAP_FAILED)
    return nullptr;
  check(luthier_emu_map(Handle, addressOf(Memory), Size, Memory), "map");
  Shared[addressOf(Memory)] = Size;
  return Memory;
}

bool Device::free(void *Address) {
  if (Allocated.erase(addressOf(Address)))
    return luthier_emu_free(Handle, addressOf(Address)) == LUTHIER_EMU_OK;
  auto Found = Shared.find(addressOf(Address));
  if (Found == Shared.end())
    return false;
  luthier_emu_unmap(Handle, Found->first);
  ::munmap(Address, Found->second);
  Shared.erase(Found);
  return true;
}

size_t Device::sizeAt(const void *Address) const {
  for (const auto *All : {&Allocated, &Shared})
    if (auto Found = All->find(addressOf(Address)); Found != All->end())
      return Found->second;
  return 0;
}

/// What the device does not see is the host's.
static bool isHosts(const void *P) {
  return addressOf(P) < LUTHIER_EMU_ALLOCATION_BASE ||
         addressOf(P) >= 2 * LUTHIER_EMU_ALLOCATION_BASE;
}

bool Device::copy(void *To, const void *From, size_t Size) {
  if (!Size)
    return true;
  if (isHosts(To) && isHosts(From)) {
    std::memmove(To, From, Size);
    return true;
  }
  if (isHosts(To))
    return luthier_emu_read(Handle, addressOf(From), To, Size) ==
           LUTHIER_EMU_OK;
  std::vector<char> Between;
  if (!isHosts(From)) {
    Between.resize(Size);
    if (!copy(Between.data(), From, Size))
      return false;
    From = Between.data();
  }
  return luthier_emu_write(Handle, addressOf(To), From, Size) == LUTHIER_EMU_OK;
}

bool Device::fill(void *To, int Byte, size_t Size) {
  const std::vector<char> Bytes(Size, char(Byte));
  return copy(To, Bytes.data(), Size);
}

Device &device() {
  static Device *const Only = new Device;
  return *Only;
}

std::recursive_mutex &lock() {
  static std::recursive_mutex Mutex;
  return Mutex;
}

} // namespace luthier::hip
