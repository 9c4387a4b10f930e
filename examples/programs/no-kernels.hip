// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Fills and copies only: there is no device code in this program, though the
// runtime may use kernels of its own.
#include "Check.h"

int main() {
  constexpr size_t Count = 30011;
  Random Input(14);
  std::vector<uint8_t> Expected(Count);
  for (uint8_t &Value : Expected)
    Value = uint8_t(Input.next());

  const DeviceArray<uint8_t> First(Expected), Second(Count);
  // Odd addresses and lengths, so that nothing is aligned.
  CHECK_HIP(hipMemset(Second.get(), 0x5a, Count));
  CHECK_HIP(hipMemset(First.get() + 101, 0xa5, 1003));
  CHECK_HIP(hipMemcpy(Second.get() + 7, First.get() + 3, 20001,
                      hipMemcpyDeviceToDevice));
  // A rectangle: 50 rows of 33 bytes, 100 bytes apart here and 64 there.
  CHECK_HIP(hipMemcpy2D(First.get() + 5000, 64, Second.get(), 100, 33, 50,
                        hipMemcpyDeviceToDevice));

  std::vector<uint8_t> Other(Count, 0x5a);
  std::memset(&Expected[101], 0xa5, 1003);
  std::memcpy(&Other[7], &Expected[3], 20001);
  for (size_t Row = 0; Row < 50; ++Row)
    std::memcpy(&Expected[5000 + Row * 64], &Other[Row * 100], 33);

  Verdict Results("no-kernels");
  Results.expectEqual(First.read(), Expected);
  Results.expectEqual(Second.read(), Other);
  return Results.finish();
}
