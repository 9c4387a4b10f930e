// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/PayloadCache.h"
#include "cache/BuildIdentity.h"
#include "cache/CodeCache.h"
#include "runtime/Log.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/TargetParser/Host.h"
#include <cstdlib>

using namespace llvm;

namespace luthier::runtime {

static PayloadStore *makeCache() {
  cache::CodeCache::Options Options;
  const char *Size = std::getenv("LUTHIER_CACHE_SIZE");
  std::optional<uint64_t> Limit = cache::limitOf(Size);
  if (!Limit) {
    logWarning(Twine("LUTHIER_CACHE_SIZE=") + Size +
               " is no number of MiB; the default stands in for it");
    Limit = cache::limitOf(nullptr);
  }
  Options.LimitBytes = *Limit;
  Options.Folder = cache::defaultFolder();
  // This library, and the one that generates code.
  const std::string Builds = cache::buildIdentity(
      {reinterpret_cast<const void *>(&payloadCache),
       reinterpret_cast<const void *>(&sys::getDefaultTargetTriple)});
  if (!Options.LimitBytes || Options.Folder.empty() || Builds.empty())
    return nullptr;
  Options.Identity = Builds + LLVM_VERSION_STRING;
  Options.Warn = [](const Twine &Text) { logWarning(Text); };
  Options.Note = [](const Twine &Text) { logDebug(Text); };
  return new cache::CodeCache(std::move(Options));
}

PayloadStore *payloadCache() {
  static PayloadStore *const Cache = makeCache();
  return Cache;
}

} // namespace luthier::runtime
