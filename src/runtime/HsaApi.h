// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The functions of the GPU runtime as they were before Luthier wrapped some of
// them. Luthier calls nothing but these: its own queues and executables do not
// come back through its wrappers, and libluthier.so needs not link the GPU
// runtime, so that loading a tool starts none.
#ifndef LUTHIER_RUNTIME_HSAAPI_H
#define LUTHIER_RUNTIME_HSAAPI_H

#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/Error.h"
#include <hsa/hsa.h>
#include <hsa/hsa_api_trace.h>
#include <hsa/hsa_ext_amd.h>
#include <hsa/hsa_ven_amd_loader.h>
#include <string>
#include <vector>

namespace luthier::runtime {

using LoaderTable = hsa_ven_amd_loader_1_01_pfn_t;

/// AMD's extensions by name, whatever the runtime's version. Null where it
/// lacks one.
struct AmdApi {
#define LUTHIER_AMD_EXT(Function, Early, Late)                                 \
  decltype(::Function) *Function##_fn;
#include "runtime/AmdExtMembers.def"
};

/// The same in the table that the application calls through: places of
/// pointers.
struct AmdApiSlots {
#define LUTHIER_AMD_EXT(Function, Early, Late)                                 \
  decltype(::Function) **Function##_fn;
#include "runtime/AmdExtMembers.def"
};

/// Copies the tables. Called from OnLoad, before anything is wrapped. Fails if
/// the runtime's interface is unknown or lacks something Luthier cannot do
/// without.
llvm::Error saveHsaApi(const HsaApiTable &Table);

/// Of a table that could be saved.
AmdApiSlots amdApiSlots(HsaApiTable &Table);

/// False until OnLoad and after OnUnload: then nothing below may be called.
bool isHsaOpen();
void closeHsaApi();

const CoreApiTable &coreApi();
const AmdApi &amdApi();
/// Null if the runtime has no loader extension.
const LoaderTable *loaderApi();

/// Success, or an error that says what failed and why.
llvm::Error checkHsa(hsa_status_t Status, const llvm::Twine &What);

/// The agent's first ISA, such as "amdgcn-amd-amdhsa--gfx90a:sramecc+:xnack-".
llvm::Expected<std::string> isaName(hsa_agent_t Agent);

std::vector<hsa_agent_t> gpuAgents();

} // namespace luthier::runtime

#endif // LUTHIER_RUNTIME_HSAAPI_H
