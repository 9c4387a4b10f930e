// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "codeobject/GenericTarget.h"
#include "llvm/BinaryFormat/ELF.h"

using namespace llvm;

namespace luthier {
namespace {

struct Processor {
  uint32_t Mach;
  StringRef Name, Generic;
};
constexpr Processor Processors[] = {
#define LUTHIER_PROCESSOR(Mach, Name, Generic)                                 \
  {ELF::EF_AMDGPU_MACH_AMDGCN_##Mach, Name, Generic},
#include "codeobject/Processors.def"
};

const Processor *find(StringRef Name) {
  for (const Processor &P : Processors)
    if (P.Name == Name)
      return &P;
  return nullptr;
}

} // namespace

TargetID targetOn(const TargetID &Code, const TargetID &Device) {
  TargetID Result = Code;
  const Processor *P = find(Device.Processor);
  if (P && !P->Generic.empty() && P->Generic == Code.Processor)
    Result.Processor = Device.Processor;
  return Result;
}

uint32_t flagsFor(StringRef Name, uint32_t Flags) {
  const Processor *P = find(Name);
  if (!P || P->Mach == (Flags & ELF::EF_AMDGPU_MACH))
    return Flags;
  return (Flags & ~(ELF::EF_AMDGPU_MACH | ELF::EF_AMDGPU_GENERIC_VERSION)) |
         P->Mach;
}

} // namespace luthier
