// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What runtimes ask /dev/kfd for.
#ifndef LUTHIER_EMULATOR_KFD_IOCTL_H
#define LUTHIER_EMULATOR_KFD_IOCTL_H

namespace luthier::emulator {

class Driver;

/// Runs an AMDKFD_IOC_*. 0, or what errno shall be; ENOTTY for what this driver
/// lacks, as a kernel of another version would answer.
int runIoctl(Driver &D, unsigned long Request, void *Argument);

} // namespace luthier::emulator

#endif // LUTHIER_EMULATOR_KFD_IOCTL_H
