// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `luthier verify --help`: of programs and of files, which live in two programs
// (Commands.h).
#ifndef LUTHIER_CLI_VERIFYHELP_H
#define LUTHIER_CLI_VERIFYHELP_H

namespace luthier::cli {

inline constexpr char VerifyHelp[] =
    R"(usage: luthier verify [options] -- PROGRAM [ARGUMENTS...]
       luthier verify FILE --kernel KERNEL --grid X[,Y[,Z]] --block X[,Y[,Z]]
                      [--arg ARGUMENT]... [options]

Shows that instrumented kernels compute what the originals compute. The original
kernel and the instrumented one run side by side on copies of an emulated GPU's
memory, and after each instruction of the original its registers, LDS and memory
are compared. The first difference is shown: kernel, instruction, where it is in
both versions, wave, lane, register, and the hook.

PROGRAM runs on an emulated GPU under a tool. Before each dispatch that the tool
changed, both versions are compared; then the program goes on as usual.

FILE is a code object, an offload bundle, or a program or library that embeds
them. One kernel of it runs, with arguments given by hand; no GPU runtime is
needed, so all emulated processors will do.

options:
  --tool NAME|PATH[:KEY=VALUE,...]
                     the tool (default: scramble, if there is one, which
                     overwrites all that is free; else instr-count), with
                     options of its own (luthier run --tool NAME:help lists
                     them)
  --seed N           order in which waves run (0); of FILE also what is in
                     registers never written, and the garbage of scramble
  --strict[=CHECKS]  the instrumented kernel must also pass these checks; see
                     luthier run --help
  --help             this text

options for PROGRAM:
  --device emulated[:NAME]
                     the emulated GPU (gfx90a)
  --timeout SECONDS  for the comparison of one dispatch (600; 0: none)
  --output DIR       where the tool writes its files (default: nowhere)
  --gpu-memory MIB, --watchdog S, --stats FILE   as luthier run has them
  --kernel REGEX, --device N, --launches RANGES, --every N, --process NAME,
  --workgroups RANGE which launches are compared, as luthier run has them

options for FILE:
  --kernel, --target, --grid, --block, --lds, --scratch, --arg
                     what to run, as luthier exec has them. FILEs that arguments
                     name get what the original left in its buffers
  --seeds COUNT      compare so often, each time with the next seed (1)

A summary is printed: of PROGRAM on stderr, of FILE on stdout. The exit code is
1 if there was a difference or nothing was compared, 2 if luthier refuses the
request, else PROGRAM's own.

examples:
  luthier verify -- ./vector-add
  luthier verify --tool ./libmytool.so --strict --seed 3 -- ./my-program 1000
  luthier verify saxpy.co --kernel saxpy --grid 1024 --block 256 --seeds 10 \
      --arg buf:@x.bin --arg buf:@y.bin --arg f32:2 --arg u32:1024
)";

} // namespace luthier::cli

#endif // LUTHIER_CLI_VERIFYHELP_H
