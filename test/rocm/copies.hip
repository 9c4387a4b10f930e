// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Copies of every kind and of small and odd sizes, and that nothing beside them
// is written. With GPU_FORCE_BLIT_COPY_SIZE=0, HIP leaves them to the DMA
// engines.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <hip/hip_runtime.h>
#include <vector>

static void check(hipError_t Status, const char *What) {
  if (Status == hipSuccess)
    return;
  std::fprintf(stderr, "%s: %s\n", What, hipGetErrorString(Status));
  std::exit(1);
}
#define CHECK(CALL) check(CALL, #CALL)

using Bytes = std::vector<uint8_t>;
static constexpr size_t N = 1 << 20;
static constexpr uint8_t Old = 0xee;

static Bytes pattern() {
  Bytes Result(N);
  for (size_t I = 0; I != N; ++I)
    Result[I] = uint8_t(I * 7 + I / 251);
  return Result;
}

static void expectEqual(const Bytes &Found, const Bytes &Expected,
                        const char *What, size_t Size) {
  for (size_t I = 0; I != N; ++I)
    if (Found[I] != Expected[I]) {
      std::fprintf(stderr, "%s of %zu bytes: byte %zu is %u, not %u\n", What,
                   Size, I, Found[I], Expected[I]);
      std::exit(1);
    }
}

/// To the device, within it, and back; from and to odd places.
static void copy(uint8_t *First, uint8_t *Second, size_t Size) {
  constexpr size_t From = 3, To = 1021;
  const Bytes Source = pattern();
  Bytes Expected(N, Old);
  std::copy_n(Source.begin() + From, Size, Expected.begin() + To);
  Bytes Found(N, Old);
  CHECK(hipMemset(First, Old, N));
  CHECK(hipMemset(Second, Old, N));
  CHECK(
      hipMemcpy(First + To, Source.data() + From, Size, hipMemcpyHostToDevice));
  CHECK(hipMemcpy(Found.data(), First, N, hipMemcpyDeviceToHost));
  expectEqual(Found, Expected, "to the device", Size);
  CHECK(hipMemcpy(Second + To, First + To, Size, hipMemcpyDeviceToDevice));
  CHECK(hipMemcpy(Found.data(), Second, N, hipMemcpyDeviceToHost));
  expectEqual(Found, Expected, "within the device", Size);
  Found.assign(N, Old);
  CHECK(hipMemcpy(Found.data() + To, Second + To, Size, hipMemcpyDeviceToHost));
  expectEqual(Found, Expected, "from the device", Size);
}

/// Rows of an odd length, of memory from the same and from another place.
static void copyRows(uint8_t *First, uint8_t *Second) {
  constexpr size_t Width = 333, Rows = 77, Pitch = 512, OtherPitch = 1000;
  const Bytes Source = pattern();
  Bytes Expected(N, Old), Found(N);
  for (size_t Row = 0; Row != Rows; ++Row)
    std::copy_n(Source.begin() + Row * Pitch, Width,
                Expected.begin() + Row * OtherPitch);
  CHECK(hipMemset(Second, Old, N));
  CHECK(hipMemcpy(First, Source.data(), N, hipMemcpyHostToDevice));
  CHECK(hipMemcpy2D(Second, OtherPitch, First, Pitch, Width, Rows,
                    hipMemcpyDeviceToDevice));
  CHECK(hipMemcpy(Found.data(), Second, N, hipMemcpyDeviceToHost));
  expectEqual(Found, Expected, "rows within the device", Width);
  CHECK(hipMemset(Second, Old, N));
  CHECK(hipMemcpy2D(Second, OtherPitch, Source.data(), Pitch, Width, Rows,
                    hipMemcpyHostToDevice));
  CHECK(hipMemcpy(Found.data(), Second, N, hipMemcpyDeviceToHost));
  expectEqual(Found, Expected, "rows to the device", Width);
}

int main() {
  uint8_t *First, *Second;
  CHECK(hipMalloc(reinterpret_cast<void **>(&First), N));
  CHECK(hipMalloc(reinterpret_cast<void **>(&Second), N));
  for (size_t Size : {1, 4, 255, 4096, 65537, 1000000})
    copy(First, Second, Size);
  copyRows(First, Second);
  CHECK(hipFree(First));
  CHECK(hipFree(Second));
  std::printf("copies: PASS\n");
}
