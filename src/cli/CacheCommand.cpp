// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `luthier cache`: what earlier runs have kept of compiled hooks.
#include "cache/CacheFolder.h"
#include "cache/EntryFormat.h"
#include "cli/Arguments.h"
#include "cli/Commands.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Chrono.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"
#include <cstdlib>

using namespace llvm;
using luthier::cache::CacheFolder;

namespace luthier::cli {
namespace {

constexpr char Help[] =
    R"(usage: luthier cache list|clear|path

Hooks that luthier run and luthier instrument have compiled are kept in a cache
of the user's, so that they need not be compiled again for the same kernel. An
entry counts only for the same builds of Luthier and LLVM, the same hooks,
arguments, registers and target; damaged ones count for nothing.

  list   the entries, the ones used last first: bytes, last use, tool, target
         and hooks
  clear  removes them all; programs that run go on, and compile anew
  path   the folder: XDG_CACHE_HOME/luthier/code, or ~/.cache/luthier/code

It must belong to the user, and nobody else may write to it: otherwise Luthier
takes nothing from it.

environment:
  LUTHIER_CACHE_SIZE=MIB   room for all entries (256; 0: no cache). Entries that
                           have not been used for the longest time go first.
)";

int fail(const Twine &Why) {
  errs() << "luthier: error: " << Why << '\n';
  return Failed;
}

std::string describe(const CacheFolder &Folder, const CacheFolder::File &File) {
  std::string Why;
  const auto Bytes = Folder.peek(File.Name, Why);
  if (!Bytes)
    return Why.empty() ? "cannot be read" : "not used: " + Why;
  const auto Entry = cache::readEntry(*Bytes, *cache::keyOf(File.Name));
  return Entry ? Entry->What.str() : "damaged";
}

int list(const CacheFolder &Folder) {
  std::vector<CacheFolder::File> Files = Folder.list();
  sort(Files,
       [](const auto &A, const auto &B) { return A.LastUse > B.LastUse; });
  uint64_t Bytes = 0;
  for (const CacheFolder::File &File : Files) {
    const sys::TimePoint<> Time{std::chrono::nanoseconds(File.LastUse)};
    outs() << formatv("{0,8}  {1:%Y-%m-%d %H:%M}  {2}\n", File.Bytes, Time,
                      describe(Folder, File));
    Bytes += File.Bytes;
  }
  outs() << Files.size() << " entries, " << Bytes << " bytes\n";
  return Success;
}

int clear(const CacheFolder &Folder) {
  uint64_t Removed = 0;
  for (const CacheFolder::File &File : Folder.list(/*Everything=*/true))
    Removed += Folder.remove(File.Name);
  outs() << Removed << " entries removed\n";
  return Success;
}

} // namespace

int cacheCommand(int Argc, char **Argv) {
  const auto Given = Arguments::parse(Argc, Argv, {{"--help"}, {"-h"}});
  if (!Given)
    return Misuse;
  if (Given->has("--help") || Given->has("-h")) {
    outs() << Help;
    return Success;
  }
  const std::string *Action = Given->single("action");
  if (!Action)
    return Misuse;
  if (*Action != "list" && *Action != "clear" && *Action != "path") {
    errs() << "luthier: error: unknown action '" << *Action
           << "'; see luthier cache --help\n";
    return Misuse;
  }
  const std::string Path = cache::defaultFolder();
  if (Path.empty())
    return fail("neither XDG_CACHE_HOME nor HOME names a folder");
  if (*Action == "path") {
    outs() << Path << '\n';
    return Success;
  }
  std::string Why;
  auto Folder = CacheFolder::open(Path, Why);
  if (!Why.empty())
    return fail(Why);
  if (!Folder) {
    outs() << (*Action == "list" ? "0 entries, 0 bytes\n"
                                 : "0 entries removed\n");
    return Success;
  }
  return *Action == "list" ? list(*Folder) : clear(*Folder);
}

} // namespace luthier::cli
