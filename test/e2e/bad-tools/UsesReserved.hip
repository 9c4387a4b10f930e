// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A tool that hands its hooks a number in a field of the packet that nobody
// else uses.
#include "luthier/luthier.h"

MARK_LUTHIER_DEVICE_MODULE
__attribute__((managed)) uint64_t Sum;

LUTHIER_HOOK_ANNOTATE addNumber() {
  const auto *Packet =
      (const __attribute__((address_space(4)))
       hsa_kernel_dispatch_packet_t *)__builtin_amdgcn_dispatch_ptr();
  const uint64_t Active = __builtin_amdgcn_read_exec();
  luthier::writeExec(1);
  atomicAdd(&Sum, Packet->reserved2);
  luthier::writeExec(Active);
}
LUTHIER_EXPORT_HOOK_HANDLE(addNumber);

struct UsesReserved : luthier::Tool {
  llvm::Error instrument(luthier::LiftedRepresentation &LR,
                         luthier::InstrumentationTask &Task) override {
    return Task.insertHookAtKernelEntry(LUTHIER_GET_HOOK_HANDLE(addNumber));
  }
  void onDispatch(luthier::KernelDispatch &Dispatch) override {
    Dispatch.Packet.reserved2 = 7;
    Tool::onDispatch(Dispatch);
    // Also when the packet is redirected already.
    Dispatch.Packet.reserved2 = 1000;
  }
  void report(llvm::raw_ostream &OS) override {
    OS << "sum of numbers: " << Sum << '\n';
  }
};
LUTHIER_TOOL(UsesReserved)
