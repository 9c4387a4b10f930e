// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which keys there are and what they mean: the kernel's
// drivers/gpu/drm/amd/amdkfd/kfd_topology.c writes them, libhsakmt's topology.c
// reads them.
#include "emulator/kfd/SystemFiles.h"

#include "emulator/core/GlobalWaveSync.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/xxhash.h"
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <unistd.h>

namespace luthier::emulator {
namespace {

namespace fs = std::filesystem;
using Files = std::map<std::string, std::string>;

/// Lines of a key and a value.
class Properties {
public:
  Properties &add(const char *Key, uint64_t Value) {
    Text += std::string(Key) + " " + std::to_string(Value) + "\n";
    return *this;
  }
  std::string Text;
};

enum HeapType { SystemHeap = 0, PublicFrameBuffer = 1 };
constexpr unsigned NumCaches = 2;
constexpr unsigned LinkIsPci = 2;
constexpr unsigned WeightOfLink = 20;
constexpr uint64_t FirstComputeId = 0x80000000;

std::string bank(HeapType Type, uint64_t Bytes, unsigned Width, unsigned MHz) {
  return Properties()
      .add("heap_type", Type)
      .add("size_in_bytes", Bytes)
      .add("flags", 0)
      .add("width", Width)
      .add("mem_clk_max", MHz)
      .Text;
}

void addCaches(Files &All, const std::string &Node, bool IsCpu) {
  constexpr unsigned Data = 1 << 0, OfCpu = 1 << 2, OfGpu = 1 << 3;
  for (unsigned I = 0; I != NumCaches; ++I)
    All[Node + "/caches/" + std::to_string(I) + "/properties"] =
        Properties()
            .add("processor_id_low", IsCpu ? 0 : FirstComputeId)
            .add("level", I + 1)
            .add("size", I == 0 ? 16 : 8192) // KiB
            .add("cache_line_size", IsCpu ? 64 : 128)
            .add("cache_lines_per_tag", 1)
            .add("association", 16)
            .add("latency", 0)
            .add("type", Data | (IsCpu ? OfCpu : OfGpu))
            .add("sibling_map", 1)
            .Text;
}

std::string linkProperties(unsigned From, unsigned To, unsigned Weight) {
  return Properties()
      .add("type", LinkIsPci)
      .add("version_major", 0)
      .add("version_minor", 0)
      .add("node_from", From)
      .add("node_to", To)
      .add("weight", Weight)
      .add("min_latency", 0)
      .add("max_latency", 0)
      .add("min_bandwidth", 312)
      .add("max_bandwidth", 31504)
      .add("recommended_transfer_size", 0)
      .add("recommended_sdma_engine_id_mask", 0)
      .add("flags", 1)
      .Text;
}

/// From device to device it goes over the CPU. Linux has such links in
/// p2p_links since 6.0, and both folders for each node; before, as libhsakmt of
/// ROCm 5.2 still does, runtimes put them together from io_links. Management
/// tools expect a device in io_links only where XGMI leads to it.
void addLinks(CardFiles &All, const std::string &Node, unsigned From,
              unsigned NumNodes) {
  unsigned Direct = 0, Peers = 0;
  for (const char *Folder : {"/io_links", "/p2p_links"})
    All.Folders.insert(Node + Folder);
  for (unsigned To = 0; To != NumNodes; ++To) {
    if (To == From)
      continue;
    const bool IsPeer = From != 0 && To != 0;
    const std::string Number = std::to_string(IsPeer ? Peers++ : Direct++);
    All.Texts[Node + (IsPeer ? "/p2p_links/" : "/io_links/") + Number +
              "/properties"] =
        linkProperties(From, To, IsPeer ? 2 * WeightOfLink : WeightOfLink);
  }
}

/// HSA_CAPABILITY. Debuggers are not claimed, but firmware that reports
/// exceptions is, as all have that Linux's
/// kfd_topology_set_dbg_firmware_support names. Without, ROCr 6.4 and 7.2 never
/// close the driver when they shut down, and cannot be started again.
uint64_t capability(const DeviceModel &Model) {
  constexpr uint64_t WatchPoints = 1 << 7, TwoBitsOfThem = 2 << 8,
                     DoorbellsTakePacketIndices = 2 << 12,
                     SharedVirtualMemory = 1 << 27,
                     FirmwareReportsExceptions = 1 << 29;
  return WatchPoints | TwoBitsOfThem | DoorbellsTakePacketIndices |
         uint64_t(Model.SramEcc) << 26 | SharedVirtualMemory |
         FirmwareReportsExceptions;
}

void addCpu(Files &All, const std::string &Node, unsigned NumGpus) {
  All[Node + "/gpu_id"] = "0\n";
  All[Node + "/name"] = "\n";
  Properties P;
  P.add("cpu_cores_count", uint64_t(::sysconf(_SC_NPROCESSORS_ONLN)))
      .add("mem_banks_count", 1)
      .add("caches_count", NumCaches)
      .add("io_links_count", NumGpus)
      .add("max_engine_clk_ccompute", 3000);
  for (const char *Key : {"simd_count",
                          "p2p_links_count",
                          "cpu_core_id_base",
                          "simd_id_base",
                          "max_waves_per_simd",
                          "lds_size_in_kb",
                          "gds_size_in_kb",
                          "num_gws",
                          "wave_front_size",
                          "array_count",
                          "simd_arrays_per_engine",
                          "cu_per_simd_array",
                          "simd_per_cu",
                          "max_slots_scratch_cu",
                          "gfx_target_version",
                          "vendor_id",
                          "device_id",
                          "location_id",
                          "domain",
                          "drm_render_minor",
                          "hive_id",
                          "num_sdma_engines",
                          "num_sdma_xgmi_engines",
                          "num_sdma_queues_per_engine",
                          "num_cp_queues"})
    P.add(Key, 0);
  All[Node + "/properties"] = P.Text;
  All[Node + "/mem_banks/0/properties"] = bank(
      SystemHeap,
      uint64_t(::sysconf(_SC_PHYS_PAGES)) * uint64_t(::sysconf(_SC_PAGESIZE)),
      64, 3200);
  addCaches(All, Node, /*IsCpu=*/true);
}

void addGpu(Files &All, const std::string &Node, const Gpu &TheGpu,
            unsigned NumGpus, uint64_t LocalMemoryBytes) {
  const DeviceModel &Model = TheGpu.model();
  const Target &T = Model.target();
  All[Node + "/gpu_id"] = std::to_string(TheGpu.id()) + "\n";
  All[Node + "/name"] = std::string(Model.CodeName) + "\n";
  All[Node + "/properties"] =
      Properties()
          .add("cpu_cores_count", 0)
          .add("simd_count", Model.ComputeUnits * T.SimdsPerUnit)
          .add("mem_banks_count", 1)
          .add("caches_count", NumCaches)
          .add("io_links_count", 1) // The CPU.
          .add("p2p_links_count", NumGpus - 1)
          .add("cpu_core_id_base", 0)
          .add("simd_id_base", FirstComputeId)
          .add("max_waves_per_simd", T.MaxWavesPerSimd)
          .add("lds_size_in_kb", T.LdsPerUnit / 1024)
          .add("gds_size_in_kb", 0)
          .add("num_gws", GlobalWaveSync::NumResources)
          .add("wave_front_size", Model.nativeWaveSize())
          .add("array_count", Model.ShaderEngines)
          .add("simd_arrays_per_engine", 1)
          .add("cu_per_simd_array", Model.ComputeUnits / Model.ShaderEngines)
          .add("simd_per_cu", T.SimdsPerUnit)
          .add("max_slots_scratch_cu", 32)
          .add("gfx_target_version",
               T.Generation * 10000 + T.Minor * 100 + T.Stepping)
          .add("vendor_id", 0x1002)
          .add("device_id", Model.DeviceId)
          .add("location_id", TheGpu.pciLocation())
          .add("domain", 0)
          .add("drm_render_minor", uint64_t(TheGpu.renderMinor()))
          .add("hive_id", 0)
          .add("num_sdma_engines", 2)
          .add("num_sdma_xgmi_engines", 0)
          .add("num_sdma_queues_per_engine", 8)
          .add("num_cp_queues", 24)
          .add("max_engine_clk_fcompute", 1700)
          .add("local_mem_size", 0)
          .add("fw_version", Model.Firmware)
          .add("capability", capability(Model))
          .add("capability2", 0)
          .add("debug_prop", 0)
          .add("sdma_fw_version", DmaFirmware)
          .add("unique_id", TheGpu.uniqueId())
          .add("num_xcc", 1)
          .add("max_engine_clk_ccompute", 3000)
          .Text;
  All[Node + "/mem_banks/0/properties"] =
      bank(PublicFrameBuffer, LocalMemoryBytes, 4096, 1600);
  addCaches(All, Node, /*IsCpu=*/false);
}

/// Something that cleans old files away may have come by.
void writeMissing(const fs::path &Folder, const CardFiles &All) {
  std::error_code Failure;
  for (const std::string &Path : All.Folders)
    fs::create_directories(Folder / Path);
  for (const auto &[Path, Target] : All.Links) {
    if (fs::is_symlink(Folder / Path, Failure))
      continue;
    fs::create_directories((Folder / Path).parent_path());
    // Another process may be faster, and makes the same.
    fs::create_symlink(Target, Folder / Path, Failure);
  }
  for (const auto &[Path, Text] : All.Texts) {
    if (fs::file_size(Folder / Path, Failure) == Text.size() && !Failure)
      continue;
    fs::create_directories((Folder / Path).parent_path());
    std::ofstream Stream(Folder / Path);
    Stream << Text;
    if (!Stream.flush())
      throw fs::filesystem_error(
          "cannot be written", Folder / Path,
          std::error_code(errno, std::generic_category()));
  }
}

} // namespace

CardFiles describeSystem(const GpuList &Gpus, uint64_t LocalMemoryBytes) {
  CardFiles Cards;
  Files &All = Cards.Texts;
  const std::string Topology = "kfd/topology/";
  All[Topology + "generation_id"] = "1\n";
  All[Topology + "system_properties"] = Properties()
                                            .add("platform_oem", 0)
                                            .add("platform_id", 0)
                                            .add("platform_rev", 1)
                                            .Text;
  const unsigned NumNodes = 1 + Gpus.size();
  for (unsigned N = 0; N != NumNodes; ++N) {
    const std::string Node = Topology + "nodes/" + std::to_string(N);
    if (N == 0)
      addCpu(All, Node, Gpus.size());
    else
      addGpu(All, Node, *Gpus[N - 1], Gpus.size(), LocalMemoryBytes);
    addLinks(Cards, Node, N, NumNodes);
  }
  // Each process has the GPUs for itself, and who else asks sees no process.
  Cards.Folders.insert("kfd/proc");
  // rocminfo looks whether the driver is there; that of 5.2 runs lsmod, which
  // complains if it cannot see who uses a module.
  Cards.Folders.insert("module/holders");
  All["module/initstate"] = "live\n";
  All["module/version"] = "luthier\n";
  All["module/modules"] = "amdgpu 16384 1 - Live 0x0000000000000000\n";
  All["dev/kfd"] = "";
  for (const auto &TheGpu : Gpus) {
    All["dev/dri/renderD" + std::to_string(TheGpu->renderMinor())] = "";
    addCardFiles(Cards, *TheGpu, LocalMemoryBytes);
  }
  return Cards;
}

SharedFolder writeSystemFiles(const GpuList &Gpus, uint64_t LocalMemoryBytes,
                              std::string &Error) {
  const CardFiles All = describeSystem(Gpus, LocalMemoryBytes);
  std::string Content;
  for (const Files *Part : {&All.Texts, &All.Links})
    for (const auto &[Path, Text] : *Part)
      Content += Path + '\0' + Text + '\0';
  for (const std::string &Path : All.Folders)
    Content += Path + '\0';
  std::error_code Failure;
  fs::path Temporary = fs::temp_directory_path(Failure);
  if (Failure)
    Temporary = "/tmp";
  try {
    return SharedFolder::open(
        Temporary, "luthier-gpu-" + std::to_string(::geteuid()) + "-",
        llvm::utohexstr(llvm::xxh3_64bits(Content)),
        [&](const fs::path &Folder) { writeMissing(Folder, All); });
  } catch (const fs::filesystem_error &E) {
    Error = std::string("the emulated device's files (TMPDIR says where): ") +
            E.what();
    return {};
  }
}

} // namespace luthier::emulator
