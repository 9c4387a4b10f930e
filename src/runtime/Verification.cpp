// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/Verification.h"
#include "codeobject/CodeObject.h"
#include "luthier/detail/EmulatorVerify.h"
#include "runtime/KernelAccess.h"
#include <algorithm>
#include <dlfcn.h>

using namespace llvm;

namespace luthier::runtime {
namespace {

/// Null unless this process verifies. The emulated GPU is preloaded, so it is
/// there before any of this is needed.
const luthier_verify_api *api() {
  static const auto Find = reinterpret_cast<decltype(&luthier_emulator_verify)>(
      ::dlsym(RTLD_DEFAULT, "luthier_emulator_verify"));
  return Find ? Find() : nullptr;
}

/// Functions that are not lifted run where they are, and so does the kernel
/// itself where some waves are to have no hooks.
void addCodeInPlace(const hsa::LoadedCodeObjectKernel &Original,
                    bool IsKernelInPlace, luthier_verify_kernel &K) {
  uint64_t Begin = UINT64_MAX, End = 0;
  auto add = [&](uint64_t Address, uint64_t Size) {
    Begin = std::min(Begin, Address);
    End = std::max(End, Address + Size);
  };
  for (const FunctionInfo &F : KernelAccess::codeObject(Original)->functions())
    add(F.Address, F.Size);
  if (IsKernelInPlace)
    add(KernelAccess::info(Original).EntryAddress,
        KernelAccess::info(Original).CodeSize);
  if (End == 0)
    return;
  K.in_place_begin = Begin + KernelAccess::loadBias(Original);
  K.in_place_end = End + KernelAccess::loadBias(Original);
}

} // namespace

bool isVerifying() { return api(); }

void verifyKernel(const hsa::LoadedCodeObjectKernel &Original,
                  const InstrumentedKernel &Instrumented, uint64_t Object,
                  uint64_t Entry) {
  const luthier_verify_api *Api = api();
  if (!Api)
    return;
  const uint64_t Bias = KernelAccess::loadBias(Original);
  std::vector<luthier_verify_pc_pair> Map;
  for (const PCPair &Pair : Instrumented.Map)
    Map.push_back({Entry + Pair.Offset, Pair.Original + Bias});
  std::vector<luthier_verify_hook> Hooks;
  for (const PlacedHook &Hook : Instrumented.Hooks)
    if (Hook.Original)
      Hooks.push_back({Hook.Original + Bias, Hook.Name.c_str()});
  luthier_verify_kernel K = {};
  K.struct_size = sizeof(K);
  K.original = Original.kernelObject();
  K.instrumented = Object;
  K.map = Map.data();
  K.map_count = Map.size();
  K.hooks = Hooks.data();
  K.hook_count = Hooks.size();
  addCodeInPlace(Original, Instrumented.EntersOriginal, K);
  Api->add_kernel(&K);
}

void forgetVerified(uint64_t Object) {
  if (const luthier_verify_api *Api = api())
    Api->remove_kernel(Object);
}

void excludeFromVerification(uint64_t Begin, uint64_t End) {
  if (const luthier_verify_api *Api = api())
    Api->add_own_memory(Begin, End);
}

void includeInVerification(uint64_t Begin) {
  if (const luthier_verify_api *Api = api())
    Api->remove_own_memory(Begin);
}

void verifyDispatch(hsa_kernel_dispatch_packet_t Original,
                    const hsa_kernel_dispatch_packet_t &Packet) {
  // The same begins the copy, and there both versions find the same addresses.
  Original.kernarg_address = Packet.kernarg_address;
  if (const luthier_verify_api *Api = api())
    Api->redirected(&Original, &Packet);
}

void noteUnchangedKernel(StringRef Kernel, StringRef Reason) {
  if (const luthier_verify_api *Api = api())
    Api->unchanged(Kernel.str().c_str(), Reason.str().c_str());
}

} // namespace luthier::runtime
