// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Dispatches the largest kernel of rocRAND once: MTGP32, log-normal doubles.
#include <cstdio>
#include <hip/hip_runtime.h>
#include <rocrand/rocrand.h>

int main() {
  constexpr size_t Count = 1 << 12;
  double *Output = nullptr;
  rocrand_generator Generator;
  if (hipMalloc(&Output, Count * sizeof(double)) != hipSuccess ||
      rocrand_create_generator(&Generator, ROCRAND_RNG_PSEUDO_MTGP32) !=
          ROCRAND_STATUS_SUCCESS ||
      rocrand_generate_log_normal_double(Generator, Output, Count, 0.0, 1.0) !=
          ROCRAND_STATUS_SUCCESS ||
      hipDeviceSynchronize() != hipSuccess) {
    std::puts("rocrand-largest: FAIL");
    return 1;
  }
  double First = 0;
  if (hipMemcpy(&First, Output, sizeof First, hipMemcpyDeviceToHost) !=
          hipSuccess ||
      !(First > 0)) {
    std::puts("rocrand-largest: FAIL");
    return 1;
  }
  std::puts("rocrand-largest: PASS");
  return 0;
}
