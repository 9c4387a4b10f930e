// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "codeobject/KernelMetadata.h"
#include "luthier/Refusal.h"
#include "llvm/BinaryFormat/MsgPackDocument.h"
#include "llvm/BinaryFormat/MsgPackReader.h"

using namespace llvm;
using namespace luthier;

namespace {

Error malformed(const Twine &Detail) {
  return refuse(RefusalReason::MalformedCodeObject,
                "kernel metadata: " + Detail);
}

/// Reads one object and everything in it, so that the document class, which
/// asserts on some malformed input, sees none.
class Validator {
public:
  explicit Validator(StringRef Blob) : Reader(Blob) {}

  Error check(unsigned Depth = 0) {
    // Real metadata nests five deep.
    if (Depth > 16)
      return malformed("nested too deeply");
    msgpack::Object Object;
    if (Error E = next(Object))
      return E;
    if (Object.Kind == msgpack::Type::Extension)
      return malformed("extension objects are not known");
    if (Object.Kind == msgpack::Type::Array)
      return checkArray(Object.Length, Depth);
    if (Object.Kind == msgpack::Type::Map)
      return checkMap(Object.Length, Depth);
    return Error::success();
  }

private:
  Error next(msgpack::Object &Object) {
    Expected<bool> Read = Reader.read(Object);
    if (!Read)
      return malformed(toString(Read.takeError()));
    return *Read ? Error::success() : malformed("ends too early");
  }

  /// All that Luthier looks for are strings. In what Tensile notes of its
  /// kernels, for itself, some are numbers.
  static bool isKey(msgpack::Type Kind) {
    return Kind == msgpack::Type::String || Kind == msgpack::Type::Int ||
           Kind == msgpack::Type::UInt || Kind == msgpack::Type::Boolean;
  }

  Error checkArray(size_t Length, unsigned Depth) {
    for (size_t I = 0; I < Length; ++I)
      if (Error E = check(Depth + 1))
        return E;
    return Error::success();
  }

  Error checkMap(size_t Length, unsigned Depth) {
    for (size_t I = 0; I < Length; ++I) {
      msgpack::Object Key;
      if (Error E = next(Key))
        return E;
      if (!isKey(Key.Kind))
        return malformed("a map's key is neither a string nor an integer");
      if (Error E = check(Depth + 1))
        return E;
    }
    return Error::success();
  }

