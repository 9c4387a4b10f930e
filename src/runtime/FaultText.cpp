// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/FaultText.h"
#include "codeobject/SourceLines.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace luthier::runtime {
namespace {

std::string inParentheses(const std::string &Text) {
  return Text.empty() ? "" : " (" + Text + ")";
}

/// "0x1c40 of kernel k (file:line)"
std::string placeIn(const CodeObject &Object, const KernelInfo &Kernel,
                    uint64_t Address) {
  // Functions that the kernel calls may lie outside of its own code.
  const std::string Line = Object.lines().describe(Address);
  return "0x" + utohexstr(Address, /*LowerCase=*/true) + " of kernel " +
         Kernel.Name + inParentheses(Line);
}

} // namespace

std::string describeFault(const CodeObject &Original, const KernelInfo &Kernel,
                          const CodeObject &Instrumented, ArrayRef<PCPair> Map,
                          uint64_t Offset) {
  const PCPair *Next = partition_point(
      Map, [&](const PCPair &Pair) { return Pair.Offset < Offset; });
  if (Next != Map.end() && Next->Offset == Offset)
    return "that is the application's own instruction at " +
           placeIn(Original, Kernel, Next->Original) +
           ", in its instrumented version";
  std::string Hook;
  if (const KernelInfo *Copy = Instrumented.findKernel(Kernel.Name)) {
    const uint64_t Address = Copy->EntryAddress + Offset;
    Hook = Instrumented.lines().describe(Address);
  }
  std::string Text = "that is inserted code";
  if (!Hook.empty())
    Text += " of a hook, from " + Hook;
  // What was put behind the last instruction belongs to an edge further up.
  if (Next != Map.end())
    Text += ", before the application's instruction at " +
            placeIn(Original, Kernel, Next->Original);
  else if (!Map.empty())
    Text += ", behind the application's instruction at " +
            placeIn(Original, Kernel, Map.back().Original);
  return Text;
}

} // namespace luthier::runtime
