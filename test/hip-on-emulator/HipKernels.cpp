// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// HIP's functions about code: what the compiler's start-up code registers,
// modules, launches.
#include "Launch.h"
#include "Status.h"
#include "llvm/Support/MemoryBuffer.h"
#include <algorithm>
#include <cstring>

using namespace luthier::hip;
using luthier::hip::Module;

using Guard = std::lock_guard<std::recursive_mutex>;

namespace {

/// What clang emits for each program and library.
struct FatBinary {
  uint32_t Magic, Version;
  const void *Image;
  void *Unused;
};

struct Symbol {
  Module *Owner;
  std::string Name;
};

/// By the host's address; filled before main(), without a device.
std::map<const void *, Symbol> &symbols() {
  static auto *const All = new std::map<const void *, Symbol>;
  return *All;
}

struct Configuration {
  dim3 Grid, Block;
  size_t Shared;
  hipStream_t Stream;
};
thread_local std::vector<Configuration> Configurations;

hipError_t launchBlocks(Function &F, dim3 Grid, dim3 Block, size_t Shared,
                        const std::vector<uint8_t> &Kernarg) {
  const uint64_t Threads = uint64_t(Block.x) * Block.y * Block.z;
  if (!Threads || !Grid.x || !Grid.y || !Grid.z || Threads > 1024)
    return done(hipErrorInvalidConfiguration);
  LaunchShape Shape{{Grid.x * Block.x, Grid.y * Block.y, Grid.z * Block.z},
                    {Block.x, Block.y, Block.z},
                    uint32_t(Shared)};
  return doneIf(launch(F, Shape, Kernarg), hipErrorInvalidConfiguration);
}

std::vector<uint8_t> packed(const Function &F, void **Values) {
  std::vector<uint8_t> Kernarg;
  for (size_t N = 0; N != F.Arguments.size(); ++N) {
    const auto [Offset, Size] = F.Arguments[N];
    Kernarg.resize(std::max<size_t>(Kernarg.size(), Offset + Size));
    std::memcpy(Kernarg.data() + Offset, Values[N], Size);
  }
  return Kernarg;
}

/// Arguments come by themselves, or as one buffer.
std::vector<uint8_t> arguments(const Function &F, void **Values, void **Extra) {
  if (Values || !Extra)
    return packed(F, Values);
  const void *Buffer = nullptr;
  size_t Size = 0;
  for (; *Extra != HIP_LAUNCH_PARAM_END; Extra += 2) {
    if (Extra[0] == HIP_LAUNCH_PARAM_BUFFER_POINTER)
      Buffer = Extra[1];
    if (Extra[0] == HIP_LAUNCH_PARAM_BUFFER_SIZE)
      Size = *static_cast<size_t *>(Extra[1]);
  }
  const auto *Bytes = static_cast<const uint8_t *>(Buffer);
  return {Bytes, Bytes + std::min<size_t>(Size, F.Info.explicit_kernarg_size)};
}

Function *functionOf(const void *Host) {
  auto Found = symbols().find(Host);
  return Found == symbols().end()
             ? nullptr
             : Found->second.Owner->function(Found->second.Name);
}

} // namespace

