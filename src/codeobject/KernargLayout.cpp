// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "codeobject/KernargLayout.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/BinaryFormat/MsgPackDocument.h"

using namespace llvm;

namespace luthier {
namespace {

msgpack::DocNode member(msgpack::DocNode Node, StringRef Key) {
  if (Node.isEmpty() || !Node.isMap())
    return {};
  msgpack::MapDocNode &Map = Node.getMap();
  auto It = Map.find(Key);
  return It == Map.end() ? msgpack::DocNode() : It->second;
}

StringRef text(msgpack::DocNode Node) {
  return !Node.isEmpty() && Node.isString() ? Node.getString() : StringRef();
}

unsigned number(msgpack::DocNode Node) {
  if (Node.isEmpty())
    return 0;
  if (Node.getKind() == msgpack::Type::UInt)
    return Node.getUInt();
  return Node.getKind() == msgpack::Type::Int ? Node.getInt() : 0;
}

void add(msgpack::DocNode Argument, KernargLayout &Layout) {
  const StringRef Kind = text(member(Argument, ".value_kind"));
  const unsigned Offset = number(member(Argument, ".offset"));
  if (!Kind.starts_with("hidden_")) {
    Layout.ExplicitSize = std::max(Layout.ExplicitSize,
                                   Offset + number(member(Argument, ".size")));
    return;
  }
  for (auto [Index, Row] : enumerate(hiddenArguments()))
    if (Kind == Row.ValueKind)
      Layout.Hidden[HiddenArgument(Index)] = Offset;
}

} // namespace

KernargLayout kernargLayout(const KernelInfo &Kernel) {
  KernargLayout Layout;
  msgpack::Document Document;
  // Reading the code object has checked it.
  if (Kernel.MetadataEntry.empty() ||
      !Document.readFromBlob(Kernel.MetadataEntry, /*Multi=*/false))
    return Layout;
  msgpack::DocNode Arguments = member(Document.getRoot(), ".args");
  if (!Arguments.isEmpty() && Arguments.isArray())
    for (msgpack::DocNode Argument : Arguments.getArray())
      add(Argument, Layout);
  return Layout;
}

} // namespace luthier
