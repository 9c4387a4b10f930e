// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Luthier's versions of the functions in Wrappers.def.
#ifndef LUTHIER_RUNTIME_WRAPPERS_H
#define LUTHIER_RUNTIME_WRAPPERS_H

#include <hsa/hsa.h>
#include <hsa/hsa_api_trace.h>
#include <hsa/hsa_ext_amd.h>

namespace luthier::runtime {

namespace wrap {
#define LUTHIER_WRAP_CORE(Function) decltype(::Function) Function;
#define LUTHIER_WRAP_AMD(Function) decltype(::Function) Function;
#include "runtime/Wrappers.def"
} // namespace wrap

/// Puts the wrappers into the table that the application calls through.
void installWrappers(HsaApiTable &Table);

/// At the end: a tool that has put a function of its own into that table later,
/// which makes the program's queues without Luthier's. Says, once, that tools
/// have seen no kernel. The GPU runtime is still there.
void complainOfOtherQueues();

} // namespace luthier::runtime

#endif // LUTHIER_RUNTIME_WRAPPERS_H
