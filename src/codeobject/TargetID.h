// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The processor that a code object is for, and the settings it needs.
#ifndef LUTHIER_CODEOBJECT_TARGETID_H
#define LUTHIER_CODEOBJECT_TARGETID_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <cstdint>
#include <optional>
#include <string>

namespace luthier {

/// The processor and its settings, as in "gfx90a:sramecc+:xnack-".
struct TargetID {
  std::string Processor;
  /// Unset where the code object runs with either setting.
  std::optional<bool> Xnack;
  std::optional<bool> SramEcc;

  /// "amdgcn-amd-amdhsa--gfx90a:xnack-" or the same without the triple; also
  /// with an offload kind before the triple ("hipv4-"), as bundles have it.
  static llvm::Expected<TargetID> parse(llvm::StringRef Text);
  /// From the ELF header of a code object. \p AbiVersion is EI_ABIVERSION.
  static llvm::Expected<TargetID> fromElf(uint32_t Flags, uint8_t AbiVersion);

  /// Without a triple, settings in alphabetical order: "gfx90a:sramecc+".
  std::string str() const;
  /// True if code for this target runs on \p Device, whose settings are all
  /// known. Generic processors count as processors of their own.
  bool runsOn(const TargetID &Device) const;
  /// LLVM subtarget features, such as "-xnack,+sramecc".
  std::string featureString() const;

  friend bool operator==(const TargetID &, const TargetID &) = default;
};

/// 4, 5 or 6; fails for another code object version. \p AbiVersion is
/// EI_ABIVERSION.
llvm::Expected<unsigned> codeObjectVersion(uint8_t AbiVersion);

} // namespace luthier

#endif // LUTHIER_CODEOBJECT_TARGETID_H
