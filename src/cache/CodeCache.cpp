// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cache/CodeCache.h"
#include "cache/EntryFormat.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/BLAKE3.h"

using namespace llvm;

namespace luthier::cache {

PayloadKey CodeCache::withIdentity(const PayloadKey &Key) const {
  BLAKE3 Hasher;
  Hasher.update(O.Identity);
  Hasher.update(ArrayRef(Key));
  PayloadKey Result;
  llvm::copy(Hasher.final<sizeof(Result)>(), Result.begin());
  return Result;
}

void CodeCache::warn(const std::string &Why) {
  if (!Why.empty() && !std::exchange(HasWarned, true))
    O.Warn("cache of compiled hooks: " + Why + "; hooks are compiled instead");
}

/// A full disk, or one that cannot be written.
void CodeCache::giveUpWriting(const std::string &Why) {
  CannotWrite = true;
  O.Note("compiled hooks are not kept: " + Why);
}

std::optional<std::vector<uint8_t>> CodeCache::find(const PayloadKey &Given) {
  const PayloadKey Key = withIdentity(Given);
  std::lock_guard Guard(Lock);
  // Opened each time: a program may close all files that it does not know.
  std::string Why;
  std::optional<std::vector<uint8_t>> File;
  if (auto Folder = CacheFolder::open(O.Folder, Why))
    File = Folder->read(fileNameOf(Key), Why);
  warn(Why);
  const std::optional<EntryView> Entry =
      File ? readEntry(*File, Key) : std::nullopt;
  return Entry ? std::optional(Entry->Contents.vec()) : std::nullopt;
}

void CodeCache::keep(const PayloadKey &Given, StringRef What,
                     ArrayRef<uint8_t> Bytes) {
  const PayloadKey Key = withIdentity(Given);
  const std::vector<uint8_t> File = makeEntry(Key, What, Bytes);
  std::lock_guard Guard(Lock);
  if (CannotWrite)
    return;
  std::string Why;
  auto Folder = CacheFolder::create(O.Folder, Why);
  if (!Folder)
    return giveUpWriting(Why);
  if (!makeRoom(*Folder, File.size()))
    return;
  if (!Folder->write(fileNameOf(Key), File, Why))
    return giveUpWriting(Why);
  KnownBytes += File.size();
}

/// Removes what has not been used for the longest time, until \p Bytes fit and
/// some more: the files are not looked at for each one that is written.
bool CodeCache::makeRoom(const CacheFolder &Folder, uint64_t Bytes) {
  constexpr unsigned FilesPerWrite = 1000;
  if (Bytes > O.LimitBytes)
    return false;
  if (UncheckedWrites && KnownBytes + Bytes <= O.LimitBytes) {
    --UncheckedWrites;
    return true;
  }
  std::vector<CacheFolder::File> Files = Folder.list();
  KnownBytes = 0;
  for (const CacheFolder::File &F : Files)
    KnownBytes += F.Bytes;
  UncheckedWrites = Files.size() / FilesPerWrite;
  if (KnownBytes + Bytes <= O.LimitBytes)
    return true;
  const uint64_t Wanted = std::min(O.LimitBytes - Bytes, O.LimitBytes / 4 * 3);
  sort(Files, [](const CacheFolder::File &A, const CacheFolder::File &B) {
    return A.LastUse < B.LastUse;
  });
  for (const CacheFolder::File &F : Files) {
    if (KnownBytes <= Wanted)
      break;
    Folder.remove(F.Name); // Or another process has done so.
    KnownBytes -= F.Bytes;
  }
  return true;
}

} // namespace luthier::cache
