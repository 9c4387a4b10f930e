/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Runs a kernel of a code object on the emulated GPU, from C.
 *   emulator-saxpy saxpy.co */
#include "luthier/emulator.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COUNT 1000

/* Ends the program with the library's own words. */
static void check(luthier_emu_status status, const luthier_emu_device *device) {
  if (status == LUTHIER_EMU_OK)
    return;
  fprintf(stderr, "%s: %s\n", luthier_emu_status_name(status),
          luthier_emu_error(device));
  exit(1);
}

static void *read_file(const char *path, size_t *size) {
  static char contents[1 << 20];
  FILE *file = fopen(path, "rb");
  if (!file) {
    perror(path);
    exit(1);
  }
  *size = fread(contents, 1, sizeof(contents), file);
  fclose(file);
  return contents;
}

int main(int argc, char **argv) {
  static float x[COUNT], y[COUNT];
  struct {
    uint64_t y, x;
    float a;
    uint32_t count;
  } arguments;
  luthier_emu_device_options options;
  luthier_emu_launch launch;
  luthier_emu_device *device;
  luthier_emu_code *code;
  size_t size;
  void *bytes = read_file(argc > 1 ? argv[1] : "saxpy.co", &size);

  memset(&options, 0, sizeof(options));
  options.struct_size = sizeof(options);
  options.target = "gfx90a";
  options.strict = "1"; /* check for what hardware would not forgive */
  check(luthier_emu_device_create(&options, &device), NULL);
  check(luthier_emu_load(device, bytes, size, &code), device);

  /* The kernel works on our own arrays, under our own addresses. */
  for (int i = 0; i < COUNT; ++i) {
    x[i] = (float)i;
    y[i] = 1;
  }
  arguments.x = (uint64_t)(uintptr_t)x;
  arguments.y = (uint64_t)(uintptr_t)y;
  arguments.a = 2;
  arguments.count = COUNT;
  check(luthier_emu_map(device, arguments.x, sizeof(x), x), device);
  check(luthier_emu_map(device, arguments.y, sizeof(y), y), device);

  memset(&launch, 0, sizeof(launch));
  launch.struct_size = sizeof(launch);
  launch.grid[0] = 1024;
  launch.workgroup[0] = 256;
  launch.kernarg = &arguments;
  launch.kernarg_size = sizeof(arguments);
  check(luthier_emu_dispatch(code, "saxpy", &launch, NULL), device);

  int right = 0;
  for (int i = 0; i < COUNT; ++i)
    right += y[i] == 2.0f * (float)i + 1;
  printf("%d results are right\n", right);

  luthier_emu_unload(code);
  luthier_emu_device_destroy(device);
  return right != COUNT;
}
