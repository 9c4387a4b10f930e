// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "amdgpu/CodeLayout.h"
#include "llvm/Support/Endian.h"
#include <algorithm>
#include <cassert>

using namespace llvm;

namespace luthier::amdgpu {

static constexpr size_t Unbound = SIZE_MAX;
static constexpr unsigned BranchSize = 4;

CodeLayout::Label CodeLayout::createLabel() {
  Labels.push_back(Unbound);
  return Labels.size() - 1;
}

void CodeLayout::bind(Label L) {
  assert(Labels[L] == Unbound && "label bound twice");
  Labels[L] = Bytes.size();
}

void CodeLayout::append(ArrayRef<uint8_t> Code) {
  Bytes.insert(Bytes.end(), Code.begin(), Code.end());
}

void CodeLayout::branch(uint32_t Encoding, std::optional<uint32_t> Inverse,
                        Label Target) {
  Branches.push_back({Bytes.size(), Encoding, Inverse, Target});
  Bytes.resize(Bytes.size() + BranchSize);
}

Expected<std::vector<uint8_t>>
CodeLayout::finish(const LongJump *Long, std::vector<Mark> *Places) const {
  // Extra bytes that each branch needs; grows only, so the loop ends.
  std::vector<unsigned> Extra(Branches.size(), 0);
  std::vector<size_t> Shift(Branches.size() + 1, 0);
  auto place = [&](size_t Offset) {
    // Branches before Offset have moved what stands there.
    auto After = std::partition_point(
        Branches.begin(), Branches.end(),
        [&](const Branch &B) { return B.Offset < Offset; });
    return Offset + Shift[After - Branches.begin()];
  };
  auto distance = [&](size_t I, unsigned From) {
    return static_cast<int64_t>(place(Labels[Branches[I].Target])) -
           static_cast<int64_t>(Branches[I].Offset + Shift[I] + From);
  };
  for (bool Changed = true; Changed;) {
    Changed = false;
    for (size_t I = 0; I < Branches.size(); ++I)
      Shift[I + 1] = Shift[I] + Extra[I];
    for (size_t I = 0; I < Branches.size(); ++I) {
      assert(Labels[Branches[I].Target] != Unbound && "branch to nowhere");
      int64_t Dwords = distance(I, BranchSize) / 4;
      if (Extra[I] || (Dwords >= INT16_MIN && Dwords <= INT16_MAX))
        continue;
      if (!Long)
        return createStringError("branch out of reach");
      // A conditional branch stays, inverted, and skips the jump.
      Extra[I] = Long->Code.size() - (Branches[I].Inverse ? 0 : BranchSize);
      Changed = true;
    }
  }

  if (Places)
    for (const Mark &M : Marks)
      Places->push_back({place(M.Offset), M.Key});
  std::vector<uint8_t> Result;
  Result.reserve(Bytes.size() + Shift.back());
  size_t Copied = 0;
  auto appendWord = [&](uint32_t Word) {
    Result.resize(Result.size() + BranchSize);
    support::endian::write32le(&Result[Result.size() - BranchSize], Word);
  };
  for (size_t I = 0; I < Branches.size(); ++I) {
    const Branch &B = Branches[I];
    Result.insert(Result.end(), Bytes.begin() + Copied,
                  Bytes.begin() + B.Offset);
    Copied = B.Offset + BranchSize;
    if (!Extra[I]) {
      appendWord(B.Encoding |
                 static_cast<uint16_t>(distance(I, BranchSize) / 4));
      continue;
    }
    unsigned JumpAt = 0;
    if (B.Inverse) {
      appendWord(*B.Inverse | static_cast<uint16_t>(Long->Code.size() / 4));
      JumpAt = BranchSize;
    }
    size_t Start = Result.size();
    Result.insert(Result.end(), Long->Code.begin(), Long->Code.end());
    uint64_t Distance = distance(I, JumpAt + Long->PCOffset);
    support::endian::write32le(&Result[Start + Long->LowOffset], Distance);
    support::endian::write32le(&Result[Start + Long->HighOffset],
                               Distance >> 32);
  }
  Result.insert(Result.end(), Bytes.begin() + Copied, Bytes.end());
  return Result;
}

} // namespace luthier::amdgpu
