// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every memory access of every wave, with its address, in a file; see
// README.md.
#include "luthier/luthier.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"
#include <map>
#include <mutex>
#include <string>
#include <system_error>
#include <utility>

using namespace luthier;

/// As it is in mem-trace.bin.
struct Access {
  uint64_t Address;
  uint32_t Instruction; ///< A row of mem-trace.csv.
  uint32_t Launch;      ///< KernelDispatch::Id.
  uint32_t Wave;        ///< luthier::waveInDispatch().
  uint16_t Bytes;
  uint16_t Lane; ///< Scalar for an access of the whole wave.
};
static constexpr uint16_t Scalar = 64;

__device__ Channel<Access> Accesses;

MARK_LUTHIER_DEVICE_MODULE

static __device__ Access access(uint64_t Address, uint32_t Instruction,
                                uint32_t Bytes, uint32_t Lane) {
  return {Address,          Instruction,     uint32_t(launchValue()),
          waveInDispatch(), uint16_t(Bytes), uint16_t(Lane)};
}

LUTHIER_HOOK_ANNOTATE noteAccess(uint32_t Instruction, uint64_t Address,
                                 uint32_t Bytes) {
  push(Accesses, access(Address, Instruction, Bytes, __lane_id()));
}
LUTHIER_EXPORT_HOOK_HANDLE(noteAccess);

/// Also where no lane is active.
LUTHIER_HOOK_ANNOTATE noteScalarAccess(uint32_t Instruction, uint64_t Address,
                                       uint32_t Bytes) {
  pushOnce(Accesses, access(Address, Instruction, Bytes, Scalar));
}
LUTHIER_EXPORT_HOOK_HANDLE(noteScalarAccess);

namespace {
Option<unsigned> KiB("kib", 4096,
                     "memory for records on their way, for each device");
Option<bool> MayDrop("drop", false,
                     "drop and count records that find no room, instead of "
                     "letting waves wait");

const char *nameOf(MemorySpace Space) {
  constexpr const char *Names[] = {"none", "global", "flat",  "scratch",
                                   "lds",  "scalar", "buffer"};
  return Names[static_cast<uint32_t>(Space)];
}

/// Says if it cannot be written, and leaves the program alone.
struct OutputFile {
  explicit OutputFile(llvm::StringRef Name)
      : Path(outputPath(Name)), OS(Path, Failure) {}
  void finish() {
    OS.flush();
    if (!Failure)
      Failure = OS.error();
    if (Failure)
      llvm::errs() << "mem-trace: " << Path << ": " << Failure.message()
                   << '\n';
    OS.clear_error();
  }

  const std::string Path;
  std::error_code Failure;
  llvm::raw_fd_ostream OS;
};
} // namespace

class MemTrace : public Tool {
  std::mutex Lock;
  /// Numbers of what is in the table, by text and which access it is.
  std::map<std::pair<std::string, unsigned>, uint32_t> Rows;
  OutputFile Trace{"mem-trace.bin"}, Table{"mem-trace.csv"};
  ChannelReader<Access> Reader;
  bool IsOpen = false;

  void write(llvm::ArrayRef<Access> Records) {
    Trace.OS.write(reinterpret_cast<const char *>(Records.data()),
                   Records.size() * sizeof(Access));
  }

  /// The same row for the same access of code that is loaded again: so hooks
  /// are compiled once, and the table does not grow.
  uint32_t describe(const LiftedRepresentation &LR,
                    const llvm::MachineInstr &MI, unsigned N) {
    const uint32_t Kind = memoryAccessKind(MI, N);
    std::string Source;
    if (std::optional<SourceLine> Line = LR.sourceLine(MI))
      Source = Line->File + ":" + std::to_string(Line->Line);
    const char *Does = isAtomic(Kind)      ? "atomic"
                       : readsMemory(Kind) ? "load"
                                           : "store";
    const std::string Row =
        llvm::formatv("\"{0}\",{1:x},{2},{3},{4},\"{5}\"\n", LR.kernelName(),
                      LR.originalAddress(MI).value_or(0), mnemonicOf(MI),
                      nameOf(spaceOf(Kind)), Does, Source);
    const auto [Known, IsNew] = Rows.try_emplace({Row, N}, Rows.size());
    if (IsNew)
      Table.OS << Known->second << ',' << Row;
    return Known->second;
  }

public:
  MemTrace() {
    Table.OS << "instruction,kernel,address,mnemonic,space,access,source\n";
    llvm::Error E = Reader.open(
        Accesses, [this](const auto &Block) { write(Block.records()); },
        {size_t(*KiB) << 10,
         *MayDrop ? ChannelOptions::Drop : ChannelOptions::Wait});
    IsOpen = !E;
    if (E)
      llvm::errs() << "mem-trace: " << toString(std::move(E)) << '\n';
  }

  llvm::Error instrument(LiftedRepresentation &LR,
                         InstrumentationTask &Task) override {
    std::lock_guard Guard(Lock);
    if (IsOpen)
      for (llvm::MachineInstr &MI : LR.instructions())
        for (unsigned N = 0; N < countMemoryAccesses(MI); ++N) {
          const uint32_t Number = describe(LR, MI, N);
          const HookArgument Address = HookArgument::address(N),
                             Bytes = HookArgument::accessSize(N);
          if (spaceOf(memoryAccessKind(MI, N)) == MemorySpace::Scalar)
            Task.insertHookBefore(MI, LUTHIER_GET_HOOK_HANDLE(noteScalarAccess),
                                  {Number, Address, Bytes});
          else
            Task.insertHookBefore(MI, LUTHIER_GET_HOOK_HANDLE(noteAccess),
                                  {Number, Address, Bytes});
        }
    // Before there are records of these lines: the process may be killed.
    Table.OS.flush();
    return llvm::Error::success();
  }

  void onDispatch(KernelDispatch &Dispatch) override {
    Dispatch.LaunchValue = Dispatch.Id;
    Tool::onDispatch(Dispatch);
  }

  void report(llvm::raw_ostream &OS) override {
    Trace.finish();
    Table.finish();
    const ChannelCounts C = Reader.counts();
    OS << "mem-trace: " << C.Records << " accesses";
    uint64_t Bytes = 0;
    if (Trace.Failure && !llvm::sys::fs::file_size(Trace.Path, Bytes))
      OS << ", of which the first " << Bytes / sizeof(Access) << " are";
    OS << " in " << Trace.Path << ", " << C.Dropped << " dropped\n";
  }
};
LUTHIER_TOOL(MemTrace)
