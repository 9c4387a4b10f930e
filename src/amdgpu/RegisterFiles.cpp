// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "amdgpu/RegisterFiles.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/StringSwitch.h"

using namespace llvm;

namespace luthier::amdgpu {

static bool isHalf(StringRef Name) {
  return Name.ends_with("_LO16") || Name.ends_with("_HI16");
}

/// The names say it all: SGPR5, VGPR4_VGPR5, AGPR0_HI16.
static RegisterRange parseName(StringRef Name) {
  RegisterFile File = StringSwitch<RegisterFile>(Name.take_front(4))
                          .Case("SGPR", RegisterFile::SGPR)
                          .Case("VGPR", RegisterFile::VGPR)
                          .Case("AGPR", RegisterFile::AGPR)
                          .Default(RegisterFile::None);
  unsigned First;
  StringRef Rest = Name.drop_front(std::min<size_t>(4, Name.size()));
  if (File == RegisterFile::None || Rest.consumeInteger(10, First))
    return {};
  // Every further register of a tuple stands behind one of these.
  return {File, First, isHalf(Name) ? 1 : 1 + unsigned(Rest.count('_'))};
}

static void put(std::vector<MCRegister> &List, unsigned Index, MCRegister Reg) {
  if (List.size() <= Index)
    List.resize(Index + 1);
  List[Index] = Reg;
}

const RegisterFiles &RegisterFiles::of(const MCRegisterInfo &MRI) {
  // Never destroyed: threads may still be at work while the process ends.
  static const auto &Files = *new RegisterFiles(MRI);
  return Files;
}

RegisterFiles::RegisterFiles(const MCRegisterInfo &MRI) {
  Ranges.reserve(MRI.getNumRegs());
  for (unsigned Id = 0; Id < MRI.getNumRegs(); ++Id) {
    StringRef Name = MRI.getName(Id);
    RegisterRange Range = parseName(Name);
    Ranges.push_back(Range);
    if (isHalf(Name))
      continue;
    if (Range.Count == 1)
      put(Single[Range.File], Range.First, Id);
    else if (Range.Count == Widest)
      put(Wide[Range.File], Range.First, Id);
    else if (Range.Count == 2)
      put(Pairs[Range.File], Range.First, Id);
  }
}

} // namespace luthier::amdgpu
