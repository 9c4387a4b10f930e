// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A loop that OpenMP runs on the GPU, with a branch that lanes disagree on.
#include <cstdio>

int main() {
  constexpr int Size = 4096;
  static unsigned Numbers[Size];
  for (int I = 0; I < Size; ++I)
    Numbers[I] = I;
#pragma omp target teams distribute parallel for map(tofrom : Numbers[0 : Size])
  for (int I = 0; I < Size; ++I) {
    unsigned Number = Numbers[I];
    for (int Turn = 0; Turn < I % 7; ++Turn)
      Number = Number % 3 ? Number * 5 + 1 : Number / 3;
    Numbers[I] = Number;
  }
  unsigned Sum = 0;
  for (unsigned Number : Numbers)
    Sum = Sum * 31 + Number;
  std::printf("%u\n", Sum);
}
