// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Asks libdrm which driver a render node has. It copies each of the driver's
// texts, and dies of one that is missing.
#include <cstdio>
#include <fcntl.h>
#include <unistd.h>
#include <xf86drm.h>

int main() {
  const int Node = open("/dev/dri/renderD128", O_RDWR | O_CLOEXEC);
  const drmVersionPtr Version = drmGetVersion(Node);
  if (!Version) {
    std::perror("drmGetVersion");
    return 1;
  }
  std::printf("%s %d.%d of %s, %s\n", Version->name, Version->version_major,
              Version->version_minor, Version->date, Version->desc);
  drmFreeVersion(Version);
  close(Node);
}
