// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A library that somebody names as a tool by mistake.
int luthierE2eNotATool(void);
int luthierE2eNotATool(void) { return 0; }
