// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which Luthier a tool is compiled with. CMakeLists.txt reads it from here.
#ifndef LUTHIER_VERSION_H
#define LUTHIER_VERSION_H

#define LUTHIER_VERSION_MAJOR 0
#define LUTHIER_VERSION_MINOR 2
#define LUTHIER_VERSION_PATCH 0

/// To compare with LUTHIER_MAKE_VERSION(0, 2, 0).
#define LUTHIER_VERSION                                                        \
  LUTHIER_MAKE_VERSION(LUTHIER_VERSION_MAJOR, LUTHIER_VERSION_MINOR,           \
                       LUTHIER_VERSION_PATCH)
#define LUTHIER_MAKE_VERSION(Major, Minor, Patch)                              \
  ((Major) * 10000 + (Minor) * 100 + (Patch))

#endif // LUTHIER_VERSION_H
