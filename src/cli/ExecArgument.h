// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A kernel argument as `luthier exec --arg` has it.
#ifndef LUTHIER_CLI_EXECARGUMENT_H
#define LUTHIER_CLI_EXECARGUMENT_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <cstdint>
#include <string>
#include <vector>

namespace luthier::cli {

struct ExecArgument {
  /// As given, for messages.
  std::string Text;
  /// A value's bytes, or a buffer's contents.
  std::vector<uint8_t> Bytes;
  bool IsBuffer = false;
  /// Where the buffer goes afterwards; empty for nowhere.
  std::string OutputPath;

  /// What the kernel gets: a value's own bytes, or a pointer.
  size_t size() const { return IsBuffer ? sizeof(uint64_t) : Bytes.size(); }

  /// TYPE:VALUE, buf:SIZE, buf:@FILE with >FILE behind them, out:SIZE@FILE, or
  /// hex:BYTES. Reads input files.
  static llvm::Expected<ExecArgument> parse(llvm::StringRef Text);
};

/// A number of bytes: 4096, 0x1000, 4K, 1M.
bool parseSize(llvm::StringRef Text, uint64_t &Size);

} // namespace luthier::cli

#endif // LUTHIER_CLI_EXECARGUMENT_H
