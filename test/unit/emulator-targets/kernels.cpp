// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Device code of the tests, without any device library.
#include "Items.h"

#define KERNEL                                                                 \
  extern "C" [[clang::amdgpu_kernel, gnu::visibility("protected"),             \
               clang::amdgpu_flat_work_group_size(1, 256)]] void
#define GLOBAL [[clang::address_space(1)]]
using Word = U32 GLOBAL;
using Local = U32 [[clang::address_space(3)]];

static U32 globalId(U32 GroupSize) {
  return __builtin_amdgcn_workgroup_id_x() * GroupSize +
         __builtin_amdgcn_workitem_id_x();
}

#define ITEM_KERNEL(Name)                                                      \
  KERNEL Name##Kernel(Word *Out, Word *In, U32 GroupSize, U32 Count) {         \
    U32 N = globalId(GroupSize);                                               \
    if (N < Count)                                                             \
      Out[N] = Name({In[3 * N], In[3 * N + 1], In[3 * N + 2]});                \
  }
FOR_EACH_ITEM(ITEM_KERNEL)

/// The place in a grid of three dimensions, from all ids.
KERNEL places(Word *Out, U32 X, U32 Y, U32 Z, U32 GridX, U32 GridY) {
  U32 Px =
      __builtin_amdgcn_workgroup_id_x() * X + __builtin_amdgcn_workitem_id_x();
  U32 Py =
      __builtin_amdgcn_workgroup_id_y() * Y + __builtin_amdgcn_workitem_id_y();
  U32 Pz =
      __builtin_amdgcn_workgroup_id_z() * Z + __builtin_amdgcn_workitem_id_z();
  Out[(Pz * GridY + Py) * GridX + Px] = Px | Py << 8 | Pz << 16;
}

[[clang::loader_uninitialized]] static Local Shared[256];

static void barrier() {
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
  __builtin_amdgcn_s_barrier();
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
}

/// Sums of all words before each one, within a workgroup.
KERNEL prefixSums(Word *Out, Word *In, U32 GroupSize, U32) {
  U32 L = __builtin_amdgcn_workitem_id_x(), N = globalId(GroupSize);
  U32 Sum = In[N];
  Shared[L] = Sum;
  for (U32 Step = 1; Step < GroupSize; Step *= 2) {
    barrier();
    U32 Other = L >= Step ? Shared[L - Step] : 0;
    barrier();
    Sum += Other;
    Shared[L] = Sum;
  }
  Out[N] = Sum;
}

/// Counters in LDS, then in memory.
KERNEL histogram(Word *Out, Word *In, U32 GroupSize, U32 Count) {
  U32 L = __builtin_amdgcn_workitem_id_x(), N = globalId(GroupSize);
  if (L < 16)
    Shared[L] = 0;
  barrier();
  if (N < Count)
    __scoped_atomic_fetch_add(&Shared[In[N] % 16], 1, __ATOMIC_RELAXED,
                              __MEMORY_SCOPE_WRKGRP);
  barrier();
  if (L < 16)
    __scoped_atomic_fetch_add(&Out[L], Shared[L], __ATOMIC_RELAXED,
                              __MEMORY_SCOPE_DEVICE);
  if (N < Count) {
    __scoped_atomic_fetch_max(&Out[16], In[N], __ATOMIC_RELAXED,
                              __MEMORY_SCOPE_DEVICE);
    U32 Old = Out[17], New;
    do
      New = Old ^ In[N];
    while (!__scoped_atomic_compare_exchange_n(
        &Out[17], &Old, New, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED,
        __MEMORY_SCOPE_DEVICE));
  }
}

/// What lanes can learn of each other: which of them are odd, how many of those
/// come before, a neighbour's word, and the first one's.
KERNEL lanes(Word *Out, Word *In, U32 GroupSize, U32) {
  U32 N = globalId(GroupSize), Value = In[N];
  bool Odd = Value & 1;
#if WAVE_SIZE == 32
  U32 Mask = __builtin_amdgcn_ballot_w32(Odd);
  U32 Before = __builtin_amdgcn_mbcnt_lo(Mask, 0);
  U32 Count = U32(__builtin_popcount(Mask));
#else
  U64 Mask = __builtin_amdgcn_ballot_w64(Odd);
  U32 Before = __builtin_amdgcn_mbcnt_hi(
      U32(Mask >> 32), __builtin_amdgcn_mbcnt_lo(U32(Mask), 0));
  U32 Count = U32(__builtin_popcountl(Mask));
#endif
  U32 L = __builtin_amdgcn_workitem_id_x();
  Out[4 * N] = Count << 16 | Before;
  Out[4 * N + 1] =
      U32(__builtin_amdgcn_ds_bpermute(I32((L ^ 5) * 4), I32(Value)));
  Out[4 * N + 2] = U32(__builtin_amdgcn_readfirstlane(I32(Value)));
  // Quads in reverse order.
  Out[4 * N + 3] =
      U32(__builtin_amdgcn_update_dpp(0, I32(Value), 0x1b, 15, 15, true));
}

using Quad = U32 [[clang::ext_vector_type(4)]];
/// Whole vectors, bytes and halves, loaded and stored.
KERNEL sizes(Word *Out, Word *In, U32 GroupSize, U32) {
  U32 N = globalId(GroupSize);
  auto *Quads = (Quad GLOBAL *)In;
  auto *OutQuads = (Quad GLOBAL *)Out;
  Quad Q = Quads[N];
  Q.w = ((U8 GLOBAL *)In)[N] + ((U16 GLOBAL *)In)[N] * 256u;
  Q.x = U32(((I8 GLOBAL *)In)[N + 1]) ^ U32(((I16 GLOBAL *)In)[N + 2]);
  OutQuads[N] = Q;
  ((U8 GLOBAL *)(OutQuads + N))[4] = U8(Q.w);
  ((U16 GLOBAL *)(OutQuads + N))[5] = U16(Q.z);
}
