// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Included before each file of a tool (cmake/LuthierTool.cmake). HIP before 6.4
// wants the wave size as a macro, which clang no longer defines: 64 lanes
// before GFX10, and 32 from there on, where tools see compute kernels only in
// that form. The host's value is HIP's default.
#ifndef __AMDGCN_WAVEFRONT_SIZE
#if defined(__AMDGCN__) && !defined(__GFX6__) && !defined(__GFX7__) &&         \
    !defined(__GFX8__) && !defined(__GFX9__)
#define __AMDGCN_WAVEFRONT_SIZE 32
#else
#define __AMDGCN_WAVEFRONT_SIZE 64
#endif
#endif

// Clang lost more that older HIP relies on.
#include "luthier/detail/OlderHip.h"
