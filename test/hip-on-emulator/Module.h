// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Code objects of the program on the device, and their kernels.
#ifndef LUTHIER_TEST_HIP_ON_EMULATOR_MODULE_H
#define LUTHIER_TEST_HIP_ON_EMULATOR_MODULE_H

#include "Device.h"
#include "codeobject/CodeObject.h"
#include <memory>
#include <vector>

namespace luthier::hip {

class Module;

struct Argument {
  uint32_t Offset, Size;
};

/// A kernel, with what hipFunction_t points to.
struct Function {
  Module *Owner;
  std::string Name;
  const KernelInfo *Kernel;
  luthier_emu_kernel_info Info;
  /// Without the hidden ones.
  std::vector<Argument> Arguments;
};

class Module {
public:
  /// \p Image is a bundle or a code object. It is loaded when it is used.
  explicit Module(const void *Image) : Image(Image) {}
  /// Null if there is none of that name.
  Function *function(const std::string &Name);
  /// False if there is none of that name.
  bool variable(const std::string &Name, void **Address, size_t *Size);

  luthier_emu_code *code() { return Code; }
  const std::shared_ptr<const CodeObject> &object() const { return Object; }
  /// Added to addresses as linked.
  uint64_t bias() const { return Bias; }
  /// False if it has nothing for this device.
  bool load();

private:
  const void *Image;
  luthier_emu_code *Code = nullptr;
  std::shared_ptr<const CodeObject> Object;
  uint64_t Bias = 0;
  std::map<std::string, std::unique_ptr<Function>> Functions;
};

} // namespace luthier::hip

#endif // LUTHIER_TEST_HIP_ON_EMULATOR_MODULE_H
