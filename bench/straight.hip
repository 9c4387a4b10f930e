// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A kernel of 10 * TIMES instructions and a few: scalar and vector arithmetic
// in blocks of some ten, to see how the time of instrumenting grows.
#include <hip/hip_runtime.h>

#define TEXT(X) #X
#define NUMBER(X) TEXT(X)

extern "C" __global__ void straight() {
  asm volatile(".rept " NUMBER(TIMES) "\n"
                                      "v_add_u32 v1, v1, v0\n"
                                      "v_mul_lo_u32 v2, v1, v0\n"
                                      "v_xor_b32 v3, v2, v1\n"
                                      "s_add_u32 s4, s4, s5\n"
                                      "v_lshlrev_b32 v1, 3, v3\n"
                                      "v_fma_f32 v2, v1, v2, v3\n"
                                      "s_lshr_b32 s5, s4, 1\n"
                                      "s_cmp_lg_u32 s4, 0\n"
                                      "s_cbranch_scc1 1f\n"
                                      "v_add_u32 v3, v3, v2\n"
                                      "1:\n"
                                      ".endr\n" ::
                                          : "v1", "v2", "v3", "s4", "s5",
                                            "scc");
}
