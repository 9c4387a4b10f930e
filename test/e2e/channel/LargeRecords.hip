// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The first wave of each kernel sends records that do not fit into registers:
// one from a variable of the device, and one from each lane that the hook has
// made. Says in the end how many have arrived, and how many of them are wrong.
#include "luthier/luthier.h"

using namespace luthier;

struct Table {
  uint32_t Words[16 << 10];
};
struct Own {
  uint32_t Lane;
  unsigned char Bytes[2044];
};
__device__ Table Source;
__device__ Channel<Table, Own> Stream;

MARK_LUTHIER_DEVICE_MODULE

LUTHIER_HOOK_ANNOTATE sendTable() {
  if (waveInDispatch() == 0 && __lane_id() == 0)
    push(Stream, Source);
}
LUTHIER_EXPORT_HOOK_HANDLE(sendTable);

LUTHIER_HOOK_ANNOTATE sendOwn() {
  if (waveInDispatch())
    return;
  Own Record{__lane_id(), {}};
  for (uint32_t I = 0; I < sizeof(Record.Bytes); ++I)
    Record.Bytes[I] = I * (Record.Lane + 1);
  push(Stream, Record);
}
LUTHIER_EXPORT_HOOK_HANDLE(sendOwn);

#ifndef __HIP_DEVICE_COMPILE__
class LargeRecords : public Tool {
  ChannelReader<Table, Own> Reader;
  Table Expected;
  uint64_t Tables = 0, Owns = 0, Wrong = 0;

  void take(const ChannelBlock<Table, Own> &Block) {
    for (const Table &T : Block.records<Table>()) {
      ++Tables;
      Wrong += !std::equal(T.Words, std::end(T.Words), Expected.Words);
    }
    for (const Own &O : Block.records<Own>()) {
      ++Owns;
      for (uint32_t I = 0; I < sizeof(O.Bytes); ++I)
        if (O.Bytes[I] != static_cast<unsigned char>(I * (O.Lane + 1))) {
          ++Wrong;
          break;
        }
    }
  }

  llvm::Error instrument(LiftedRepresentation &LR,
                         InstrumentationTask &Task) override {
    Task.insertHookAtKernelEntry(LUTHIER_GET_HOOK_HANDLE(sendTable));
    Task.insertHookAtKernelEntry(LUTHIER_GET_HOOK_HANDLE(sendOwn));
    return llvm::Error::success();
  }

  void onDispatch(KernelDispatch &Dispatch) override {
    if (llvm::Error E =
            writeVariable(Source, Dispatch.Kernel.agent(), Expected))
      return reportRefusal(Dispatch.Kernel, std::move(E));
    Tool::onDispatch(Dispatch);
  }

  void report(llvm::raw_ostream &OS) override {
    OS << Tables << " tables, " << Owns << " of lanes, " << Wrong << " wrong\n";
  }

public:
  LargeRecords() {
    for (uint32_t I = 0; I < std::size(Expected.Words); ++I)
      Expected.Words[I] = I * I + 7;
    if (llvm::Error E =
            Reader.open(Stream, [this](const auto &Block) { take(Block); },
                        {size_t(64) << 20}))
      llvm::errs() << toString(std::move(E)) << '\n';
  }
};
LUTHIER_TOOL(LargeRecords)
#endif // __HIP_DEVICE_COMPILE__
