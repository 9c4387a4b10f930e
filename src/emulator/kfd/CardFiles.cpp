// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which files there are and how they are written: the kernel's documentation,
// Documentation/gpu/amdgpu/driver-misc.rst and thermal.rst.
#include "emulator/kfd/CardFiles.h"

#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

namespace luthier::emulator {
namespace {

constexpr unsigned VendorAmd = 0x1002;
/// Display controller, other.
constexpr unsigned PciClass = 0x038000;

std::string hex(uint64_t Value, unsigned Digits) {
  std::string Text;
  llvm::raw_string_ostream(Text) << llvm::format("0x%0*llx", Digits, Value);
  return Text;
}

std::string line(const std::string &Text) { return Text + "\n"; }
std::string line(uint64_t Value) { return line(std::to_string(Value)); }

std::string uevent(const Gpu &TheGpu) {
  std::string Text;
  llvm::raw_string_ostream(Text)
      << "DRIVER=amdgpu\n"
      << llvm::format("PCI_CLASS=%X\nPCI_ID=%04X:%04X\n", PciClass, VendorAmd,
                      unsigned(TheGpu.model().DeviceId))
      << "PCI_SLOT_NAME=" << pciAddress(TheGpu) << "\n";
  return Text;
}

} // namespace

std::string pciAddress(const Gpu &TheGpu) {
  std::string Text;
  llvm::raw_string_ostream(Text)
      << llvm::format("0000:%02x:00.0", TheGpu.pciLocation() >> 8);
  return Text;
}

void addCardFiles(CardFiles &All, const Gpu &TheGpu,
                  uint64_t LocalMemoryBytes) {
  const std::string Address = pciAddress(TheGpu);
  const std::string Card = "card" + std::to_string(TheGpu.node() - 1);
  const std::string Render = "renderD" + std::to_string(TheGpu.renderMinor());
  const std::string Device = "pci/" + Address + "/";
  auto add = [&](const std::string &Name, const std::string &Text) {
    All.Texts[Device + Name] = Text;
  };
  add("vendor", line(hex(VendorAmd, 4)));
  add("device", line(hex(TheGpu.model().DeviceId, 4)));
  add("subsystem_vendor", line(hex(VendorAmd, 4)));
  add("subsystem_device", line(hex(TheGpu.model().DeviceId, 4)));
  add("class", line(hex(PciClass, 6)));
  add("revision", line(hex(0, 2)));
  add("uevent", uevent(TheGpu));
  for (const char *Name : {"max_link_speed", "current_link_speed"})
    add(Name, "16.0 GT/s PCIe\n");
  for (const char *Name : {"max_link_width", "current_link_width"})
    add(Name, line(16));
  add("numa_node", line(std::string("-1")));
  // A part number, in whose middle rocm-smi looks for the card's.
  add("vbios_version", "000-LUTHIER-000\n");
  // There are no sensors; but where there is nothing that lists them, rocm-smi
  // 5.2 aborts, and it takes for granted that there is a voltage's name.
  const std::string Monitor = "hwmon/hwmon" + std::to_string(TheGpu.node() - 1);
  add(Monitor + "/name", "amdgpu\n");
  add(Monitor + "/in0_label", "vddgfx\n");
  All.Links[Device + Monitor + "/device"] = "../../../" + Address;
  add("unique_id", line(hex(TheGpu.uniqueId(), 16).substr(2)));
  // As Linux's amdgpu_ucode.c writes them. RCCL does not start without.
  add("fw_version/mec_fw_version", line(hex(TheGpu.model().Firmware, 8)));
  add("fw_version/sdma_fw_version", line(hex(DmaFirmware, 8)));
  // Each process has the GPU, and its memory, for itself.
  add("mem_info_vram_total", line(LocalMemoryBytes));
  add("mem_info_vram_used", line(0));
  add("mem_info_vis_vram_total", line(LocalMemoryBytes));
  add("mem_info_vis_vram_used", line(0));
  add("mem_info_gtt_total", line(0));
  add("mem_info_gtt_used", line(0));
  add("gpu_busy_percent", line(0));
  add("pp_dpm_sclk", "0: 1700Mhz *\n");
  add("pp_dpm_mclk", "0: 1600Mhz *\n");
  add("power_dpm_force_performance_level", "auto\n");
  All.Links[Device + "subsystem"] = "../../../../bus/pci";
  for (const std::string &Name : {Card, Render}) {
    const unsigned Minor =
        Name == Card ? TheGpu.node() - 1 : unsigned(TheGpu.renderMinor());
    const std::string Number = "226:" + std::to_string(Minor);
    const std::string Node = "pci/" + Address + "/drm/" + Name;
    All.Texts[Node + "/dev"] = line(Number);
    All.Links[Node + "/device"] = "../../../" + Address;
    All.Links["drm/" + Name] = "../" + Node;
    All.Links["char/" + Number] = "../" + Node;
  }
}

} // namespace luthier::emulator
