// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where libluthier.so reaches the judge of `luthier verify`.
#include "emulator/kmt/Session.h"
#include "luthier/detail/EmulatorVerify.h"

using namespace luthier::emulator;

namespace {

/// In a forked child there is none until it opens the device.
Verifier *verifier() {
  Session *S = Session::current();
  return S ? S->verifier() : nullptr;
}

void addKernel(const luthier_verify_kernel *Kernel) {
  if (Verifier *V = verifier())
    V->addKernel(*Kernel);
}

void removeKernel(uint64_t Instrumented) {
  if (Verifier *V = verifier())
    V->removeKernel(Instrumented);
}

void addOwnMemory(uint64_t Begin, uint64_t End) {
  if (Verifier *V = verifier())
    V->addOwnMemory(Begin, End);
}

void removeOwnMemory(uint64_t Begin) {
  if (Verifier *V = verifier())
    V->removeOwnMemory(Begin);
}

void redirected(const void *Original, const void *Submitted) {
  using Packet = hsa_kernel_dispatch_packet_t;
  if (Verifier *V = verifier())
    V->redirected(*static_cast<const Packet *>(Original),
                  *static_cast<const Packet *>(Submitted));
}

void unchanged(const char *Kernel, const char *Reason) {
  if (Verifier *V = verifier())
    V->noteUnchanged(Kernel, Reason);
}

constexpr luthier_verify_api Api = {sizeof(luthier_verify_api),
                                    addKernel,
                                    removeKernel,
                                    addOwnMemory,
                                    redirected,
                                    unchanged,
                                    removeOwnMemory};

} // namespace

extern "C" __attribute__((visibility("default"))) const luthier_verify_api *
luthier_emulator_verify(void) {
  return verifier() ? &Api : nullptr;
}
