// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "emulator/cp/InstructionCounts.h"

#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

namespace luthier::emulator {

/// What a dispatch counts is its own until it ends: nobody waits for a lock.
std::unique_ptr<DispatchObserver>
InstructionCounts::observer(const Dispatch &D,
                            std::unique_ptr<DispatchObserver> Inner) {
  return countingObserver(
      [this, &D](const ExecutionCounts &Counts) { add(D, Counts); },
      std::move(Inner));
}

void InstructionCounts::add(const Dispatch &D, const ExecutionCounts &Counts) {
  std::lock_guard Lock(Mutex);
  OfKernel &Sums = Kernels[D.KernelName];
  Counts.forEach([&](uint64_t PC, const ExecutionCounts::Count &C) {
    ExecutionCounts::Count &Sum = Sums[PC - D.CodeBase];
    Sum.Waves += C.Waves;
    Sum.Active += C.Active;
  });
}

void InstructionCounts::writeRows(llvm::json::OStream &Json,
                                  unsigned Device) const {
  std::lock_guard Lock(Mutex);
  for (const auto &[Name, Sums] : Kernels)
    Json.object([&, &Name = Name, &Sums = Sums] {
      Json.attribute("name", llvm::json::fixUTF8(Name));
      Json.attribute("device", Device);
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
instructionCountsJson(const std::vector<const InstructionCounts *> &Devices) {
  std::string Text;
  llvm::raw_string_ostream Stream(Text);
  llvm::json::OStream Json(Stream);
  Json.object([&] {
    Json.attributeArray("kernels", [&] {
      for (unsigned N = 0; N != Devices.size(); ++N)
        Devices[N]->writeRows(Json, N);
    });
  });
  Stream << '\n';
  return Text;
}

} // namespace luthier::emulator
