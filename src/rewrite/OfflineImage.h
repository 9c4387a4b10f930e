// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An instrumented kernel before it is linked: what goes into a file that holds
// the original, too. Nothing is loaded, so addresses of the tool's variables
// are still to be filled in.
#ifndef LUTHIER_REWRITE_OFFLINEIMAGE_H
#define LUTHIER_REWRITE_OFFLINEIMAGE_H

#include "codeobject/CodeObject.h"
#include "rewrite/LineInfo.h"

namespace luthier {

/// A literal in the code that becomes half of an address.
struct PlacedFixup {
  uint64_t Offset = 0; ///< Of its four bytes in the code.
  Fixup::FixupKind Kind = Fixup::Abs32Lo;
  std::string Variable; ///< As the tool's code object calls it.
  const HookModule *Module = nullptr;
  int64_t Addend = 0; ///< To the address, before it is split.
};

struct OfflineImage {
  /// Begins with the kernel's entry, at InstrumenterOptions::LinkedAt.
  std::vector<uint8_t> Code;
  KernelDescriptor Descriptor; ///< All but where the entry is.
  KernelMetadata Metadata;
  std::vector<PlacedFixup> Fixups;
  LineTable Lines = {};
};

/// Where the copies of \p Payloads that are \p Placed have such literals.
/// \p Variants says whose payloads they are.
std::vector<PlacedFixup> placeFixups(llvm::ArrayRef<PlacedPayload> Placed,
                                     llvm::ArrayRef<Payload> Payloads,
                                     llvm::ArrayRef<PayloadVariant> Variants);

} // namespace luthier

#endif // LUTHIER_REWRITE_OFFLINEIMAGE_H
