// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How libluthier.so has the emulated GPU below it write what it has counted,
// before it ends the process. On a real GPU there is no such function.
#ifndef LUTHIER_DETAIL_EMULATORSTATISTICS_H
#define LUTHIER_DETAIL_EMULATORSTATISTICS_H

#ifdef __cplusplus
extern "C" {
#endif

/// Exported by the emulator's libluthier-gpu.so, which is preloaded. Writes the
/// files that LUTHIER_EMULATOR_STATS and LUTHIER_EMULATOR_COUNTS name, with
/// what has completed up to now; later calls write nothing. Not in signal
/// handlers.
void luthier_emulator_write_statistics(void);

#ifdef __cplusplus
}
#endif

#endif // LUTHIER_DETAIL_EMULATORSTATISTICS_H
