// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Included before each file of a tool (cmake/LuthierTool.cmake). HIP before 6.4
// wants the wave size as a macro, which clang no longer defines: 64 lanes
// before GFX10, and 32 from there on, unless the compilation is that for hooks
// in waves of 64 (LUTHIER_WAVES_OF_64). The host's value is HIP's default.
#ifndef __AMDGCN_WAVEFRONT_SIZE
#include "luthier/detail/OlderHip.h" // It no longer defines more.
#if defined(__AMDGCN__) && !defined(__GFX6__) && !defined(__GFX7__) &&         \
    !defined(__GFX8__) && !defined(__GFX9__) && !defined(LUTHIER_WAVES_OF_64)
#define __AMDGCN_WAVEFRONT_SIZE 32
#else
#define __AMDGCN_WAVEFRONT_SIZE 64
#endif
#endif

// HIP makes warpSize a constant of that value. But kernels of both sizes run on
// GFX10 and later, and a hook has to see the kernel's, whatever the tool was
// compiled for; so there it is none. HIP's headers keep their own, under
// another name; a member of a structure has the same.
#ifdef __HIP__
#include <hip/hip_runtime_api.h>
#define warpSize luthierHipWarpSize
// HIP 5 refuses waves of 64 lanes there, or takes them to have 32.
#pragma push_macro("__gfx1030__")
#undef __gfx1030__
// HIP 5.3 to 6 refuse them, but for processors that have no others.
#pragma push_macro("__GFX8__")
#define __GFX8__ 1
#include <hip/hip_runtime.h>
#pragma pop_macro("__GFX8__")
#ifdef LUTHIER_WAVES_OF_64
#include <hip/hip_cooperative_groups.h>
#undef WAVEFRONT_SIZE
#endif
#pragma pop_macro("__gfx1030__")
#undef warpSize

#if defined(__AMDGCN__) && !defined(__GFX6__) && !defined(__GFX7__) &&         \
    !defined(__GFX8__) && !defined(__GFX9__)
namespace luthier::detail {
struct WarpSize {
  __device__ operator int() const { return __builtin_amdgcn_wavefrontsize(); }
};
} // namespace luthier::detail
static constexpr luthier::detail::WarpSize warpSize = {};
#else
static constexpr int warpSize = __AMDGCN_WAVEFRONT_SIZE;
#endif
#endif
