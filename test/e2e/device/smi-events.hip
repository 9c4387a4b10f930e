// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A kernel's memory fault, heard by who asks the driver for the GPU's events.
#include "Check.h"

#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fcntl.h>
#include <linux/kfd_ioctl.h>
#include <sys/ioctl.h>
#include <unistd.h>

__global__ void unmapped(int *Data) { Data[0] = 1; }

static int Events = -1;

/// The runtime ends the process for the fault.
static void readEvents(int) {
  char Text[256] = "heard: ";
  const ssize_t Size = read(Events, Text + 7, sizeof(Text) - 7);
  (void)!write(STDOUT_FILENO, Text, 7 + (Size > 0 ? Size : 0));
}

static uint32_t gpuId() {
  unsigned Id = 0;
  std::FILE *File =
      std::fopen("/sys/class/kfd/kfd/topology/nodes/1/gpu_id", "r");
  if (File) {
    if (std::fscanf(File, "%u", &Id) != 1)
      Id = 0;
    std::fclose(File);
  }
  return Id;
}

int main() {
  const int Driver = open("/dev/kfd", O_RDWR | O_CLOEXEC);
  kfd_ioctl_smi_events_args Nobody{12345, 0}, Arguments{gpuId(), 0};
  if (ioctl(Driver, AMDKFD_IOC_SMI_EVENTS, &Nobody) == 0) {
    std::puts("there are events of a GPU that does not exist");
    return 1;
  }
  if (ioctl(Driver, AMDKFD_IOC_SMI_EVENTS, &Arguments) != 0) {
    std::perror("AMDKFD_IOC_SMI_EVENTS");
    return 1;
  }
  Events = int(Arguments.anon_fd);
  const uint64_t All = ~uint64_t(0);
  if (write(Events, &All, sizeof(All)) != sizeof(All)) {
    std::perror("write");
    return 1;
  }
  std::signal(SIGABRT, readEvents);
  unmapped<<<1, 1>>>((int *)0x123456789000);
  (void)hipDeviceSynchronize();
  return 0;
}
