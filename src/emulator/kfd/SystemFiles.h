// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The files of sysfs and devfs that runtimes and rocminfo read: one CPU node
// and the emulated GPUs, each linked to it and to one another.
#ifndef LUTHIER_EMULATOR_KFD_SYSTEMFILES_H
#define LUTHIER_EMULATOR_KFD_SYSTEMFILES_H

#include <map>
#include <string>

namespace luthier::emulator {

class Driver;

/// Texts by paths: kfd/... stands for /sys/devices/virtual/kfd/kfd, module/...
/// for /sys/module/amdgpu, dev/... for /dev.
std::map<std::string, std::string> describeSystem(const Driver &D);

/// Writes them to a folder of this user, which processes with equal devices
/// share. Its path, or "" and a message.
std::string writeSystemFiles(const Driver &D, std::string &Error);

} // namespace luthier::emulator

#endif // LUTHIER_EMULATOR_KFD_SYSTEMFILES_H
