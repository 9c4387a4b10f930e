// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rewrite/plan/KernargGrowth.h"
#include "luthier/Refusal.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;

namespace luthier {

std::vector<AddedArgument> KernargGrowth::forMetadata() const {
  std::vector<AddedArgument> Result;
  for (const Argument &A : Added)
    Result.push_back(
        {infoOf(A.Kind).ValueKind, A.Offset, infoOf(A.Kind).Bytes});
  return Result;
}

namespace {

/// Bytes that all implicit arguments of a version take.
unsigned implicitSize(unsigned Version) { return Version >= 500 ? 256 : 56; }

/// From where LaunchArguments begin.
unsigned distanceFromLaunchValue(HiddenArgument Kind) {
  return infoOf(Kind).OffsetV5 - infoOf(HiddenArgument::LaunchValue).OffsetV5;
}

class KernargGrower {
public:
  KernargGrower(KernargLayout &Layout, const KernelInfo &Kernel,
                unsigned ObjectVersion, bool Offline)
      : Layout(Layout), Kernel(Kernel), Version(ObjectVersion * 100),
        Offline(Offline), IsEndKnown(Layout.ExplicitSize ||
                                     !Layout.Hidden.empty() || !sizeOfAll()) {}

  Expected<KernargGrowth> grow(uint32_t Missing, ArrayRef<LaunchShare> Shares);

private:
  Error check(HiddenArgument Kind) const;
  Error refuseFor(HiddenArgument Kind, const Twine &Why) const;
  /// Of the original.
  unsigned statedSize() const;
  unsigned sizeOfAll() const;
  bool isFree(unsigned Offset, unsigned Bytes) const;
  std::optional<unsigned> usualPlace(HiddenArgument Kind, unsigned Bytes) const;
  unsigned choosePlace(HiddenArgument Kind, unsigned Bytes,
                       unsigned Behind) const;
  unsigned placeLaunchArguments(unsigned Behind) const;
  unsigned place(HiddenArgument Kind, unsigned Behind);

