// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The engine's name for a header that tools see too.
#ifndef LUTHIER_ANALYSIS_REGISTERSET_H
#define LUTHIER_ANALYSIS_REGISTERSET_H

#include "luthier/RegisterSet.h"

#endif // LUTHIER_ANALYSIS_REGISTERSET_H
