// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Adds code, data and symbols to a linked code object. What was there keeps its
// address and its bytes, so nothing needs to be linked again; only kernel
// descriptors change in place, and the tables that the loader reads (dynamic
// symbols, relocations, notes, program and section headers) are written anew
// behind everything.
#ifndef LUTHIER_CODEOBJECT_CODEOBJECTEXTENDER_H
#define LUTHIER_CODEOBJECT_CODEOBJECTEXTENDER_H

#include "codeobject/CodeObject.h"
#include "codeobject/LineTable.h"
#include "llvm/ADT/StringMap.h"

namespace luthier {

struct CodeObjectExtension {
  /// Addresses are as linked.
  struct Variable {
    std::string Name;
    uint64_t Address = 0, Size = 0;
  };
  /// The value is Target (plus what the loader adds to it).
  struct Relocation {
    enum RelocationKind { Absolute64, Absolute32Lo, Absolute32Hi };
    uint64_t Address = 0;
    RelocationKind Kind = Absolute64;
    /// A variable of this extension, or a symbol of the original's that the
    /// loader knows, and the distance from it; without one, Addend is the
    /// target's address. The halves need one.
    std::string Variable;
    int64_t Addend = 0;
  };
  struct Kernel {
    KernelDescriptor Descriptor; ///< All but where the entry is.
    KernelMetadata Metadata;
    uint64_t EntryAddress = 0, CodeSize = 0;
    LineTable Lines = {}; ///< From the entry on.
  };

  /// At codeAddress() of the original.
  std::vector<uint8_t> Code;
  /// At dataAddress() of that and Code's size, the zeros behind it.
  std::vector<uint8_t> Data;
  uint64_t Zeros = 0;
  std::vector<Variable> Variables;
  std::vector<Relocation> Relocations;
  llvm::StringMap<Kernel> Kernels; ///< Those that change.
};

/// Where added code and data come to lie; whole pages apart.
uint64_t codeAddress(const CodeObject &Original);
uint64_t dataAddress(const CodeObject &Original, uint64_t CodeSize);
/// Zeros begin a page of their own behind Data.
uint64_t zerosAddress(const CodeObject &Original, uint64_t CodeSize,
                      uint64_t DataSize);

/// Refuses with MalformedCodeObject what has no tables to add to, and with
/// LinkFailed a variable whose name the original defines already, or addresses
/// so high that the file, which is as long, would be more than 256 MiB longer
/// than what is in it.
llvm::Expected<std::vector<uint8_t>>
extendCodeObject(const CodeObject &Original,
                 const CodeObjectExtension &Extension);

} // namespace luthier

#endif // LUTHIER_CODEOBJECT_CODEOBJECTEXTENDER_H
