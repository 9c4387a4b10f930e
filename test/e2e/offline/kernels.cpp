// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What hooks must leave alone: registers, flags, a stack, workgroup memory of
// the kernel's own and of the launch's, and data beside the code.
#define GLOBAL [[clang::address_space(1)]]
#define CONSTANT [[clang::address_space(4)]]
#define LOCAL [[clang::address_space(3)]]
#define KERNEL extern "C" [[clang::amdgpu_kernel, gnu::visibility("protected")]]
constexpr unsigned GroupSize = 128;

extern "C" [[gnu::visibility("protected")]] const unsigned CONSTANT Primes[8];
const unsigned CONSTANT Primes[8] = {2, 3, 5, 7, 11, 13, 17, 19};

[[clang::loader_uninitialized]] static unsigned LOCAL Own[GroupSize];
// As many as the launch asks for: one for each work-item and one more.
extern unsigned LOCAL Dynamic[];

static unsigned id() { return __builtin_amdgcn_workitem_id_x(); }

KERNEL void collatzSteps(int GLOBAL *Steps) {
  const unsigned I = __builtin_amdgcn_workgroup_id_x() * GroupSize + id();
  // In private memory, because the index is not known.
  unsigned Parities[4] = {};
  unsigned Count = 0;
  for (unsigned N = I + 1; N != 1; ++Count) {
    volatile unsigned *Parity = &Parities[Count % 4];
    *Parity = *Parity + N % 2;
    N = N % 2 ? 3 * N + 1 : N / 2;
  }
  Own[id()] = Count;
  Dynamic[id() + 1] = Parities[Count % 4];
  if (id() == 0)
    Dynamic[0] = I;
  __builtin_amdgcn_s_barrier();
  const unsigned Other = GroupSize - 1 - id();
  Steps[I] = Own[Other] * Primes[Own[Other] % 8] + Dynamic[Other + 1] +
             (Dynamic[0] << 16);
}

/// The stack depends on the data.
[[gnu::noinline]] static unsigned depth(unsigned N, unsigned Depth) {
  volatile unsigned Here[4] = {N, Depth};
  return N == 1 ? Here[1]
                : depth(N % 2 ? 3 * N + 1 : N / 2, Depth + 1) + Here[0] % 3;
}
KERNEL void recursive(int GLOBAL *Steps) {
  Steps[id()] = depth(id() % 8 + 1, 0);
}
