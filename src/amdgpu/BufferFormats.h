// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sizes of the element formats of typed buffer accesses. In every layout's
// numbering they grow with the number.
#ifndef LUTHIER_AMDGPU_BUFFERFORMATS_H
#define LUTHIER_AMDGPU_BUFFERFORMATS_H

#include "amdgpu/TargetTraits.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/ErrorHandling.h"

namespace luthier::amdgpu {

struct FormatSize {
  unsigned LastFormat; ///< With this size.
  unsigned Bytes;
};

/// Rows in ascending order. The first layout counts data formats, the others
/// count pairs of data and number formats.
inline llvm::ArrayRef<FormatSize> formatSizes(BufferLayout Layout) {
  static constexpr FormatSize Gfx9[] = {{0, 0},  {1, 1},   {3, 2},  {10, 4},
                                        {12, 8}, {13, 12}, {14, 16}};
  static constexpr FormatSize Gfx10[] = {{0, 0},  {6, 1},   {19, 2}, {61, 4},
                                         {71, 8}, {74, 12}, {77, 16}};
  static constexpr FormatSize Gfx11[] = {{0, 0},  {6, 1},   {19, 2}, {47, 4},
                                         {57, 8}, {60, 12}, {63, 16}};
  switch (Layout) {
  case BufferLayout::Gfx9:
    return Gfx9;
  case BufferLayout::Gfx10:
    return Gfx10;
  case BufferLayout::Gfx11:
    return Gfx11;
  }
  llvm_unreachable("not a layout");
}

/// Bytes of an element in the format that a typed instruction names; 0 for
/// numbers that name no format.
inline unsigned formatSize(BufferLayout Layout, unsigned Format) {
  if (Layout == BufferLayout::Gfx9)
    Format &= 0xf; // The rest is the number format.
  for (const FormatSize &Row : formatSizes(Layout))
    if (Format <= Row.LastFormat)
      return Row.Bytes;
  return 0;
}

} // namespace luthier::amdgpu

#endif // LUTHIER_AMDGPU_BUFFERFORMATS_H
