// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sizes of the element formats of typed buffer accesses. In every generation's
// numbering they grow with the number.
#ifndef LUTHIER_AMDGPU_BUFFERFORMATS_H
#define LUTHIER_AMDGPU_BUFFERFORMATS_H

#include "llvm/ADT/ArrayRef.h"

namespace luthier::amdgpu {

struct FormatSize {
  unsigned LastFormat; ///< With this size.
  unsigned Bytes;
};

/// Rows in ascending order. \p Generation 9 counts data formats; 10, and 11 for
/// all later ones, count pairs of data and number formats.
inline llvm::ArrayRef<FormatSize> formatSizes(unsigned Generation) {
  static constexpr FormatSize Gfx9[] = {{0, 0},  {1, 1},   {3, 2},  {10, 4},
                                        {12, 8}, {13, 12}, {14, 16}};
  static constexpr FormatSize Gfx10[] = {{0, 0},  {6, 1},   {19, 2}, {61, 4},
                                         {71, 8}, {74, 12}, {77, 16}};
  static constexpr FormatSize Gfx11[] = {{0, 0},  {6, 1},   {19, 2}, {47, 4},
                                         {57, 8}, {60, 12}, {63, 16}};
  if (Generation == 9)
    return Gfx9;
  if (Generation == 10)
    return Gfx10;
  return Gfx11;
}

/// Bytes of an element; 0 for numbers that name no format.
inline unsigned formatSize(unsigned Generation, unsigned Format) {
  for (const FormatSize &Row : formatSizes(Generation))
    if (Format <= Row.LastFormat)
      return Row.Bytes;
  return 0;
}

} // namespace luthier::amdgpu

#endif // LUTHIER_AMDGPU_BUFFERFORMATS_H
