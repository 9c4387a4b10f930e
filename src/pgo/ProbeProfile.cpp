// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "pgo/ProbeProfile.h"
#include "pgo/Problem.h"
#include "pgo/SourceFrames.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/PseudoProbe.h"
#include "llvm/MC/MCPseudoProbe.h"
#include "llvm/Support/MD5.h"

using namespace llvm;
using namespace llvm::sampleprof;
using namespace luthier;
using namespace luthier::pgo;

namespace {

constexpr StringLiteral DescriptionSection = ".pseudo_probe_desc";
constexpr StringLiteral ProbeSection = ".pseudo_probe";

Error damaged(const Twine &What) {
  return problem(ProblemKind::Malformed, "pseudo probes: " + What);
}

/// LLVM's decoder, with what it takes for granted checked.
class Probes {
public:
  static Expected<std::unique_ptr<Probes>> read(const CodeObject &Object);

  const AddressProbesMap &all() const { return Decoder.getAddress2ProbesMap(); }
  /// From the function that has code of its own to the one that the probe
  /// belongs to; each with the probe at which the next was inlined, the last
  /// with the probe itself.
  SmallVector<MCPseudoProbeFrameLocation, 8>
  frames(const MCDecodedPseudoProbe &Probe) const {
    SmallVector<MCPseudoProbeFrameLocation, 8> Frames;
    Decoder.getInlineContextForProbe(&Probe, Frames, /*IncludeLeaf=*/true);
    return Frames;
  }
  /// Of the control flow of functions, by their GUIDs.
  const DenseMap<uint64_t, uint64_t> &hashes() const { return Hashes; }
  uint64_t hashOf(StringRef Function) const {
    return Hashes.lookup(MD5Hash(Function));
  }

private:
  Error check() const;

  MCPseudoProbeDecoder Decoder;
  DenseMap<uint64_t, uint64_t> Hashes;
};

Expected<std::unique_ptr<Probes>> Probes::read(const CodeObject &Object) {
  const auto Descriptions = Object.section(DescriptionSection);
  const auto Bytes = Object.section(ProbeSection);
  if (!Descriptions || !Bytes)
    return problem(ProblemKind::NoMarks, "there are no pseudo probes");
  auto Result = std::make_unique<Probes>();
  if (!Result->Decoder.buildGUID2FuncDescMap(Descriptions->data(),
                                             Descriptions->size()))
    return damaged(DescriptionSection + " is damaged");
  for (const MCPseudoProbeFuncDesc &D : Result->Decoder.getGUID2FuncDescMap())
    Result->Hashes[D.FuncGUID] = D.FuncHash;
  MCPseudoProbeDecoder::Uint64Set Wanted;
  MCPseudoProbeDecoder::Uint64Map Starts;
  auto Add = [&](StringRef Name, uint64_t Address) {
    const uint64_t Guid = MD5Hash(FunctionSamples::getCanonicalFnName(Name));
    Wanted.insert(Guid);
    Starts[Guid] = Address;
  };
  for (const KernelInfo &Kernel : Object.kernels())
    Add(Kernel.Name, Kernel.EntryAddress);
  for (const FunctionInfo &Function : Object.functions())
    Add(Function.Name, Function.Address);
  if (!Result->Decoder.buildAddress2ProbeMap(Bytes->data(), Bytes->size(),
                                             Wanted, Starts))
    return damaged(ProbeSection + " is damaged");
  if (Error E = Result->check())
    return std::move(E);
  return Result;
}

/// The decoder looks functions up without asking whether they are there.
Error Probes::check() const {
  for (const MCDecodedPseudoProbe &Probe : all())
    for (const auto *Node = Probe.getInlineTreeNode(); Node && !Node->isRoot();
         Node =
             static_cast<const MCDecodedPseudoProbeInlineTree *>(Node->Parent))
      if (!Hashes.contains(Node->Guid))
        return damaged("one belongs to a function without description");
  return Error::success();
}

/// The samples of the function that a probe belongs to, where it was inlined.
FunctionSamples &samplesOf(ArrayRef<MCPseudoProbeFrameLocation> Frames,
                           const Probes &From, SampleProfile &Profile) {
  FunctionSamples *Samples = &Profile.function(Frames.front().first);
  Samples->setFunctionHash(From.hashOf(Frames.front().first));
  for (size_t I = 1; I != Frames.size(); ++I) {
    const LineLocation Place(Frames[I - 1].second, 0);
    Samples = &Profile.inlinee(*Samples, Place, Frames[I].first);
    Samples->setFunctionHash(From.hashOf(Frames[I].first));
  }
  return *Samples;
}

uint64_t countAt(const CodeCounts &Counts, uint64_t Address, Weight By) {
  const auto Found = Counts.find(Address);
  if (Found == Counts.end())
    return 0;
  return By == Weight::Waves ? Found->second.Waves : Found->second.Lanes;
}

/// The name of the function whose code is at \p Address; empty if unknown.
StringRef functionAt(const CodeObject &Object, uint64_t Address) {
  for (const KernelInfo &Kernel : Object.kernels())
    if (Address - Kernel.EntryAddress < Kernel.CodeSize)
      return Kernel.Name;
  for (const FunctionInfo &Function : Object.functions())
    if (Address - Function.Address < Function.Size)
      return Function.Name;
  return "";
}

/// A call through a pointer has no probe in its code, which loops over the
/// pointers of the lanes. But the line table has the probe's number, where
/// other builds have the discriminator.
void addCall(uint64_t Address, const CodeCounts &Targets, Weight By,
             const CodeObject &Object, const SourceFrames &Source,
             SampleProfile &Profile) {
  const DIInliningInfo Frames = Source.at(Address);
  const StringRef Name =
      FunctionSamples::getCanonicalFnName(functionAt(Object, Address));
  if (Frames.getNumberOfFrames() != 1 || !Profile.find(Name))
    return;
  const uint32_t Mark = Frames.getFrame(0).Discriminator;
  if (!DILocation::isPseudoProbeDiscriminator(Mark))
    return;
  const uint32_t Index = PseudoProbeDwarfDiscriminator::extractProbeIndex(Mark);
  FunctionSamples &Samples = Profile.function(Name);
  for (const auto &[Target, Count] : Targets)
    if (const FunctionInfo *Function = Object.findFunction(Target)) {
      const uint64_t Number = By == Weight::Waves ? Count.Waves : Count.Lanes;
      Samples.addBodySamples(Index, 0, Number);
      Samples.addCalledTargetSamples(Index, 0, Profile.name(Function->Name),
                                     Number);
    }
}

} // namespace

