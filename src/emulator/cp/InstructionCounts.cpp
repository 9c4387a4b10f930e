// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "emulator/cp/InstructionCounts.h"

#include "emulator/cp/LoadedElf.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

namespace luthier::emulator {

static std::string digestAt(const AddressSpace &Memory, uint64_t CodeBase) {
  const std::optional<AddressSpace::Range> Range = Memory.find(CodeBase);
  const std::optional<LoadedElf> Elf =
      Range ? LoadedElf::at(CodeBase, Range->End) : std::nullopt;
  return Elf ? Elf->digest() : "";
}

/// What a dispatch counts is its own until it ends: nobody waits for a lock.
std::unique_ptr<DispatchObserver>
InstructionCounts::observer(const LaunchPlan &Plan,
                            std::unique_ptr<DispatchObserver> Inner) {
  const Dispatch &D = *Plan.D;
  return countingObserver(
      [this, K = Kernel(D.KernelName, digestAt(*Plan.Memory, D.CodeBase)),
       Base = D.CodeBase](const ExecutionCounts &Counts) {
        add(K, Base, Counts);
      },
      std::move(Inner));
}

void InstructionCounts::add(const Kernel &K, uint64_t CodeBase,
                            const ExecutionCounts &Counts) {
  std::lock_guard Lock(Mutex);
  OfKernel &Sums = Kernels[K];
  Counts.forEach([&](uint64_t PC, const ExecutionCounts::Count &C) {
    ExecutionCounts::Count &Sum = Sums[PC - CodeBase];
    Sum.Waves += C.Waves;
    Sum.Active += C.Active;
  });
}

void InstructionCounts::writeRows(llvm::json::OStream &Json,
                                  unsigned Device) const {
  std::lock_guard Lock(Mutex);
  for (const auto &[K, Sums] : Kernels)
    Json.object([&, &K = K, &Sums = Sums] {
      Json.attribute("name", llvm::json::fixUTF8(K.first));
      Json.attribute("device", Device);
      Json.attribute("code", K.second);
      Json.attributeArray("instructions", [&] {
        for (const auto &[Address, Sum] : Sums)
          Json.array([&, Address = Address, &Sum = Sum] {
            Json.value(Address);
            Json.value(Sum.Waves);
            Json.value(Sum.Active);
          });
      });
    });
}

std::string
instructionCountsJson(const std::vector<const InstructionCounts *> &Devices,
                      const ReportOrigin &Origin) {
  std::string Text;
  llvm::raw_string_ostream Stream(Text);
  llvm::json::OStream Json(Stream);
  Json.object([&] {
    Origin.write(Json);
    Json.attributeArray("kernels", [&] {
      for (unsigned N = 0; N != Devices.size(); ++N)
        Devices[N]->writeRows(Json, N);
    });
  });
  Stream << '\n';
  return Text;
}

} // namespace luthier::emulator
