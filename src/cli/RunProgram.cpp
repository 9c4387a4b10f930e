// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cli/RunProgram.h"
#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <elf.h>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string_view>
#include <sys/wait.h>
#include <system_error>
#include <unistd.h>

namespace luthier::cli {
namespace {

std::vector<std::string> installedTools(const std::string &Prefix) {
  namespace fs = std::filesystem;
  std::vector<std::string> Names;
  std::error_code Ignored;
  for (const fs::directory_entry &Entry :
       fs::directory_iterator(toolDirectory(Prefix), Ignored)) {
    std::string Name = Entry.path().stem().string();
    if (Entry.path().extension() == ".so" && Name.starts_with("lib"))
      Names.push_back(Name.substr(3));
  }
  std::ranges::sort(Names);
  return Names;
}

/// Tools register themselves; what does not even name the function does not.
std::string whyNoTool(const std::string &Path) {
  constexpr std::string_view Registers = "7luthier6detail12registerTool";
  std::error_code Ignored;
  if (!std::filesystem::is_regular_file(Path, Ignored))
    return "it is no file";
  std::ifstream File(Path, std::ios::binary);
  const std::string Bytes{std::istreambuf_iterator<char>(File), {}};
  Elf64_Ehdr Header = {};
  std::memcpy(&Header, Bytes.data(), std::min(Bytes.size(), sizeof(Header)));
  if (std::memcmp(Header.e_ident, ELFMAG, SELFMAG) != 0 ||
      Header.e_ident[EI_CLASS] != ELFCLASS64 || Header.e_type != ET_DYN)
    return "it is no shared library";
  if (Header.e_shoff > Bytes.size() ||
      Bytes.size() - Header.e_shoff <
          size_t(Header.e_shnum) * Header.e_shentsize)
    return "the file ends too early";
  if (Bytes.find(Registers) == std::string::npos)
    return "it registers none (is LUTHIER_TOOL missing?)";
  return {};
}

/// Whether the file is there yet or not. Devices and pipes are not opened.
std::string whyNotWritable(const std::string &Path) {
  const bool IsThere = ::access(Path.c_str(), F_OK) == 0;
  const std::string Target =
      IsThere ? Path : std::filesystem::path(Path).parent_path().string();
  std::error_code Ignored;
  if (IsThere && std::filesystem::is_directory(Target, Ignored))
    return std::strerror(EISDIR);
  return ::access(Target.c_str(), W_OK) ? std::strerror(errno) : "";
}

/// Of a program that is given by its path, as shells decide it.
bool isBinary(const std::string &Program) {
  std::error_code Ignored;
  if (Program.find('/') == std::string::npos ||
      !std::filesystem::is_regular_file(Program, Ignored))
    return false;
  std::array<char, 256> Begin;
  std::ifstream File(Program, std::ios::binary);
  File.read(Begin.data(), Begin.size());
  return std::memchr(Begin.data(), 0, File.gcount()) != nullptr;
}

/// Only an attempt tells; the superuser may do all that permissions forbid.
std::string whyNoFilesIn(const std::string &Directory) {
  std::error_code Failure;
  std::filesystem::create_directories(Directory, Failure);
  if (Failure)
    return Failure.message();
  std::string Name = Directory + "/.luthier-XXXXXX";
  const int File = ::mkostemp(Name.data(), O_CLOEXEC);
  if (File < 0)
    return std::strerror(errno);
  ::close(File);
  ::unlink(Name.c_str());
  return {};
}

void createOutput(const std::string &Directory) {
  if (Directory.empty())
    return;
  if (const std::string Why = whyNoFilesIn(Directory); !Why.empty())
    throw RunError("--output " + Directory + ": " + Why);
}

} // namespace

std::string programPrefix(bool BelowLibexec) {
  std::filesystem::path Folder =
      std::filesystem::read_symlink("/proc/self/exe").parent_path();
  if (BelowLibexec)
    Folder = Folder.parent_path();
  return Folder.parent_path().string();
}

static bool isStatic(const std::string &Path) {
  std::error_code Ignored;
  if (!std::filesystem::is_regular_file(Path, Ignored))
    return false;
  std::ifstream File(Path, std::ios::binary);
  Elf64_Ehdr Header = {};
  File.read(reinterpret_cast<char *>(&Header), sizeof(Header));
  if (!File || std::memcmp(Header.e_ident, ELFMAG, SELFMAG) != 0 ||
      Header.e_ident[EI_CLASS] != ELFCLASS64)
    return false;
  // Who names no loader gets nothing preloaded.
  for (unsigned N = 0; N != Header.e_phnum; ++N) {
    Elf64_Phdr Segment = {};
    File.seekg(std::streamoff(Header.e_phoff + N * sizeof(Segment)));
    if (!File.read(reinterpret_cast<char *>(&Segment), sizeof(Segment)))
      return false;
    if (Segment.p_type == PT_INTERP)
      return false;
  }
  return true;
}

/// As a shell finds it.
static std::string pathOf(const std::string &Program) {
  const char *Folders = std::getenv("PATH");
  if (Program.find('/') != std::string::npos || !Folders)
    return Program;
  std::istringstream List(Folders);
  for (std::string Folder; std::getline(List, Folder, ':');)
    if (const std::string Path = Folder + "/" + Program;
        ::access(Path.c_str(), X_OK) == 0)
      return Path;
  return Program;
}

namespace {

/// What luthier-offline says of a tool's options: it can load tools.
struct Answer {
  std::string Text; ///< Without the line's end.
  bool IsFine = false;
};

Answer askForOptions(const std::string &Prefix, const std::string &Path,
                     const std::string &Options) {
  const std::string Program = Prefix + "/libexec/luthier/luthier-offline";
  int Pipe[2];
  if (::pipe2(Pipe, O_CLOEXEC) != 0)
    throw RunError(std::string("no pipe: ") + std::strerror(errno));
  const pid_t Child = ::fork();
  if (Child == 0) {
    ::dup2(Pipe[1], STDOUT_FILENO);
    ::dup2(Pipe[1], STDERR_FILENO);
    ::execl(Program.c_str(), "tool-options", Path.c_str(), Options.c_str(),
            nullptr);
    ::_exit(CannotStart);
  }
  ::close(Pipe[1]);
  Answer Result;
  std::array<char, 4096> Part;
  for (ssize_t Count; Child > 0; Result.Text.append(Part.data(), Count))
    if ((Count = ::read(Pipe[0], Part.data(), Part.size())) <= 0) {
      if (Count < 0 && errno == EINTR)
        Count = 0;
      else
        break;
    }
  ::close(Pipe[0]);
  int Status = 1;
  while (Child > 0 && ::waitpid(Child, &Status, 0) < 0 && errno == EINTR)
    ;
  Result.IsFine = Status == 0;
  if (!Result.IsFine && Result.Text.empty())
    Result.Text = "cannot run " + Program;
  while (Result.Text.ends_with('\n'))
    Result.Text.pop_back();
  return Result;
}

} // namespace

/// Empty, or why not.
static std::string whyNotOpened(const std::string &Root,
                                const std::string &Device) {
  const int File = ::open((Root + Device).c_str(), O_RDWR | O_CLOEXEC);
  if (File < 0)
    return Device + (errno == ENOENT ? " is missing"
                                     : std::string(" cannot be opened: ") +
                                           std::strerror(errno));
  ::close(File);
  return {};
}

/// The device of a node of the driver's topology; empty if the node is no GPU,
/// or none that this process may use.
static std::string renderNode(const std::string &Node) {
  uint64_t Id = 0;
  if (!(std::ifstream(Node + "/gpu_id") >> Id) || Id == 0)
    return {};
  std::ifstream Properties(Node + "/properties");
  for (std::string Key, Value; Properties >> Key >> Value;)
    if (Key == "drm_render_minor")
      return "/dev/dri/renderD" + Value;
  return {};
}

std::string whyNoGPU(const std::string &Root) {
  std::string Why = whyNotOpened(Root, "/dev/kfd");
  if (!Why.empty())
    return Why;
  Why = "/dev/kfd is there, but its driver has no GPU for this process";
  const std::string Nodes = Root + "/sys/class/kfd/kfd/topology/nodes/";
  for (unsigned N = 0;; ++N) {
    const std::string Node = Nodes + std::to_string(N);
    std::error_code Ignored;
    if (!std::filesystem::is_directory(Node, Ignored))
      return Why;
    const std::string Device = renderNode(Node);
    if (Device.empty())
      continue;
    Why = whyNotOpened(Root, Device);
    if (Why.empty())
      return Why;
  }
}

Surroundings lookAround(std::string Prefix) {
  namespace fs = std::filesystem;
  Surroundings Around;
  Around.Prefix = std::move(Prefix);
  std::error_code Failure;
  Around.CurrentDirectory = fs::current_path(Failure).string();
  if (Failure)
    throw RunError("the current directory: " + Failure.message());
  Around.WhyNoGPU = whyNoGPU();
  Around.HasGPU = Around.WhyNoGPU.empty();
  // The clock that dates files; the precise one is ahead of it. It goes in
  // steps of some milliseconds: what is dated with this one is of an earlier
  // run, since starting the program takes longer.
  timespec Now, Step;
  ::clock_gettime(CLOCK_REALTIME_COARSE, &Now);
  ::clock_getres(CLOCK_REALTIME_COARSE, &Step);
  Around.Time = std::to_string(int64_t(Now.tv_sec) * 1'000'000'000 +
                               Now.tv_nsec + Step.tv_nsec);
  Around.FileExists = [](const std::string &Path) {
    return ::access(Path.c_str(), R_OK) == 0;
  };
  Around.IsStatic = [](const std::string &Program) {
    return isStatic(pathOf(Program));
  };
  Around.WhyNoTool = whyNoTool;
  Around.WhyNotWritable = whyNotWritable;
  Around.WhyNoFilesIn = whyNoFilesIn;
  Around.WhyNoOptions = [Prefix = Around.Prefix](const std::string &Path,
                                                 const std::string &Options) {
    const Answer Told = askForOptions(Prefix, Path, Options);
    return Told.IsFine ? "" : Told.Text;
  };
  Around.InstalledTools = [Prefix = Around.Prefix] {
    return installedTools(Prefix);
  };
  Around.Variable = [](const std::string &Name) -> std::optional<std::string> {
    const char *Value = std::getenv(Name.c_str());
    return Value ? std::optional<std::string>(Value) : std::nullopt;
  };
  return Around;
}

int printToolOptions(const std::string &Tool, const Surroundings &Around) {
  const Answer Told = askForOptions(Around.Prefix, findTool(Tool, Around), "");
  if (!Told.IsFine)
    throw RunError(Told.Text);
  if (Told.Text.empty())
    std::printf("%s has no options\n", Tool.c_str());
  else
    std::printf("options of %s (defaults in brackets):\n%s\n", Tool.c_str(),
                Told.Text.c_str());
  return 0;
}

void setUp(const RunPlan &Plan) {
  createOutput(Plan.OutputDirectory);
  for (const auto &[Name, Value] : Plan.Environment)
    ::setenv(Name.c_str(), Value.c_str(), /*overwrite=*/1);
  // Nobody may be reading; the program runs all the same.
  const auto Before = ::signal(SIGPIPE, SIG_IGN);
  for (const std::string &Note : Plan.Notes)
    std::fprintf(stderr, "luthier: %s\n", Note.c_str());
  ::signal(SIGPIPE, Before);
}

bool isForGPUs(const std::string &Path) {
  Elf64_Ehdr Header = {};
  std::error_code Ignored;
  if (!std::filesystem::is_regular_file(Path, Ignored))
    return false;
  std::ifstream(Path, std::ios::binary)
      .read(reinterpret_cast<char *>(&Header), sizeof(Header));
  return std::memcmp(Header.e_ident, ELFMAG, SELFMAG) == 0 &&
         Header.e_machine == EM_AMDGPU;
}

int become(const std::vector<std::string> &Command) {
  std::vector<char *> Argv;
  for (const std::string &Argument : Command)
    Argv.push_back(const_cast<char *>(Argument.c_str()));
  Argv.push_back(nullptr);
  // Others are started by it, and reports name them.
  ::setenv("LUTHIER_RUN_PROCESS", std::to_string(::getpid()).c_str(), 1);
  // A shell gets what the system does not know, but only if it is text.
  if (isBinary(Command.front()))
    ::execv(Argv[0], Argv.data());
  else
    ::execvp(Argv[0], Argv.data());
  int Code = errno == ENOENT ? NotFound : CannotStart;
  std::fprintf(stderr, "luthier: error: cannot run '%s': %s\n", Argv[0],
               std::strerror(errno));
  return Code;
}

} // namespace luthier::cli
