// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the instrumented kernel takes of the machine, for hardware (descriptor)
// and for people (metadata).
#ifndef LUTHIER_CODEOBJECT_RESOURCEGROWTH_H
#define LUTHIER_CODEOBJECT_RESOURCEGROWTH_H

#include "codeobject/CodeObject.h"
#include "luthier/Analysis.h"

namespace luthier {

/// Scalar registers of the wave, before gfx10 the last of its allocation, that
/// hooks use and the application does not.
struct SpecialScalars {
  bool VCC = false, FlatScratch = false;
};
/// Registers to grow to where the application, which uses \p Used, leaves no
/// room for \p Wanted; 0 where it does.
unsigned scalarsForSpecial(unsigned Used, const SpecialScalars &Wanted,
                           const RegisterFileTraits &Traits,
                           const KernelDescriptor &Descriptor);

/// Brings descriptor and metadata up to \p Wanted; \p Own is what the
/// descriptor allocates.
void growRegisters(const RegisterUse &Own, RegisterUse Wanted,
                   const RegisterFileTraits &Traits,
                   KernelDescriptor &Descriptor, KernelMetadata &Metadata);

/// What the packet's group segment is rounded up to before hooks add theirs.
inline constexpr unsigned GroupSegmentAlignment = 16;

/// Bytes to add to the application's group segment for \p Bytes of hooks, so
/// that their share ends where the whole ends and can be aligned to \p Align.
/// Unless
/// \p IsRounded, nobody rounds the packet's size up first, whose dynamic part
/// may be any number.
unsigned extraGroupSegment(unsigned Bytes, unsigned Align, bool IsRounded);

/// The same for memory; \p Stack and \p ExtraGroup are bytes.
void growMemory(unsigned Stack, unsigned ExtraGroup,
                KernelDescriptor &Descriptor, KernelMetadata &Metadata);

} // namespace luthier

#endif // LUTHIER_CODEOBJECT_RESOURCEGROWTH_H