bool pgo::hasProbes(const CodeObject &Object) {
  return Object.section(ProbeSection) && Object.section(DescriptionSection);
}

Expected<std::vector<uint64_t>> pgo::probeAddresses(const CodeObject &Object) {
  Expected<std::unique_ptr<Probes>> From = Probes::read(Object);
  if (!From)
    return From.takeError();
  std::vector<uint64_t> Addresses;
  for (const MCDecodedPseudoProbe &Probe : (*From)->all())
    Addresses.push_back(Probe.getAddress());
  return Addresses;
}

Expected<std::map<uint64_t, uint64_t>>
pgo::probeHashes(const CodeObject &Object) {
  Expected<std::unique_ptr<Probes>> From = Probes::read(Object);
  if (!From)
    return From.takeError();
  const auto &Hashes = (*From)->hashes();
  return std::map<uint64_t, uint64_t>(Hashes.begin(), Hashes.end());
}

/// Copies of a block, as unrolling makes them, have probes of the same number:
/// their counts add up.
Expected<SampleProfile> pgo::probeProfile(const CodeObject &Object,
                                          const CodeCounts &Counts, Weight By,
                                          const CallTargets &Calls) {
  Expected<std::unique_ptr<Probes>> From = Probes::read(Object);
  if (!From)
    return From.takeError();
  SampleProfile Profile(PlaceKind::Probes);
  for (const MCDecodedPseudoProbe &Probe : (*From)->all()) {
    const auto Frames = (*From)->frames(Probe);
    // A place that was not executed has a count, too: zero.
    samplesOf(Frames, **From, Profile)
        .addBodySamples(Probe.getIndex(), 0,
                        countAt(Counts, Probe.getAddress(), By));
  }
  auto AddHead = [&](StringRef Name, uint64_t Address) {
    Name = FunctionSamples::getCanonicalFnName(Name);
    if (Profile.find(Name))
      Profile.function(Name).addHeadSamples(countAt(Counts, Address, By));
  };
  for (const KernelInfo &Kernel : Object.kernels())
    AddHead(Kernel.Name, Kernel.EntryAddress);
  for (const FunctionInfo &Function : Object.functions())
    AddHead(Function.Name, Function.Address);
  if (!Calls.empty()) {
    Expected<SourceFrames> Source = SourceFrames::open(Object);
    if (!Source)
      return Source.takeError();
    for (const auto &[Address, Targets] : Calls)
      addCall(Address, Targets, By, Object, *Source, Profile);
  }
  Profile.finish();
  return Profile;
}
