// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "emulator/api/HiddenArguments.h"
#include "emulator/memory/AddressSpace.h"

namespace luthier::emulator::api {

/// Axes with more than one work-item, counting from x.
static unsigned gridDimensions(const LaunchShape &Shape) {
  return Shape.Grid[2] > 1 ? 3 : Shape.Grid[1] > 1 ? 2 : 1;
}

/// "..._x" to 0 and so on; the rest is left in \p Kind.
static unsigned takeAxis(llvm::StringRef &Kind) {
  for (unsigned Axis = 0; Axis != 3; ++Axis)
    if (Kind.consume_back(llvm::StringRef(&"_x\0_y\0_z"[3 * Axis], 2)))
      return Axis;
  return 0;
}

uint64_t hiddenArgument(llvm::StringRef Kind, const LaunchShape &Shape) {
  if (Kind == "hidden_grid_dims")
    return gridDimensions(Shape);
  if (Kind == "hidden_dynamic_lds_size")
    return Shape.DynamicLds;
  if (Kind == "hidden_queue_ptr")
    return Shape.QueueAddress;
  if (Kind == "hidden_private_base")
    return ScratchApertureBase >> 32;
  if (Kind == "hidden_shared_base")
    return LdsApertureBase >> 32;
  const unsigned Axis = takeAxis(Kind);
  if (Kind == "hidden_block_count") // Complete workgroups only.
    return Shape.Grid[Axis] / Shape.Workgroup[Axis];
  if (Kind == "hidden_group_size")
    return Shape.Workgroup[Axis];
  if (Kind == "hidden_remainder")
    return Shape.Grid[Axis] % Shape.Workgroup[Axis];
  return 0;
}

} // namespace luthier::emulator::api
