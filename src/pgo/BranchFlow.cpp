// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "pgo/BranchFlow.h"
#include "llvm/ADT/STLExtras.h"
#include <map>
#include <set>

using namespace llvm;
using namespace luthier::pgo;

namespace {

/// From one block to another; by waves, if that is known.
struct Edge {
  size_t From, To;
  std::optional<uint64_t> Count;
};

class Solver {
public:
  explicit Solver(ArrayRef<CountedBlock> Blocks) : Blocks(Blocks) {
    for (const auto &[I, B] : enumerate(Blocks))
      NumberOf[B.Address] = I;
    Out.resize(Blocks.size());
    In.resize(Blocks.size());
    for (const auto &[I, B] : enumerate(Blocks))
      for (uint64_t Address : B.Successors)
        addEdge(I, Address);
  }

  BranchFlow run() {
    while (solveOnce())
      ;
    BranchFlow Result;
    for (const auto &[I, B] : enumerate(Blocks)) {
      if (!B.Target || !B.Count.Waves)
        continue;
      const uint64_t Taken = takenOf(I), Not = B.Count.Waves - Taken;
      Result.Taken += Taken;
      if (Taken > Not && !closesLoop(I))
        Result.Avoidable += Taken - Not;
    }
    return Result;
  }

private:
  void addEdge(size_t From, uint64_t Address) {
    const auto Found = NumberOf.find(Address);
    if (Found == NumberOf.end())
      return;
    Out[From].push_back(Edges.size());
    In[Found->second].push_back(Edges.size());
    Edges.push_back({From, Found->second, std::nullopt});
  }

  /// The only edge of these that is not known is what is left of \p Sum.
  bool solve(ArrayRef<size_t> Of, uint64_t Sum) {
    Edge *Unknown = nullptr;
    for (size_t Number : Of) {
      Edge &E = Edges[Number];
      if (!E.Count) {
        if (Unknown)
          return false;
        Unknown = &E;
      } else {
        Sum -= std::min(Sum, *E.Count);
      }
    }
    if (Unknown)
      Unknown->Count = Sum;
    return Unknown;
  }

  bool solveOnce() {
    bool IsChanged = false;
    for (const auto &[I, B] : enumerate(Blocks)) {
      // Not those that lead out of what is known, or come from there.
      if (Out[I].size() == B.Successors.size())
        IsChanged |= solve(Out[I], B.Count.Waves);
      if (!B.IsEntry)
        IsChanged |= solve(In[I], B.Count.Waves);
    }
    return IsChanged;
  }

  uint64_t takenOf(size_t I) const {
    uint64_t Most = Blocks[I].Count.Waves;
    for (size_t Number : Out[I]) {
      const Edge &E = Edges[Number];
      if (Blocks[E.To].Address == *Blocks[I].Target)
        return std::min(Most, E.Count.value_or(Blocks[E.To].Count.Waves));
    }
    return Most;
  }

  bool closesLoop(size_t I) const {
    const CountedBlock &B = Blocks[I];
    const auto Found = NumberOf.find(*B.Target);
    if (*B.Target > B.Address || Found == NumberOf.end())
      return false;
    std::set<size_t> Seen = {Found->second};
    std::vector<size_t> Open = {Found->second};
    while (!Open.empty()) {
      const size_t At = Open.back();
      Open.pop_back();
      if (At == I)
        return true;
      for (size_t Number : Out[At])
        if (Seen.insert(Edges[Number].To).second)
          Open.push_back(Edges[Number].To);
    }
    return false;
  }

  ArrayRef<CountedBlock> Blocks;
  std::map<uint64_t, size_t> NumberOf; ///< By address.
  std::vector<Edge> Edges;
  std::vector<std::vector<size_t>> Out, In; ///< Of each block, its edges.
};

} // namespace

BranchFlow luthier::pgo::branchFlowOf(ArrayRef<CountedBlock> Blocks) {
  return Solver(Blocks).run();
}
