// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// C API: code objects, raw code, and what is in them.
#include "emulator/api/Handles.h"

using namespace luthier::emulator;
using namespace luthier::emulator::api;

luthier_emu_status luthier_emu_load(luthier_emu_device *Device,
                                    const void *Bytes, size_t Size,
                                    luthier_emu_code **Code) {
  if (!Device || !Bytes || !Code)
    return nullArgument(Device);
  api::Device &D = *Device->D;
  auto Loaded =
      loadCode({static_cast<const uint8_t *>(Bytes), Size}, D.memory());
  if (!Loaded)
    return fail(Device, LUTHIER_EMU_BAD_CODE_OBJECT,
                llvm::toString(Loaded.takeError()));
  if (Loaded->Processor != D.target().Name) {
    D.memory().free(Loaded->Begin);
    return fail(Device, LUTHIER_EMU_BAD_CODE_OBJECT,
                "the code object is for " + Loaded->Processor +
                    ", the device is a " + std::string(D.target().Name));
  }
  D.invalidateCode(Loaded->Begin, Loaded->Begin + Loaded->Size);
  *Code = new luthier_emu_code{Device, std::move(*Loaded)};
  return LUTHIER_EMU_OK;
}

luthier_emu_status luthier_emu_load_raw(luthier_emu_device *Device,
                                        const void *Bytes, size_t Size,
                                        uint64_t *Address) {
  if (!Device || !Bytes || !Address)
    return nullArgument(Device);
  uint64_t At;
  luthier_emu_status Status = luthier_emu_allocate(Device, Size, &At);
  if (Status != LUTHIER_EMU_OK)
    return Status;
  *Address = At;
  return luthier_emu_write(Device, At, Bytes, Size);
}

void luthier_emu_unload(luthier_emu_code *Code) {
  if (!Code)
    return;
  api::Device &D = *Code->Owner->D;
  D.memory().free(Code->Code.Begin);
  D.invalidateCode(Code->Code.Begin, Code->Code.Begin + Code->Code.Size);
  delete Code;
}

luthier_emu_status luthier_emu_invalidate_code(luthier_emu_device *Device,
                                               uint64_t Address,
                                               uint64_t Size) {
  if (!Device)
    return nullArgument(Device);
  Device->D->invalidateCode(Address, Address + Size);
  return LUTHIER_EMU_OK;
}

luthier_emu_status luthier_emu_symbol(const luthier_emu_code *Code,
                                      const char *Name, uint64_t *Address,
                                      uint64_t *Size) {
  if (!Code || !Name || !Address)
    return nullArgument(Code);
  const auto Found = Code->Code.Symbols.find(Name);
  if (Found == Code->Code.Symbols.end())
    return fail(Code->Owner, LUTHIER_EMU_NOT_FOUND,
                "there is no symbol '" + std::string(Name) + "'");
  *Address = Found->second.Address;
  if (Size)
    *Size = Found->second.Size;
  return LUTHIER_EMU_OK;
}

luthier_emu_status luthier_emu_code_range(const luthier_emu_code *Code,
                                          uint64_t *Address, uint64_t *Size) {
  if (!Code)
    return nullArgument(Code);
  if (Address)
    *Address = Code->Code.Begin;
  if (Size)
    *Size = Code->Code.Size;
  return LUTHIER_EMU_OK;
}

const char *luthier_emu_kernel_name(const luthier_emu_code *Code,
                                    uint32_t Index) {
  if (!Code || Index >= Code->Code.Kernels.size())
    return nullptr;
  return Code->Code.Kernels[Index].Name.c_str();
}

const LoadedKernel *api::kernelOf(const luthier_emu_code *Code,
                                  const char *Name) {
  const LoadedKernel *K = Code->Code.findKernel(Name);
  if (K)
    return K;
  std::string Text = "there is no kernel '" + std::string(Name) + "'";
  for (const LoadedKernel &Other : Code->Code.Kernels)
    Text += (&Other == Code->Code.Kernels.data() ? "; there are: " : ", ") +
            Other.Name;
  Code->Owner->D->Error = Text;
  return nullptr;
}

/// Register counts as the launch allocates them.
static LaunchPlan planOf(const luthier_emu_code *Code, const LoadedKernel &K,
                         Dispatch &D) {
  D.ComputePgmRsrc1 = K.Descriptor.compute_pgm_rsrc1;
  D.ComputePgmRsrc3 = K.Descriptor.compute_pgm_rsrc3;
  D.KernelCodeProperties = K.Descriptor.kernel_code_properties;
  LaunchPlan Plan;
  std::string Ignored;
  api::Device &Device = *Code->Owner->D;
  Plan.init(D, Device.target(), Device.memory().Space, Ignored);
  return Plan;
}

luthier_emu_status luthier_emu_kernel(const luthier_emu_code *Code,
                                      const char *Kernel,
                                      luthier_emu_kernel_info *Info) {
  if (!Code || !Kernel || !Info)
    return nullArgument(Code);
  if (!hasSize(Info))
    return noSize(Code->Owner, "info");
  const LoadedKernel *K = kernelOf(Code, Kernel);
  if (!K)
    return LUTHIER_EMU_NOT_FOUND;
  Dispatch D;
  const LaunchPlan Plan = planOf(Code, *K, D);
  luthier_emu_kernel_info Result{};
  Result.descriptor_address = K->DescriptorAddress;
  Result.entry_address = K->EntryAddress;
  Result.kernarg_size = K->kernargSize();
  Result.explicit_kernarg_size = K->explicitKernargSize();
  Result.group_segment_size = K->Descriptor.group_segment_fixed_size;
  Result.private_segment_size = K->Descriptor.private_segment_fixed_size;
  Result.wave_size = Plan.WaveSize;
  Result.vgprs = Plan.NumVgprs;
  Result.agprs = Plan.NumAgprs;
  Result.sgprs = uint32_t(Plan.Limits >> 32 & 0xffff);
  Result.argument_count = uint32_t(K->Metadata.Arguments.size());
  Result.max_workgroup_size = K->Metadata.MaxWorkgroupSize;
  giveStruct(Info, Result);
  return LUTHIER_EMU_OK;
}

luthier_emu_status
luthier_emu_kernel_argument(const luthier_emu_code *Code, const char *Kernel,
                            uint32_t Index, luthier_emu_argument_info *Info) {
  if (!Code || !Kernel || !Info)
    return nullArgument(Code);
  if (!hasSize(Info))
    return noSize(Code->Owner, "info");
  const LoadedKernel *K = kernelOf(Code, Kernel);
  if (!K)
    return LUTHIER_EMU_NOT_FOUND;
  if (Index >= K->Metadata.Arguments.size())
    return fail(Code->Owner, LUTHIER_EMU_NOT_FOUND,
                "kernel " + K->Name + " has no argument " +
                    std::to_string(Index));
  const KernelArgument &A = K->Metadata.Arguments[Index];
  giveStruct(Info, luthier_emu_argument_info{0, A.Name.c_str(),
                                             A.TypeName.c_str(), A.Kind.c_str(),
                                             A.Offset, A.Size, A.isHidden()});
  return LUTHIER_EMU_OK;
}
