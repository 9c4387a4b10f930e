// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What fuzzers call with any bytes, and a test with the bytes they found.
// Nothing may crash, hang, or take much memory; what is wrong with the bytes is
// an error that says so.
#ifndef LUTHIER_TEST_FUZZ_ENTRIES_H
#define LUTHIER_TEST_FUZZ_ENTRIES_H

#include "llvm/ADT/ArrayRef.h"
#include <cstdint>

namespace luthier::test {

/// As a code object, and as a file with bundles in it. What kernels there are
/// get lifted and analysed.
void readCodeObject(llvm::ArrayRef<uint8_t> Data);
/// As the contents of a metadata note; the first 64 bytes also as a descriptor.
void readMetadata(llvm::ArrayRef<uint8_t> Data);
/// As the descriptor of a kernel: the first byte chooses the target, 64 are the
/// descriptor, the rest is code. The kernel is lifted and gets a hook; what
/// comes out must be readable.
void readDescriptor(llvm::ArrayRef<uint8_t> Data);
/// As the code of a kernel, for the target that the first byte chooses: lifted,
/// analysed, and written again, which must give as many bytes.
void liftCode(llvm::ArrayRef<uint8_t> Data);

} // namespace luthier::test

#endif // LUTHIER_TEST_FUZZ_ENTRIES_H
