// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How libluthier.so learns, from the emulated GPU below it, where a kernel
// stopped. On a real GPU there is no such function.
#ifndef LUTHIER_DETAIL_EMULATORFAULTS_H
#define LUTHIER_DETAIL_EMULATORFAULTS_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Exported by the emulator's libluthier-gpu.so, which is preloaded. From now
/// on \p handler is called for each dispatch that ends in a fault at device
/// address \p pc, or 0 where no instruction is at fault, after the emulator's
/// own message and before anybody else hears of it, in a thread of the
/// emulator. Null takes the handler away.
void luthier_emulator_on_fault(void (*handler)(uint64_t pc));

#ifdef __cplusplus
}
#endif

#endif // LUTHIER_DETAIL_EMULATORFAULTS_H
