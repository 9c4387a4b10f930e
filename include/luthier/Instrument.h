// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The three steps from a kernel to its instrumented version: lift it, say what
// to insert, run the result. Every call fails with a Refusal where Luthier
// leaves the kernel alone; the caller then simply dispatches the original.
#ifndef LUTHIER_INSTRUMENT_H
#define LUTHIER_INSTRUMENT_H

#include "luthier/Export.h"
#include "luthier/InstrumentationTask.h"
#include "luthier/Kernel.h"
#include "luthier/LiftedRepresentation.h"
#include "luthier/Refusal.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace luthier {

/// The kernel's lifted form, cached; shared by all callers, hence const.
LUTHIER_API llvm::Expected<const LiftedRepresentation &>
lift(const hsa::LoadedCodeObjectKernel &Kernel);

/// Fills the task; may also edit the representation, which is a private copy.
using Mutator = llvm::function_ref<llvm::Error(InstrumentationTask &,
                                               LiftedRepresentation &)>;

/// Runs \p Mutate on a copy of \p Lifted, instruments, and loads the result
/// beside the original under the name \p Preset. Does nothing if that kernel
/// already has this preset. Thread-safe. Where the kernel's stack is as large
/// as each dispatch says, hooks that need stack themselves are refused with
/// DynamicStack, but within Tool::onDispatch() of a dispatch of it.
LUTHIER_API llvm::Error
instrumentAndLoad(const hsa::LoadedCodeObjectKernel &Kernel,
                  const LiftedRepresentation &Lifted, Mutator Mutate,
                  llvm::StringRef Preset);

/// Redirects \p Packet to the version that instrumentAndLoad() made. Changes
/// nothing when it fails.
LUTHIER_API llvm::Error
overrideWithInstrumented(hsa_kernel_dispatch_packet_t &Packet,
                         llvm::StringRef Preset);

} // namespace luthier

#endif // LUTHIER_INSTRUMENT_H
