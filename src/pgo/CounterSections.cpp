// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "pgo/CounterSections.h"
#include "codeobject/TargetID.h"
#include "pgo/Problem.h"
#include "pgo/RawRecord.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Object/ELF.h"
#include "llvm/ProfileData/InstrProf.h"

using namespace llvm;

namespace luthier::pgo {
namespace {

using Elf64 = object::ELFFile<object::ELF64LE>;
using Symbol = object::ELF64LE::Sym;

Error malformed(const Twine &What) {
  return problem(ProblemKind::Malformed, "the code object: " + What);
}

/// More than the table of device/ProfiledValues.h has.
constexpr uint64_t MostValueBytes = 1 << 20;

class Finder {
public:
  explicit Finder(const Elf64 &File) : File(File) {}

  Expected<std::optional<CounterSections>> run() {
    if (Error E = readSections())
      return std::move(E);
    if (Error E = readSymbols())
      return std::move(E);
    if (!Found.Records.Size) {
      if (KnownRecords.empty())
        return std::nullopt;
      if (Error E = findRecords())
        return std::move(E);
    }
    if (Error E = fillBytes())
      return std::move(E);
    if (Error E = checkVersion())
      return std::move(E);
    if (!HasSections)
      if (Error E = spanCounters())
        return std::move(E);
    if (Error E = checkRecords())
      return std::move(E);
    if (Error E = readTarget())
      return std::move(E);
    return Found;
  }

private:
  Error readTarget() {
    const auto &Header = File.getHeader();
    if (Header.e_machine != ELF::EM_AMDGPU)
      return malformed("it is for no AMD GPU");
    auto Target =
        TargetID::fromElf(Header.e_flags, Header.e_ident[ELF::EI_ABIVERSION]);
    if (!Target)
      return malformed(toString(Target.takeError()));
    Found.Processor = Target->Processor;
    return Error::success();
  }

  Error readSections() {
    auto Sections = File.sections();
    if (!Sections)
      return malformed(toString(Sections.takeError()));
    for (const auto &Section : *Sections) {
      auto Name = File.getSectionName(Section);
      if (!Name)
        return malformed(toString(Name.takeError()));
      const AddressRange Range = {Section.sh_addr, Section.sh_size};
      if (*Name == "__llvm_prf_cnts")
        Found.Counters = Range;
      else if (*Name == "__llvm_prf_bits")
        Found.Bitmaps = Range;
      else if (*Name == "__llvm_prf_data")
        Found.Records = Range;
      else if (*Name == "__llvm_prf_names")
        Names = Range;
    }
    HasSections = Found.Records.Size != 0;
    return Error::success();
  }

  /// The loader's own table, which survives `strip`.
  Error readSymbols() {
    auto Entries = File.dynamicEntries();
    if (!Entries)
      return malformed(toString(Entries.takeError()));
    uint64_t Table = 0, Strings = 0, StringSize = 0;
    for (const auto &Entry : *Entries) {
      if (Entry.getTag() == ELF::DT_SYMTAB)
        Table = Entry.getPtr();
      else if (Entry.getTag() == ELF::DT_STRTAB)
        Strings = Entry.getPtr();
      else if (Entry.getTag() == ELF::DT_STRSZ)
        StringSize = Entry.getVal();
    }
    if (!Table || !Strings)
      return Error::success();
    auto Count = File.getDynSymtabSize();
    if (!Count)
      return malformed(toString(Count.takeError()));
    auto SymbolBytes = contents({Table, *Count * sizeof(Symbol)});
    if (!SymbolBytes)
      return SymbolBytes.takeError();
    auto Text = contents({Strings, StringSize});
    if (!Text)
      return Text.takeError();
    for (uint64_t I = 0; I != *Count; ++I) {
      Symbol S;
      memcpy(&S, SymbolBytes->data() + I * sizeof(S), sizeof(S));
      if (S.st_name >= Text->size())
        return malformed("the name of a symbol lies outside their table");
      note(StringRef(reinterpret_cast<const char *>(Text->data()), Text->size())
               .drop_front(S.st_name),
           {S.st_value, S.st_size});
    }
    return Error::success();
  }

  void note(StringRef Rest, AddressRange Where) {
    const StringRef Name = Rest.take_front(Rest.find('\0'));
    if (Name.starts_with("__profd_"))
      KnownRecords.push_back(Where.Begin);
    else if (Name == "__llvm_prf_nm" && !Names.Size)
      Names = Where;
    else if (Name == "__llvm_profile_raw_version")
      VersionAt = Where.Begin;
    else if (Name == "__luthier_prf_values")
      Found.Values = Where;
  }

  /// Records of local functions have no symbols of the loader's, but lie among
  /// the others; the name of each is in the list of names.
  Error findRecords() {
    auto NameBytes = contents(Names);
    if (!NameBytes)
      return NameBytes.takeError();
    InstrProfSymtab Known;
    if (Error E = Known.create(StringRef(
            reinterpret_cast<const char *>(NameBytes->data()), Names.Size)))
      return malformed("names of functions: " + toString(std::move(E)));
    const auto IsRecord = [&](uint64_t Address) {
      auto Bytes = contents({Address, sizeof(RawRecord)});
      if (!Bytes) {
        consumeError(Bytes.takeError());
        return false;
      }
      return !Known.getFuncOrVarName(RawRecord::at(*Bytes, 0).NameRef).empty();
    };
    uint64_t Begin = *min_element(KnownRecords);
    uint64_t End = *max_element(KnownRecords) + sizeof(RawRecord);
    while (IsRecord(Begin - sizeof(RawRecord)))
      Begin -= sizeof(RawRecord);
    while (IsRecord(End))
      End += sizeof(RawRecord);
    Found.Records = {Begin, End - Begin};
    return Error::success();
  }

