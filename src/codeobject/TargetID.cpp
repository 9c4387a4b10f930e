// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "codeobject/TargetID.h"
#include "luthier/Refusal.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/BinaryFormat/ELF.h"

using namespace llvm;
using namespace luthier;

namespace {

Error invalid(const Twine &Detail) {
  return refuse(RefusalReason::MalformedCodeObject, Detail);
}

StringRef processorName(uint32_t Mach) {
  switch (Mach) {
#define LUTHIER_PROCESSOR(Mach, Name, Generic)                                 \
  case ELF::EF_AMDGPU_MACH_AMDGCN_##Mach:                                      \
    return Name;
#include "codeobject/Processors.def"
  default:
    return "";
  }
}

/// Drops the offload kind and the triple. Processors can contain hyphens
/// themselves ("gfx9-4-generic"), and so can settings.
StringRef withoutTriple(StringRef Text) {
  const size_t At = Text.rfind("-gfx");
  return At == StringRef::npos ? Text : Text.drop_front(At + 1);
}

/// A setting that the processor lacks and one that the code does not mind both
/// read as unset: either way there is nothing to match.
std::optional<bool> setting(uint32_t Bits, uint32_t Off, uint32_t On) {
  if (Bits == On)
    return true;
  if (Bits == Off)
    return false;
  return std::nullopt;
}

} // namespace

Expected<TargetID> TargetID::parse(StringRef Text) {
  SmallVector<StringRef, 3> Parts;
  withoutTriple(Text).split(Parts, ':');

  TargetID ID;
  ID.Processor = Parts.front().str();
  const bool Named =
      Parts.front().starts_with("gfx") && Parts.front().size() > 3 &&
      all_of(Parts.front(), [](char C) { return isAlnum(C) || C == '-'; });
  if (!Named)
    return invalid("'" + Text + "' names no AMD GPU processor");

  for (StringRef Setting : drop_begin(Parts)) {
    const bool On = Setting.ends_with("+");
    if (!On && !Setting.ends_with("-"))
      return invalid("'" + Setting + "' in target '" + Text +
                     "' is neither on (+) nor off (-)");
    const StringRef Name = Setting.drop_back();
    if (Name != "xnack" && Name != "sramecc")
      return invalid("unknown setting '" + Name + "' in target '" + Text + "'");
    std::optional<bool> &Value = Name == "xnack" ? ID.Xnack : ID.SramEcc;
    if (Value)
      return invalid("target '" + Text + "' sets '" + Name + "' twice");
    Value = On;
  }
  return ID;
}

Expected<TargetID> TargetID::fromElf(uint32_t Flags, uint8_t AbiVersion) {
  // The meaning of the flags depends on the version; those read here agree.
  if (Expected<unsigned> Version = codeObjectVersion(AbiVersion); !Version)
    return Version.takeError();

  TargetID ID;
  ID.Processor = processorName(Flags & ELF::EF_AMDGPU_MACH).str();
  if (ID.Processor.empty())
    return invalid("e_flags 0x" + utohexstr(Flags) +
                   " name a processor that is not known");
  ID.Xnack = setting(Flags & ELF::EF_AMDGPU_FEATURE_XNACK_V4,
                     ELF::EF_AMDGPU_FEATURE_XNACK_OFF_V4,
                     ELF::EF_AMDGPU_FEATURE_XNACK_ON_V4);
  ID.SramEcc = setting(Flags & ELF::EF_AMDGPU_FEATURE_SRAMECC_V4,
                       ELF::EF_AMDGPU_FEATURE_SRAMECC_OFF_V4,
                       ELF::EF_AMDGPU_FEATURE_SRAMECC_ON_V4);
  return ID;
}

std::string TargetID::str() const {
  std::string Text = Processor;
  if (SramEcc)
    Text += *SramEcc ? ":sramecc+" : ":sramecc-";
  if (Xnack)
    Text += *Xnack ? ":xnack+" : ":xnack-";
  return Text;
}

bool TargetID::runsOn(const TargetID &Device) const {
  return Processor == Device.Processor && (!Xnack || Xnack == Device.Xnack) &&
         (!SramEcc || SramEcc == Device.SramEcc);
}

std::string TargetID::featureString() const {
  SmallVector<StringRef, 2> Features;
  if (Xnack)
    Features.push_back(*Xnack ? "+xnack" : "-xnack");
  if (SramEcc)
    Features.push_back(*SramEcc ? "+sramecc" : "-sramecc");
  return join(Features, ",");
}

Expected<unsigned> luthier::codeObjectVersion(uint8_t AbiVersion) {
  switch (AbiVersion) {
  case ELF::ELFABIVERSION_AMDGPU_HSA_V4:
    return 4;
  case ELF::ELFABIVERSION_AMDGPU_HSA_V5:
    return 5;
  case ELF::ELFABIVERSION_AMDGPU_HSA_V6:
    return 6;
  case ELF::ELFABIVERSION_AMDGPU_HSA_V2:
  case ELF::ELFABIVERSION_AMDGPU_HSA_V3:
    return invalid("code object version " + Twine(unsigned(AbiVersion) + 2) +
                   " is too old; 4, 5 and 6 are supported");
  default:
    return invalid("unknown ABI version " + Twine(unsigned(AbiVersion)));
  }
}
