// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// rocPRIM's radix sort in passes over a few bits each, which it keeps for more
// than a million elements: here, for all that one workgroup cannot sort. Bits
// and blocks are those that the library chooses for keys of 32 bits.
#include "RadixSort.h"

using SmallPasses = rocprim::radix_sort_config<
    /*LongRadixBits=*/7, /*ShortRadixBits=*/6,
    /*ScanConfig=*/rocprim::kernel_config<256, 2>,
    /*SortConfig=*/rocprim::kernel_config<256, 15>,
    /*SortSingleConfig=*/rocprim::kernel_config<256, 10>,
    /*SortMergeConfig=*/rocprim::kernel_config<1024, 1>,
    /*MergeSizeLimitBlocks=*/1>;

/// Of the last block, the library looks at keys that it has not loaded, and
/// then takes no notice of what it found. Strict mode would, so that those runs
/// have whole blocks.
static std::vector<size_t> sizes(int Argc, char **Argv) {
  constexpr size_t Block = 256 * 15;
  if (Argc > 1 && std::string(Argv[1]) == "tiny")
    return {65, 2 * Block};
  return sizesFor(Argc, Argv);
}

int main(int Argc, char **Argv) {
  Verdict Results("rocprim-radix");
  for (size_t Size : sizes(Argc, Argv))
    checkRadixSort<SmallPasses>(Results, SortInput(Size));
  return Results.finish();
}