  Error fillBytes() {
    for (auto [Where, Bytes] : {std::pair(Found.Records, &Found.RecordBytes),
                                std::pair(Names, &Found.NameBytes)}) {
      auto Contents = contents(Where);
      if (!Contents)
        return Contents.takeError();
      *Bytes = *Contents;
    }
    return Error::success();
  }

  /// Without a word about it, it is of the same LLVM, and the front end's: or
  /// of IR, whose counters have values. The linker that has units of IR's drops
  /// the word, since nothing refers to it.
  Error checkVersion() {
    Found.Version = RawInstrProf::Version;
    if (Found.Values.Size)
      Found.Version |= VARIANT_MASK_IR_PROF;
    if (VersionAt) {
      auto Bytes = contents({*VersionAt, sizeof(uint64_t)});
      if (!Bytes)
        return Bytes.takeError();
      Found.Version = support::endian::read64le(Bytes->data());
    }
    const uint64_t Number = Found.Version & ~uint64_t(VARIANT_MASKS_ALL);
    if (Number != RawInstrProf::Version)
      return problem(ProblemKind::Version,
                     "the code counts in version " + Twine(Number) +
                         " of LLVM's format; this is version " +
                         Twine(uint64_t(RawInstrProf::Version)));
    if (Found.RecordBytes.size() % sizeof(RawRecord))
      return problem(ProblemKind::Version, "records of functions are not of " +
                                               Twine(sizeof(RawRecord)) +
                                               " bytes each");
    return Error::success();
  }

  /// What the records name.
  Error spanCounters() {
    for (uint64_t I = 0; I != numRecords(); ++I) {
      const RawRecord Record = RawRecord::at(Found.RecordBytes, I);
      const uint64_t Address = Found.Records.Begin + I * sizeof(RawRecord);
      widen(Found.Counters, {Address + Record.CounterPtr,
                             Record.NumCounters * counterSize(Found.Version)});
      if (Record.NumBitmapBytes)
        widen(Found.Bitmaps,
              {Address + Record.BitmapPtr, Record.NumBitmapBytes});
    }
    return Error::success();
  }

  static void widen(AddressRange &Range, AddressRange By) {
    if (!Range.Size) {
      Range = By;
      return;
    }
    const uint64_t End = std::max(Range.end(), By.end());
    Range.Begin = std::min(Range.Begin, By.Begin);
    Range.Size = End - Range.Begin;
  }

  Error checkRecords() {
    for (uint64_t I = 0; I != numRecords(); ++I) {
      const RawRecord Record = RawRecord::at(Found.RecordBytes, I);
      const uint64_t Address = Found.Records.Begin + I * sizeof(RawRecord);
      if (!isInside({Address + Record.CounterPtr,
                     Record.NumCounters * counterSize(Found.Version)},
                    Found.Counters))
        return malformed("record " + Twine(I) +
                         " of a function has counters elsewhere");
      if (Record.NumBitmapBytes &&
          !isInside({Address + Record.BitmapPtr, Record.NumBitmapBytes},
                    Found.Bitmaps))
        return malformed("record " + Twine(I) +
                         " of a function has its bitmap elsewhere");
    }
    if (Found.Values.Size % 16 || Found.Values.Size > MostValueBytes)
      return malformed("the table of values has " + Twine(Found.Values.Size) +
                       " bytes");
    // They are loaded, or nothing could be read from the device.
    for (const AddressRange &Range : {Found.Counters, Found.Bitmaps})
      if (auto Bytes = contents(Range); !Bytes)
        return Bytes.takeError();
    return Error::success();
  }

  static bool isInside(AddressRange Part, AddressRange Whole) {
    return Part.Begin >= Whole.Begin && Part.Size <= Whole.Size &&
           Part.Begin - Whole.Begin <= Whole.Size - Part.Size;
  }

  uint64_t numRecords() const {
    return Found.RecordBytes.size() / sizeof(RawRecord);
  }

  Expected<ArrayRef<uint8_t>> contents(AddressRange Where) const {
    if (!Where.Size)
      return ArrayRef<uint8_t>();
    auto Headers = File.program_headers();
    if (!Headers)
      return malformed(toString(Headers.takeError()));
    for (const auto &Header : *Headers) {
      const uint64_t Available =
          Header.p_offset > File.getBufSize()
              ? 0
              : std::min<uint64_t>(Header.p_filesz,
                                   File.getBufSize() - Header.p_offset);
      if (Header.p_type == ELF::PT_LOAD &&
          isInside(Where, {Header.p_vaddr, Available}))
        return ArrayRef<uint8_t>(File.base() + Header.p_offset +
                                     (Where.Begin - Header.p_vaddr),
                                 Where.Size);
    }
    return malformed(Twine(Where.Size) + " bytes at 0x" +
                     Twine::utohexstr(Where.Begin) + " are not in the file");
  }

  const Elf64 &File;
  CounterSections Found;
  AddressRange Names;
  std::optional<uint64_t> VersionAt;
  std::vector<uint64_t> KnownRecords;
  bool HasSections = false;
};

} // namespace

Expected<std::optional<CounterSections>>
findCounterSections(ArrayRef<uint8_t> Bytes) {
  auto File = Elf64::create(
      StringRef(reinterpret_cast<const char *>(Bytes.data()), Bytes.size()));
  if (!File)
    return malformed(toString(File.takeError()));
  return Finder(*File).run();
}

} // namespace luthier::pgo
