// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "emulator/kfd/Configuration.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include <cstdlib>
#include <filesystem>
#include <system_error>

namespace luthier::emulator {

static llvm::StringRef variable(const char *Name) {
  const char *Value = std::getenv(Name);
  return Value ? Value : "";
}

/// Leaves \p Result alone if there is no text.
template <typename T>
static bool parseNumber(const char *Name, llvm::StringRef Text, T Least,
                        T &Result, std::string &Error) {
  if (Text.empty())
    return true;
  T Value;
  if (Text.getAsInteger(10, Value) || Value < Least) {
    Error = std::string(Name) + ": '" + Text.str() + "' is not a number from " +
            std::to_string(Least) + " up";
    return false;
  }
  Result = Value;
  return true;
}

template <typename T>
static bool readNumber(const char *Name, T Least, T &Result,
                       std::string &Error) {
  return parseNumber(Name, variable(Name), Least, Result, Error);
}

static bool readWatchdog(Configuration &Config, std::string &Error) {
  constexpr const char *Name = "LUTHIER_EMULATOR_WATCHDOG";
  llvm::StringRef Text = variable(Name);
  Config.WatchdogOnlyReports = Text.consume_back(",report");
  return parseNumber(Name, Text, uint64_t(0), Config.WatchdogSeconds, Error);
}

/// Names of devices, separated by commas.
static bool readModels(std::vector<const DeviceModel *> &Models,
                       std::string &Error) {
  constexpr const char *Name = "LUTHIER_EMULATED_GPU";
  constexpr size_t MaxDevices = 16;
  llvm::StringRef Text = variable(Name);
  if (Text.empty())
    Text = "gfx90a";
  llvm::SmallVector<llvm::StringRef, 4> Parts;
  Text.split(Parts, ',');
  if (Parts.size() > MaxDevices) {
    Error = std::string(Name) + ": at most " + std::to_string(MaxDevices) +
            " devices can be emulated at a time";
    return false;
  }
  for (llvm::StringRef Part : Parts) {
    const DeviceModel *Model = findDeviceModel(Part.trim());
    if (!Model) {
      Error = std::string(Name) + ": there is no device '" + Part.trim().str() +
              "'; known are " + deviceModelNames();
      return false;
    }
    Models.push_back(Model);
  }
  return true;
}

/// The program may change its folder before the file is written.
static std::string absolutePath(const char *Name) {
  const llvm::StringRef Path = variable(Name);
  std::error_code Ignored;
  return Path.empty() ? std::string()
                      : std::filesystem::absolute(Path.str(), Ignored).string();
}

std::optional<Configuration>
Configuration::fromEnvironment(std::string &Error) {
  Configuration Config;
  if (!readModels(Config.Models, Error))
    return std::nullopt;
  constexpr uint64_t BytesPerMiB = 1 << 20;
  uint64_t MemoryMiB = Config.LocalMemoryBytes / BytesPerMiB;
  if (!readNumber("LUTHIER_EMULATED_MEMORY", uint64_t(64), MemoryMiB, Error) ||
      !readNumber("LUTHIER_EMULATOR_SEED", uint64_t(0), Config.Seed, Error) ||
      !readNumber("LUTHIER_EMULATOR_THREADS", 1u, Config.Threads, Error) ||
      !readNumber("LUTHIER_EMULATOR_INSTRUCTION_LIMIT", uint64_t(0),
                  Config.InstructionLimit, Error) ||
      !readNumber("LUTHIER_VERIFY_TIMEOUT", uint64_t(0), Config.VerifySeconds,
                  Error) ||
      !readWatchdog(Config, Error))
    return std::nullopt;
  if (MemoryMiB > MostMemoryBytes / BytesPerMiB) {
    Error = "LUTHIER_EMULATED_MEMORY=" + std::to_string(MemoryMiB) +
            ": ROCr takes GPUs of at most " +
            std::to_string(MostMemoryBytes / BytesPerMiB) + " MiB";
    return std::nullopt;
  }
  Config.LocalMemoryBytes = MemoryMiB * BytesPerMiB;
  auto Strict =
      strict::parseOptions(variable("LUTHIER_EMULATOR_STRICT"), Error);
  if (!Strict) {
    Error = "LUTHIER_EMULATOR_STRICT: " + Error;
    return std::nullopt;
  }
  Config.Strict = *Strict;
  Config.StatisticsPath = absolutePath("LUTHIER_EMULATOR_STATS");
  Config.CountsPath = absolutePath("LUTHIER_EMULATOR_COUNTS");
  Config.VerifyPath = absolutePath("LUTHIER_VERIFY");
  return Config;
}

} // namespace luthier::emulator