  msgpack::Reader Reader;
};

/// The named member of \p Map, or an empty node.
msgpack::DocNode member(msgpack::MapDocNode &Map, StringRef Key) {
  auto It = Map.find(Key);
  return It == Map.end() ? msgpack::DocNode() : It->second;
}

void readNumber(msgpack::MapDocNode &Map, StringRef Key, unsigned &To) {
  const msgpack::DocNode Node = member(Map, Key);
  if (!Node.isEmpty() && Node.getKind() == msgpack::Type::UInt)
    To = Node.getUInt();
}

StringRef readString(msgpack::MapDocNode &Map, StringRef Key) {
  const msgpack::DocNode Node = member(Map, Key);
  if (Node.isEmpty() || Node.getKind() != msgpack::Type::String)
    return "";
  return Node.getString();
}

/// The kernel's name without ".kd". Names and symbols can differ; packets know
/// the symbol.
StringRef kernelName(msgpack::MapDocNode &Kernel) {
  StringRef Symbol = readString(Kernel, ".symbol");
  return Symbol.consume_back(".kd") ? Symbol : readString(Kernel, ".name");
}

KernelMetadata readEntry(msgpack::MapDocNode &Kernel) {
  KernelMetadata M;
  readNumber(Kernel, ".max_flat_workgroup_size", M.MaxFlatWorkgroupSize);
  readNumber(Kernel, ".wavefront_size", M.WavefrontSize);
  readNumber(Kernel, ".sgpr_count", M.SGPRs);
  readNumber(Kernel, ".vgpr_count", M.VGPRs);
  readNumber(Kernel, ".agpr_count", M.AGPRs);
  readNumber(Kernel, ".group_segment_fixed_size", M.GroupSegmentSize);
  readNumber(Kernel, ".private_segment_fixed_size", M.PrivateSegmentSize);
  readNumber(Kernel, ".kernarg_segment_size", M.KernargSegmentSize);
  readNumber(Kernel, ".kernarg_segment_align", M.KernargSegmentAlign);
  const msgpack::DocNode Dynamic = member(Kernel, ".uses_dynamic_stack");
  if (!Dynamic.isEmpty() && Dynamic.getKind() == msgpack::Type::Boolean)
    M.UsesDynamicStack = Dynamic.getBool();
  return M;
}

/// The entries of "amdhsa.kernels" that are maps.
SmallVector<msgpack::MapDocNode, 8> kernelEntries(msgpack::Document &Document) {
  SmallVector<msgpack::MapDocNode, 8> Entries;
  msgpack::DocNode Root = Document.getRoot();
  if (!Root.isMap())
    return Entries;
  msgpack::DocNode Kernels = member(Root.getMap(), "amdhsa.kernels");
  if (Kernels.isEmpty() || !Kernels.isArray())
    return Entries;
  for (msgpack::DocNode Node : Kernels.getArray())
    if (Node.isMap())
      Entries.push_back(Node.getMap());
  return Entries;
}

unsigned offsetOf(msgpack::DocNode Argument) {
  unsigned Offset = 0;
  if (Argument.isMap())
    readNumber(Argument.getMap(), ".offset", Offset);
  return Offset;
}

/// Keeps the list in the order of offsets. What was reserved for such an
/// argument becomes it.
void addArgument(msgpack::MapDocNode &Entry, const AddedArgument &A) {
  msgpack::Document &Document = *Entry.getDocument();
  msgpack::ArrayDocNode Arguments = Document.getArrayNode();
  msgpack::MapDocNode New = Document.getMapNode();
  New[".offset"] = Document.getNode(A.Offset);
  New[".size"] = Document.getNode(A.Size);
  New[".value_kind"] = Document.getNode(A.ValueKind);
  bool IsIn = false;
  const msgpack::DocNode Old = member(Entry, ".args");
  if (!Old.isEmpty() && Old.isArray())
    for (msgpack::DocNode Argument : msgpack::DocNode(Old).getArray()) {
      const bool IsReserved =
          Argument.isMap() && offsetOf(Argument) == A.Offset &&
          readString(Argument.getMap(), ".value_kind") == "hidden_none";
      if (!IsIn && (IsReserved || offsetOf(Argument) > A.Offset)) {
        Arguments.push_back(New);
        IsIn = true;
      }
      if (!IsReserved)
        Arguments.push_back(Argument);
    }
  if (!IsIn)
    Arguments.push_back(New);
  Entry[".args"] = Arguments;
}

void writeEntry(msgpack::MapDocNode Entry, const KernelMetadata &M) {
  msgpack::Document &Document = *Entry.getDocument();
  const auto Set = [&](StringRef Key, unsigned Value) {
    Entry[Key] = Document.getNode(Value);
  };
  Set(".max_flat_workgroup_size", M.MaxFlatWorkgroupSize);
  Set(".wavefront_size", M.WavefrontSize);
  Set(".sgpr_count", M.SGPRs);
  Set(".vgpr_count", M.VGPRs);
  // The compiler leaves it out where there are no such registers.
  if (M.AGPRs || Entry.find(".agpr_count") != Entry.end())
    Set(".agpr_count", M.AGPRs);
  Set(".group_segment_fixed_size", M.GroupSegmentSize);
  Set(".private_segment_fixed_size", M.PrivateSegmentSize);
  Set(".kernarg_segment_size", M.KernargSegmentSize);
  for (const AddedArgument &A : M.AddedArguments)
    addArgument(Entry, A);
}

} // namespace

