// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cli/VerifyReport.h"
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cxxabi.h>
#include <memory>

namespace luthier::cli {
namespace {

/// Takes the text up to the next tab off \p Line.
std::string field(std::string_view &Line) {
  const size_t Tab = std::min(Line.find('\t'), Line.size());
  std::string Field(Line.substr(0, Tab));
  Line.remove_prefix(std::min(Tab + 1, Line.size()));
  return Field;
}

uint64_t number(std::string_view &Line) {
  return std::strtoull(field(Line).c_str(), nullptr, 10);
}

/// The demangler takes other names for types: "f" for float.
std::string readable(const std::string &Kernel) {
  if (!Kernel.starts_with("_Z"))
    return Kernel;
  int Status = 0;
  std::unique_ptr<char, void (*)(void *)> Name(
      abi::__cxa_demangle(Kernel.c_str(), nullptr, nullptr, &Status),
      std::free);
  return Name ? Name.get() : Kernel;
}

std::string counted(uint64_t Count, const char *What) {
  return std::to_string(Count) + " " + What + (Count == 1 ? "" : "s");
}

std::string dispatches(uint64_t Count) {
  return std::to_string(Count) + (Count == 1 ? " dispatch" : " dispatches");
}

std::string outcome(const VerifyReport::Kernel &K) {
  std::string Text;
  auto Add = [&](const std::string &More) {
    Text += (Text.empty() ? "" : "; ") + More;
  };
  if (K.Same)
    Add("same");
  if (K.Different)
    Add("DIFFERENT in " + dispatches(K.Different));
  if (K.Noted)
    Add("reads what nobody wrote in " + dispatches(K.Noted));
  for (const std::string &Why : K.UnjudgedReasons)
    Add("not compared: " + Why);
  for (const std::string &Why : K.UnchangedReasons)
    Add("unchanged: " + Why);
  if (K.RanUnchanged && K.UnchangedReasons.empty())
    Add("unchanged: no tool wanted it");
  return Text;
}

} // namespace

void VerifyReport::add(const std::string &Line) {
  std::string_view Rest = Line;
  const std::string What = field(Rest);
  const std::string Name = field(Rest);
  Kernel &K = Kernels[Name];
  if (What == "verified") {
    ++K.Same;
    K.Compared += number(Rest);
    K.Inserted += number(Rest);
  } else if (What == "differs") {
    ++K.Different;
    if (FirstDifference.empty())
      FirstDifference = Rest;
  } else if (What == "noted") {
    ++K.Noted;
    if (FirstNote.empty())
      FirstNote = Rest;
  } else if (What == "unjudged") {
    ++K.Unjudged;
    K.UnjudgedReasons.emplace(Rest);
  } else if (What == "unchanged") {
    K.RanUnchanged = true;
    if (!Rest.empty())
      K.UnchangedReasons.emplace(Rest);
  }
}

VerifyReport VerifyReport::read(std::istream &File) {
  VerifyReport Result;
  for (std::string Line; std::getline(File, Line);)
    Result.add(Line);
  return Result;
}

bool VerifyReport::hasCompared() const {
  return std::ranges::any_of(
      Kernels, [](const auto &Entry) { return Entry.second.Same != 0; });
}

std::string VerifyReport::text(const std::string &Tools) const {
  std::string Text = "tool: " + Tools + "\n";
  uint64_t Dispatches = 0, Compared = 0, Unjudged = 0;
  size_t NumCompared = 0, NumUnchanged = 0;
  if (!Kernels.empty())
    Text += "  dispatches  instr. compared  instr. inserted  kernel\n";
  for (const auto &[Name, K] : Kernels) {
    char Numbers[64];
    std::snprintf(Numbers, sizeof(Numbers), "%12llu %16llu %16llu  ",
                  (unsigned long long)(K.Same + K.Different),
                  (unsigned long long)K.Compared,
                  (unsigned long long)K.Inserted);
    Text += Numbers + readable(Name) + ": " + outcome(K) + "\n";
    Dispatches += K.Same + K.Different;
    Compared += K.Compared;
    Unjudged += K.Unjudged;
    NumCompared += K.Same + K.Different != 0;
    NumUnchanged += K.RanUnchanged;
  }
  const std::string Amount =
      counted(NumCompared, "kernel") + ", " + dispatches(Dispatches) + ", " +
      counted(Compared, "instruction") +
      (differs() ? " compared where there is none" : " compared");
  if (!FirstNote.empty())
    Text += "note: " + FirstNote + "\n";
  std::string Verdict = "no difference";
  if (differs()) {
    Text += "first difference: " + FirstDifference + "\n";
    Verdict = "DIFFERENT";
  } else if (!hasCompared()) {
    Verdict = "NOTHING COMPARED";
  }
  Text += "luthier verify: " + Verdict + ": " + Amount;
  if (Unjudged)
    Text += "; " + std::to_string(Unjudged) + " not compared";
  if (NumUnchanged)
    Text += "; " + counted(NumUnchanged, "kernel") + " ran unchanged";
  return Text + "\n";
}

} // namespace luthier::cli