  KernargLayout &Layout;
  const KernelInfo &Kernel;
  const unsigned Version;
  const bool Offline;
  /// Without metadata, nobody knows where the kernel's own arguments end.
  const bool IsEndKnown;
  /// Of all tools; those of the first begin there.
  unsigned LaunchArgumentsOfAll = LaunchArgumentsBytes;
  std::optional<unsigned> LaunchArgumentsAt;
};

Error KernargGrower::refuseFor(HiddenArgument Kind, const Twine &Why) const {
  return refuse(RefusalReason::UnsupportedHook,
                Twine("a hook needs ") + infoOf(Kind).ValueKind +
                    ", which the kernel is not given, and " + Why);
}

Error KernargGrower::check(HiddenArgument Kind) const {
  const HiddenArgumentInfo &Info = infoOf(Kind);
  if (!Offline) {
    if (Info.Source == HiddenSource::Runtime)
      return refuseFor(Kind, "HIP makes it only for kernels that ask for it");
    return Error::success();
  }
  if (Info.Source == HiddenSource::Redirection)
    return refuseFor(Kind, "only a tool that is loaded beside the program "
                           "gives it");
  // What metadata of this version never had, HIP may not read in it.
  if (Info.offset(Version) < 0)
    return refuseFor(Kind, "code objects of version " + Twine(Version / 100) +
                               " do not have it");
  if (Kind == HiddenArgument::DynamicLdsSize)
    return refuseFor(Kind, "not every version of HIP knows it");
  if (Kind == HiddenArgument::PrintfBuffer)
    return refuseFor(Kind, "HIP would not know the strings to print");
  return Error::success();
}

unsigned KernargGrower::statedSize() const {
  unsigned Size = std::max<unsigned>({Kernel.Descriptor.raw().kernarg_size,
                                      Kernel.Metadata.KernargSegmentSize,
                                      Layout.ExplicitSize});
  for (auto [Kind, Offset] : Layout.Hidden)
    Size = std::max(Size, Offset + infoOf(Kind).Bytes);
  return Size;
}

/// With what hardware would load.
unsigned KernargGrower::sizeOfAll() const {
  return std::max(statedSize(), Layout.PreloadedEnd);
}

bool KernargGrower::isFree(unsigned Offset, unsigned Bytes) const {
  return none_of(Layout.Hidden, [&](const auto &Taken) {
    return Offset < Taken.second + infoOf(Taken.first).Bytes &&
           Taken.second < Offset + Bytes;
  });
}

/// Where the kernel would have the argument, had it asked for it.
std::optional<unsigned> KernargGrower::usualPlace(HiddenArgument Kind,
                                                  unsigned Bytes) const {
  const int Distance = infoOf(Kind).offset(Version);
  if (Distance < 0 || !IsEndKnown)
    return std::nullopt;
  const unsigned Offset = alignTo(Layout.ExplicitSize, 8) + Distance;
  return isFree(Offset, Bytes) ? std::optional(Offset) : std::nullopt;
}

/// Else behind all of the kernel's own, as version 5 has them, which has them
/// all.
unsigned KernargGrower::choosePlace(HiddenArgument Kind, unsigned Bytes,
                                    unsigned Behind) const {
  return usualPlace(Kind, Bytes).value_or(Behind + infoOf(Kind).OffsetV5);
}

/// A hook may load several of them at once, and those of another tool follow:
/// they stay together, wherever there is room for all.
unsigned KernargGrower::placeLaunchArguments(unsigned Behind) const {
  for (auto [Kind, Offset] : Layout.Hidden)
    if (infoOf(Kind).Source == HiddenSource::Redirection)
      return Offset - distanceFromLaunchValue(Kind);
  return choosePlace(HiddenArgument::LaunchValue, LaunchArgumentsOfAll, Behind);
}

unsigned KernargGrower::place(HiddenArgument Kind, unsigned Behind) {
  if (const auto Known = Layout.Hidden.find(Kind); Known != Layout.Hidden.end())
    return Known->second;
  unsigned Offset;
  if (infoOf(Kind).Source == HiddenSource::Redirection) {
    if (!LaunchArgumentsAt)
      LaunchArgumentsAt = placeLaunchArguments(Behind);
    Offset = *LaunchArgumentsAt + distanceFromLaunchValue(Kind);
  } else {
    Offset = choosePlace(Kind, infoOf(Kind).Bytes, Behind);
  }
  Layout.Hidden.emplace(Kind, Offset);
  return Offset;
}

Expected<KernargGrowth> KernargGrower::grow(uint32_t Missing,
                                            ArrayRef<LaunchShare> Shares) {
  KernargGrowth Growth;
  Growth.OldSize = Growth.NewSize = sizeOfAll();
  Growth.Align = Kernel.Metadata.KernargSegmentAlign;
  if (!statedSize() &&
      (Kernel.Descriptor.raw().kernel_code_properties &
       amdhsa::KERNEL_CODE_PROPERTY_ENABLE_SGPR_KERNARG_SEGMENT_PTR))
    return refuse(RefusalReason::UnsupportedHook,
                  "a hook needs arguments that the kernel is not given, and "
                  "the kernel does not say how large its own are");
  // All in one piece: optimisers join loads of neighbours.
  const unsigned Behind = alignTo(
      std::max<unsigned>(Growth.OldSize, alignTo(Layout.ExplicitSize, 8) +
                                             implicitSize(Version)),
      8);
  auto Add = [&](uint32_t Kinds, unsigned Distance, unsigned Tool) -> Error {
    for (unsigned N = 0; N < hiddenArguments().size(); ++N) {
      const auto Kind = HiddenArgument(N);
      if (!(Kinds & hiddenBit(Kind)))
        continue;
      if (Error E = check(Kind))
        return E;
      const unsigned Offset = place(Kind, Behind) + Distance;
      Growth.Added.push_back({Kind, Offset, Tool});
      Growth.NewSize = std::max<unsigned>(
          Growth.NewSize, alignTo(Offset + infoOf(Kind).Bytes, 8));
    }
    return Error::success();
  };
  LaunchArgumentsOfAll *= std::max<size_t>(Shares.size(), 1);
  if (Error E = Add(Missing, 0, Shares.empty() ? 0 : Shares.front().Tool))
    return std::move(E);
  for (size_t N = 1; N < Shares.size(); ++N)
    if (Error E =
            Add(Shares[N].Arguments, N * LaunchArgumentsBytes, Shares[N].Tool))
      return std::move(E);
  return Growth;
}

} // namespace

Expected<KernargGrowth> growKernarg(KernargLayout &Layout,
                                    const KernelInfo &Kernel,
                                    unsigned ObjectVersion, uint32_t Wanted,
                                    bool Offline,
                                    ArrayRef<LaunchShare> Shares) {
  for (const auto &Given : Layout.Hidden)
    Wanted &= ~hiddenBit(Given.first);
  if (!Wanted)
    return KernargGrowth();
  return KernargGrower(Layout, Kernel, ObjectVersion, Offline)
      .grow(Wanted, Shares);
}

void growArguments(const KernargGrowth &Growth, KernelDescriptor &Descriptor,
                   KernelMetadata &Metadata) {
  if (!Growth.any())
    return;
  Descriptor.raw().kernarg_size = Growth.NewSize;
  Metadata.KernargSegmentSize = Growth.NewSize;
  Metadata.AddedArguments = Growth.forMetadata();
}

} // namespace luthier
