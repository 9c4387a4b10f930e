// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LUTHIER_RUNTIME_PAYLOADCACHE_H
#define LUTHIER_RUNTIME_PAYLOADCACHE_H

#include "hook/PayloadStore.h"

namespace luthier::runtime {

/// The user's cache of compiled hooks; null where there is none: by
/// LUTHIER_CACHE_SIZE=0, without a folder for it, or if a library does not say
/// which build it is.
PayloadStore *payloadCache();

} // namespace luthier::runtime

#endif // LUTHIER_RUNTIME_PAYLOADCACHE_H
