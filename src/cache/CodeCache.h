// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A PayloadStore in files: what one process has compiled, the next one finds.
#ifndef LUTHIER_CACHE_CODECACHE_H
#define LUTHIER_CACHE_CODECACHE_H

#include "cache/CacheFolder.h"
#include "hook/PayloadStore.h"
#include "llvm/ADT/Twine.h"
#include <functional>
#include <mutex>

namespace luthier::cache {

class CodeCache : public PayloadStore {
public:
  struct Options {
    std::string Folder; ///< Created when there is something to keep.
    /// Of all files together. Processes that write at the same time may exceed
    /// it by one file each until the next of them writes.
    uint64_t LimitBytes = 0;
    std::string Identity; ///< Of the programs that compile.
    /// Hears, once, of something that others may write to.
    std::function<void(const llvm::Twine &)> Warn = [](const llvm::Twine &) {};
    /// Hears why nothing can be kept, where that harms nobody.
    std::function<void(const llvm::Twine &)> Note = [](const llvm::Twine &) {};
  };

  explicit CodeCache(Options O) : O(std::move(O)) {}

  std::optional<std::vector<uint8_t>> find(const PayloadKey &Key) override;
  void keep(const PayloadKey &Key, llvm::StringRef What,
            llvm::ArrayRef<uint8_t> Bytes) override;

private:
  PayloadKey withIdentity(const PayloadKey &Key) const;
  bool makeRoom(const CacheFolder &Folder, uint64_t Bytes);
  void warn(const std::string &Why);
  void giveUpWriting(const std::string &Why);

  const Options O;
  std::mutex Lock;
  bool HasWarned = false;
  bool CannotWrite = false; ///< It failed once.
  /// Of the files, as far as they are known.
  uint64_t KnownBytes = 0;
  unsigned UncheckedWrites = 0; ///< Until the files are looked at again.
};

} // namespace luthier::cache

#endif // LUTHIER_CACHE_CODECACHE_H
