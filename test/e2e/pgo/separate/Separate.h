// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SEPARATE_H
#define SEPARATE_H

void printBiased(unsigned OneIn);
void printRotated();

#endif // SEPARATE_H
