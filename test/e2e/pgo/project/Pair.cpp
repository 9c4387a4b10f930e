// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A program of two sources, each with a header of its own.
#include "Pair.h"
#include <cstdio>

int scaled(int Value);

int main() { std::printf("%d\n", scaled(VALUE)); }
