// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Marks what libluthier.so offers to tools; everything else stays hidden. Every
// public header includes this one first.
#include "luthier/detail/HipMacros.h"

#ifndef LUTHIER_EXPORT_H
#define LUTHIER_EXPORT_H

#define LUTHIER_API __attribute__((visibility("default")))

#endif // LUTHIER_EXPORT_H
