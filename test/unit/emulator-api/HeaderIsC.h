/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef LUTHIER_TEST_UNIT_EMULATOR_API_HEADERISC_H
#define LUTHIER_TEST_UNIT_EMULATOR_API_HEADERISC_H

#include "luthier/emulator.h"

#ifdef __cplusplus
extern "C"
#endif
    luthier_emu_status double_in_c(uint32_t *data, uint32_t count,
                                   const void *code, size_t code_size);

#endif
