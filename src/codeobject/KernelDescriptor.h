// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The 64 bytes that the command processor reads at each dispatch, and what
// their register granules mean on each generation (AMDGPUUsage, "Kernel
// Descriptor").
#ifndef LUTHIER_CODEOBJECT_KERNELDESCRIPTOR_H
#define LUTHIER_CODEOBJECT_KERNELDESCRIPTOR_H

#include "amdgpu/TargetTraits.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/AMDHSAKernelDescriptor.h"
#include "llvm/Support/Error.h"
#include <array>
#include <cstdint>

namespace luthier {

/// A descriptor as read from a code object, with typed access to what Luthier
/// reads or changes. Everything else is carried over untouched.
class KernelDescriptor {
public:
  explicit KernelDescriptor(const llvm::amdhsa::kernel_descriptor_t &Raw)
      : Raw(Raw) {}
  /// Fails unless \p Bytes has exactly the descriptor's size.
  static llvm::Expected<KernelDescriptor> create(llvm::ArrayRef<uint8_t> Bytes);

  const llvm::amdhsa::kernel_descriptor_t &raw() const { return Raw; }
  llvm::amdhsa::kernel_descriptor_t &raw() { return Raw; }

  unsigned userSGPRCount() const;
  /// Kernel arguments that hardware which can do so loads into user SGPRs:
  /// how many, and the first one's distance from the others' begin. Dwords.
  unsigned preloadedDwords() const;
  unsigned preloadOffset() const;
  /// Registers of all kinds in a wave's VGPR allocation as the descriptor
  /// counts them; the hardware may round further up to its own granule.
  unsigned allocatedVGPRs(const RegisterFileTraits &Traits) const;
  /// First register past the VGPRs: accum_offset where AGPRs share the file,
  /// else the allocation.
  unsigned vgprLimit(const RegisterFileTraits &Traits) const;
  unsigned allocatedSGPRs(const RegisterFileTraits &Traits) const;
  /// Waves that fit on one SIMD, going by the registers alone.
  unsigned wavesPerSIMD(const RegisterFileTraits &Traits) const;
  bool usesDynamicStack() const;
  bool usesWave32() const;

  /// Sets granule and accum_offset fields so that v0..v(VGPRs-1) and \p AGPRs
  /// accumulation registers exist. Raising VGPRs where AGPRs share the file
  /// moves the AGPRs, which code does not notice.
  void setVGPRs(unsigned VGPRs, unsigned AGPRs,
                const RegisterFileTraits &Traits);
  /// \p SGPRs counts addressable ones; the special ones are added here.
  void setSGPRs(unsigned SGPRs, const RegisterFileTraits &Traits);

private:
  llvm::amdhsa::kernel_descriptor_t Raw;
};

} // namespace luthier

#endif // LUTHIER_CODEOBJECT_KERNELDESCRIPTOR_H
