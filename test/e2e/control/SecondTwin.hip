// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Twins.h"

#ifndef __HIP_DEVICE_COMPILE__
struct SecondTwin : Twin {
  SecondTwin() : Twin(1024, 100) {}
};
LUTHIER_TOOL(SecondTwin)
#endif
