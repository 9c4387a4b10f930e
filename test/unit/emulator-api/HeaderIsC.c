/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * What a C program does with a device; called by the tests. */
#include "HeaderIsC.h"
#include "luthier/emulator.h"
#include <string.h>

/* Doubles count dwords, one per lane, with raw machine code for gfx90a. */
luthier_emu_status double_in_c(uint32_t *data, uint32_t count, const void *code,
                               size_t code_size) {
  luthier_emu_device_options options;
  luthier_emu_raw_launch launch;
  luthier_emu_device *device;
  luthier_emu_status status;
  uint64_t address = (uint64_t)(uintptr_t)data;
  uint32_t user[2];

  memset(&options, 0, sizeof(options));
  options.struct_size = sizeof(options);
  options.target = "gfx90a";
  status = luthier_emu_device_create(&options, &device);
  if (status != LUTHIER_EMU_OK)
    return status;
  memset(&launch, 0, sizeof(launch));
  launch.struct_size = sizeof(launch);
  launch.grid[0] = count;
  launch.workgroup[0] = 64;
  launch.vgprs = 8;
  launch.sgprs = 16;
  user[0] = (uint32_t)address;
  user[1] = (uint32_t)(address >> 32);
  launch.user_sgprs = user;
  launch.user_sgpr_count = 2;
  launch.workgroup_ids = 1;
  status = luthier_emu_map(device, address, count * sizeof(*data), data);
  if (status == LUTHIER_EMU_OK)
    status =
        luthier_emu_load_raw(device, code, code_size, &launch.entry_address);
  if (status == LUTHIER_EMU_OK)
    status = luthier_emu_dispatch_raw(device, &launch, NULL);
  luthier_emu_device_destroy(device);
  return status;
}
