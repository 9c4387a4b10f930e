// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From a kernel to its instrumented version: say what to insert, run the
// result. Every call fails with a Refusal where Luthier leaves the kernel
// alone; the caller then simply dispatches the original.
#ifndef LUTHIER_INSTRUMENT_H
#define LUTHIER_INSTRUMENT_H

#include "luthier/Export.h"
#include "luthier/InstrumentationTask.h"
#include "luthier/Kernel.h"
#include "luthier/LiftedRepresentation.h"
#include "luthier/Refusal.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace luthier {

class KernelDispatch;

/// The kernel's lifted form, cached; shared by all callers, hence const. Valid
/// until the tool's callback, or Mutator, returns in which it was asked for;
/// outside of these, until the application unloads the code.
LUTHIER_API llvm::Expected<const LiftedRepresentation &>
lift(const hsa::LoadedCodeObjectKernel &Kernel);

/// Fills the task; may also edit the representation, which is a private copy.
using Mutator = llvm::function_ref<llvm::Error(InstrumentationTask &,
                                               LiftedRepresentation &)>;

/// Runs \p Mutate on a private lifted copy of \p Kernel, instruments, and loads
/// the result beside the original under the name \p Preset. Does nothing if
/// that kernel already has this preset. Thread-safe. Where the kernel's stack
/// is as large as each dispatch says, hooks that need stack themselves are
/// refused with DynamicStack, but within Tool::onDispatch() of a dispatch of
/// it.
LUTHIER_API llvm::Error
instrumentAndLoad(const hsa::LoadedCodeObjectKernel &Kernel, Mutator Mutate,
                  llvm::StringRef Preset);

/// As it was published; \p Lifted says nothing that \p Kernel does not.
inline llvm::Error
instrumentAndLoad(const hsa::LoadedCodeObjectKernel &Kernel,
                  [[maybe_unused]] const LiftedRepresentation &Lifted,
                  Mutator Mutate, llvm::StringRef Preset) {
  return instrumentAndLoad(Kernel, Mutate, Preset);
}

/// Redirects the packet to the version that instrumentAndLoad() made. Changes
/// nothing when it fails, nor where nothing was inserted (an empty task, hooks
/// that do nothing): such a kernel has no other version.
LUTHIER_API llvm::Error overrideWithInstrumented(KernelDispatch &Dispatch,
                                                 llvm::StringRef Preset);
/// Likewise for a packet that Tool::onDispatch() is called for in this thread.
LUTHIER_API llvm::Error
overrideWithInstrumented(hsa_kernel_dispatch_packet_t &Packet,
                         llvm::StringRef Preset);

/// Both, for the kernel that \p Dispatch runs.
LUTHIER_API llvm::Error instrumentAndOverride(KernelDispatch &Dispatch,
                                              Mutator Mutate,
                                              llvm::StringRef Preset);

} // namespace luthier

#endif // LUTHIER_INSTRUMENT_H