extern "C" {

void **__hipRegisterFatBinary(const void *Data) {
  return reinterpret_cast<void **>(
      new Module(static_cast<const FatBinary *>(Data)->Image));
}
// Kernels may still be asked for by destructors.
void __hipUnregisterFatBinary(void **) {}
void __hipRegisterFunction(void **Owner, const void *Host, char *,
                           const char *Name, unsigned, void *, void *, dim3 *,
                           dim3 *, int *) {
  symbols()[Host] = {reinterpret_cast<Module *>(Owner), Name};
}
void __hipRegisterVar(void **Owner, void *Host, char *, const char *Name, int,
                      size_t, int, int) {
  symbols()[Host] = {reinterpret_cast<Module *>(Owner), Name};
}
hipError_t __hipPushCallConfiguration(dim3 Grid, dim3 Block, size_t Shared,
                                      hipStream_t Stream) {
  Configurations.push_back({Grid, Block, Shared, Stream});
  return hipSuccess;
}
hipError_t __hipPopCallConfiguration(dim3 *Grid, dim3 *Block, size_t *Shared,
                                     hipStream_t *Stream) {
  const Configuration C = Configurations.back();
  Configurations.pop_back();
  *Grid = C.Grid;
  *Block = C.Block;
  *Shared = C.Shared;
  *Stream = C.Stream;
  return hipSuccess;
}

hipError_t hipLaunchKernel(const void *Host, dim3 Grid, dim3 Block,
                           void **Values, size_t Shared, hipStream_t) {
  Guard Locked(lock());
  Function *F = functionOf(Host);
  if (!F)
    return done(hipErrorInvalidDeviceFunction);
  return launchBlocks(*F, Grid, Block, Shared, packed(*F, Values));
}

hipError_t hipFuncGetAttributes(hipFuncAttributes *Attributes,
                                const void *Host) {
  Guard Locked(lock());
  const Function *F = functionOf(Host);
  if (!F)
    return done(hipErrorInvalidDeviceFunction);
  *Attributes = {};
  Attributes->numRegs = int(F->Info.vgprs);
  Attributes->sharedSizeBytes = F->Info.group_segment_size;
  Attributes->localSizeBytes = F->Info.private_segment_size;
  Attributes->maxThreadsPerBlock = int(F->Info.max_workgroup_size);
  return hipSuccess;
}

hipError_t hipModuleLoadData(hipModule_t *Result, const void *Image) {
  Guard Locked(lock());
  auto *New = new Module(Image);
  *Result = reinterpret_cast<hipModule_t>(New);
  return doneIf(New->load(), hipErrorNoBinaryForGpu);
}
hipError_t hipModuleLoad(hipModule_t *Result, const char *Path) {
  auto File = llvm::MemoryBuffer::getFile(Path);
  if (!File)
    return done(hipErrorFileNotFound);
  return hipModuleLoadData(Result, (*File)->getBufferStart());
}
hipError_t hipModuleUnload(hipModule_t) { return hipSuccess; }
hipError_t hipModuleGetFunction(hipFunction_t *Result, hipModule_t Owner,
                                const char *Name) {
  Guard Locked(lock());
  Function *F = reinterpret_cast<Module *>(Owner)->function(Name);
  *Result = reinterpret_cast<hipFunction_t>(F);
  return doneIf(F, hipErrorNotFound);
}
hipError_t hipModuleGetGlobal(hipDeviceptr_t *Address, size_t *Size,
                              hipModule_t Owner, const char *Name) {
  Guard Locked(lock());
  return doneIf(
      reinterpret_cast<Module *>(Owner)->variable(Name, Address, Size),
      hipErrorNotFound);
}
hipError_t hipModuleLaunchKernel(hipFunction_t Kernel, unsigned GridX,
                                 unsigned GridY, unsigned GridZ,
                                 unsigned BlockX, unsigned BlockY,
                                 unsigned BlockZ, unsigned Shared, hipStream_t,
                                 void **Values, void **Extra) {
  Guard Locked(lock());
  Function &F = *reinterpret_cast<Function *>(Kernel);
  return launchBlocks(F, {GridX, GridY, GridZ}, {BlockX, BlockY, BlockZ},
                      Shared, arguments(F, Values, Extra));
}

hipError_t hipGetSymbolAddress(void **Address, const void *Host) {
  Guard Locked(lock());
  auto Found = symbols().find(Host);
  return doneIf(
      Found != symbols().end() &&
          Found->second.Owner->variable(Found->second.Name, Address, nullptr),
      hipErrorNotFound);
}
hipError_t hipMemcpyToSymbol(const void *Host, const void *From, size_t Size,
                             size_t Offset, hipMemcpyKind) {
  void *To = nullptr;
  if (hipError_t Status = hipGetSymbolAddress(&To, Host))
    return Status;
  return hipMemcpy(static_cast<char *>(To) + Offset, From, Size,
                   hipMemcpyDefault);
}
hipError_t hipMemcpyFromSymbol(void *To, const void *Host, size_t Size,
                               size_t Offset, hipMemcpyKind) {
  void *From = nullptr;
  if (hipError_t Status = hipGetSymbolAddress(&From, Host))
    return Status;
  return hipMemcpy(To, static_cast<char *>(From) + Offset, Size,
                   hipMemcpyDefault);
}
}

/// Sizes are of the grid in work-items, which need not fill the last workgroup.
hipError_t hipExtModuleLaunchKernel(hipFunction_t Kernel, uint32_t GridX,
                                    uint32_t GridY, uint32_t GridZ,
                                    uint32_t BlockX, uint32_t BlockY,
                                    uint32_t BlockZ, size_t Shared, hipStream_t,
                                    void **Values, void **Extra, hipEvent_t,
                                    hipEvent_t, uint32_t) {
  Guard Locked(lock());
  Function &F = *reinterpret_cast<Function *>(Kernel);
  const LaunchShape Shape{
      {GridX, GridY, GridZ}, {BlockX, BlockY, BlockZ}, uint32_t(Shared)};
  return doneIf(launch(F, Shape, arguments(F, Values, Extra)),
                hipErrorInvalidConfiguration);
}
