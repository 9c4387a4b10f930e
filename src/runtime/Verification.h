// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tells the emulated GPU, where the program runs on one and the user asked it
// to verify, what is an instrumented version of what. Elsewhere nothing here
// does anything.
#ifndef LUTHIER_RUNTIME_VERIFICATION_H
#define LUTHIER_RUNTIME_VERIFICATION_H

#include "luthier/Kernel.h"
#include "rewrite/Result.h"
#include <hsa/hsa.h>

namespace luthier::runtime {

bool isVerifying();

/// \p Object and \p Entry are the instrumented version's kernel object and
/// first instruction on the device.
void verifyKernel(const hsa::LoadedCodeObjectKernel &Original,
                  const InstrumentedKernel &Instrumented, uint64_t Object,
                  uint64_t Entry);
void forgetVerified(uint64_t Object);

/// Device addresses that belong to tools.
void excludeFromVerification(uint64_t Begin, uint64_t End);
void includeInVerification(uint64_t Begin);

/// \p Packet was \p Original and has been changed to run an instrumented
/// version.
void verifyDispatch(hsa_kernel_dispatch_packet_t Original,
                    const hsa_kernel_dispatch_packet_t &Packet);

void noteUnchangedKernel(llvm::StringRef Kernel, llvm::StringRef Reason);

} // namespace luthier::runtime

#endif // LUTHIER_RUNTIME_VERIFICATION_H
