// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How much memory a program has after a quarter of what it does many times, and
// in the end. together.py reads it.
#ifndef LUTHIER_TEST_E2E_TOGETHER_RESIDENT_H
#define LUTHIER_TEST_E2E_TOGETHER_RESIDENT_H

#include <cstdio>
#include <unistd.h>

inline long residentKiB() {
  long Pages = 0, Resident = 0;
  if (std::FILE *File = std::fopen("/proc/self/statm", "r")) {
    if (std::fscanf(File, "%ld %ld", &Pages, &Resident) != 2)
      Resident = 0;
    std::fclose(File);
  }
  return Resident * (::sysconf(_SC_PAGESIZE) / 1024);
}

/// After each of \p Times, \p Time being the first, second, ...
inline void sayResident(unsigned Time, unsigned Times) {
  if (Time == Times / 4 || Time == Times)
    std::fprintf(stderr, "%u times: %ld KiB\n", Time, residentKiB());
}

#endif // LUTHIER_TEST_E2E_TOGETHER_RESIDENT_H