Expected<ModuleMetadata> luthier::readKernelMetadata(StringRef Blob) {
  ModuleMetadata Result;
  if (Blob.empty())
    return Result;
  if (Error E = Validator(Blob).check())
    return E;
  msgpack::Document Document;
  if (!Document.readFromBlob(Blob, /*Multi=*/false))
    return malformed("not a MessagePack document");
  msgpack::DocNode Root = Document.getRoot();
  const auto Write = [&](msgpack::DocNode Node, std::string &To) {
    Document.getRoot() = Node;
    Document.writeToBlob(To);
  };
  for (msgpack::MapDocNode &Entry : kernelEntries(Document)) {
    auto [It, New] = Result.Kernels.try_emplace(kernelName(Entry));
    if (!New)
      continue;
    It->second.Facts = readEntry(Entry);
    Write(Entry, It->second.Blob);
  }
  if (!Root.isMap())
    return Result;
  Root.getMap()["amdhsa.kernels"] = Document.getArrayNode();
  Write(Root, Result.Common);
  return Result;
}

/// Of two values of one key: where a list goes on, or a negative number.
static int mergeNodes(msgpack::DocNode *To, msgpack::DocNode From,
                      msgpack::DocNode Key) {
  if (To->isArray() != From.isArray() || To->isMap() != From.isMap())
    return -1;
  const StringRef Name =
      !Key.isEmpty() && Key.isString() ? Key.getString() : "";
  const bool AddsUp = Name == "amdhsa.kernels" || Name == "amdhsa.printf";
  return AddsUp && To->isArray() ? int(To->getArray().size()) : 0;
}

Expected<std::string> luthier::mergeKernelMetadata(ArrayRef<StringRef> Blobs) {
  msgpack::Document Document;
  for (StringRef Blob : Blobs) {
    if (Error E = Validator(Blob).check())
      return E;
    if (!Document.readFromBlob(Blob, /*Multi=*/false, mergeNodes))
      return malformed("notes that contradict each other");
  }
  std::string Result;
  Document.writeToBlob(Result);
  return Result;
}

/// What \p Blob holds, or an empty map. \p Document refers to \p Blob then.
static msgpack::MapDocNode readMap(msgpack::Document &Document,
                                   StringRef Blob) {
  if (Blob.empty() || !Document.readFromBlob(Blob, /*Multi=*/false) ||
      !Document.getRoot().isMap())
    Document.getRoot() = Document.getMapNode();
  return Document.getRoot().getMap();
}

std::string luthier::writeKernelMetadata(StringRef Common, StringRef Kernel,
                                         StringRef EntryBlob,
                                         const KernelMetadata &Metadata) {
  msgpack::Document Document;
  msgpack::MapDocNode Entry = readMap(Document, EntryBlob);
  if (Entry.empty()) {
    Entry[".name"] = Document.getNode(Kernel);
    Entry[".symbol"] = Document.getNode((Kernel + ".kd").str(), /*Copy=*/true);
    Entry[".kernarg_segment_align"] = Document.getNode(8u);
  }
  writeEntry(Entry, Metadata);

  Document.getRoot() = Document.getEmptyNode();
  msgpack::MapDocNode Root = readMap(Document, Common);
  msgpack::ArrayDocNode Kernels = Document.getArrayNode();
  Kernels.push_back(Entry);
  Root["amdhsa.kernels"] = Kernels;
  // Strings that printf refers to stay; the instrumented kernel still does.
  std::string Result;
  Document.writeToBlob(Result);
  return Result;
}

std::string
luthier::updateKernelMetadata(StringRef Blob,
                              const StringMap<KernelMetadata> &Changed) {
  msgpack::Document Document;
  if (Blob.empty() || !Document.readFromBlob(Blob, /*Multi=*/false))
    return Blob.str();
  for (msgpack::MapDocNode &Entry : kernelEntries(Document))
    if (auto It = Changed.find(kernelName(Entry)); It != Changed.end())
      writeEntry(Entry, It->second);
  std::string Result;
  Document.writeToBlob(Result);
  return Result;
}
