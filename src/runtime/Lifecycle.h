// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The end of the process, as the runtime sees it.
#ifndef LUTHIER_RUNTIME_LIFECYCLE_H
#define LUTHIER_RUNTIME_LIFECYCLE_H

namespace luthier::runtime {

/// Has the tools' end come before objects are destroyed that exist by now, such
/// as LLVM makes them in functions: a thread may be instrumenting with them
/// when main() returns.
void endBeforeWhatExists();

} // namespace luthier::runtime

#endif // LUTHIER_RUNTIME_LIFECYCLE_H
