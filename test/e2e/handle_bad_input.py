#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What luthier does with input that is wrong or has nothing to do with GPUs: it
says so in one line, and no program breaks. One function per case."""

import os
import struct

import harness
from harness import Failure


def run_tool(arguments, tool, program, device="emulated", **variables):
    return harness.run(
        [arguments.luthier, "run", "--tool", tool, "--device", device, "--"] + program, variables
    )


def expect_not_started(result):
    result.expect(result.code > 0, "luthier does not fail")
    result.expect("digest" not in result.stdout, "the program ran nevertheless")


def expect_unchanged(arguments, directory, tool, *explained):
    """The program computes what it computes without the tool, and is told why
    its kernels run unchanged."""
    plain = harness.run_on_emulator(
        [arguments.program], arguments.emulator, "gfx90a", f"{directory}/executed.json"
    )
    result = run_tool(arguments, tool, [arguments.program])
    result.expect(result.code == 0, "the program fails")
    result.expect(result.digest_line() == plain.digest_line(), "results differ")
    for text in explained:
        result.expect_in_stderr(text)


def unknown_tool_is_refused(arguments, directory):
    result = run_tool(arguments, "no-such-tool", [arguments.program])
    expect_not_started(result)
    result.expect_in_stderr("no-such-tool")


def missing_tool_library_is_refused(arguments, directory):
    path = f"{directory}/libmissing.so"
    result = run_tool(arguments, path, [arguments.program])
    expect_not_started(result)
    result.expect_in_stderr(path)


def unsupported_device_is_refused(arguments, directory):
    result = run_tool(arguments, "instr-count", [arguments.program], device="emulated:gfx123")
    expect_not_started(result)
    result.expect_in_stderr("gfx123")


def missing_program_is_reported(arguments, directory):
    path = f"{directory}/no-such-program"
    result = run_tool(arguments, "instr-count", [path])
    expect_not_started(result)
    result.expect_in_stderr(path)


def exit_code_is_kept(arguments, directory):
    result = run_tool(arguments, "instr-count", ["sh", "-c", "exit 42"])
    result.expect(result.code == 42, "not the program's own exit code")


def unrelated_program_opens_no_device(arguments, directory):
    """A program that never asks for a GPU must not pay for one. The emulator
    writes its statistics in every process that opened the device."""
    statistics = f"{directory}/opened.json"

    def opens_device(program):
        result = run_tool(
            arguments, "instr-count", program, LUTHIER_EMULATOR_STATS=statistics
        )
        result.expect(result.code == 0, "the program fails")
        return os.path.exists(statistics)

    if opens_device(["sh", "-c", "true"]):
        raise Failure("the device was opened for a program that does not use it")
    # Otherwise the above would prove nothing.
    if not opens_device([arguments.program]):
        raise Failure("the emulator left no trace of a program that uses the device")


def code_objects(path):
    """The device code objects in a file's offload bundles."""
    with open(path, "rb") as file:
        data = file.read()
    magic = b"__CLANG_OFFLOAD_BUNDLE__"
    start = data.find(magic)
    while start >= 0:
        (count,) = struct.unpack_from("<Q", data, start + len(magic))
        at = start + len(magic) + 8
        for _ in range(count):
            offset, size, length = struct.unpack_from("<QQQ", data, at)
            name = data[at + 24 : at + 24 + length]
            at += 24 + length
            if b"amdgcn" in name:
                yield data[start + offset : start + offset + size]
        start = data.find(magic, at)


def truncated_code_object_is_refused(arguments, directory):
    whole = next(code_objects(arguments.program), None)
    if not whole:
        raise Failure(f"no code object in {arguments.program}")
    path = f"{directory}/kernel.co"

    def info(size):
        with open(path, "wb") as file:
            file.write(whole[:size])
        return harness.run([arguments.luthier, "info", path])

    result = info(len(whole))
    result.expect(result.code == 0, "the complete code object is not accepted")
    # In the ELF header, at its end, in the program headers, and then evenly.
    for size in [0, 1, 4, 16, 63, 64, 65, 100, 200] + [len(whole) * i // 16 for i in range(1, 16)]:
        result = info(size)
        # A negative code is a signal.
        result.expect(result.code == 1, f"{size} of {len(whole)} bytes are not refused")
        result.expect_in_stderr(path)


def tool_without_bitcode_changes_nothing(arguments, directory):
    """As if the tool's author forgot the compiler plugin. Renaming the section
    needs no second build: the names have the same length."""
    with open(arguments.tool, "rb") as file:
        data = file.read()
    if b".llvmbc\0" not in data:
        raise Failure(f"{arguments.tool} has no section .llvmbc to take away")
    path = f"{directory}/libwithout-bitcode.so"
    with open(path, "wb") as file:
        file.write(data.replace(b".llvmbc\0", b".absent\0"))
    expect_unchanged(arguments, directory, path, "tool-without-bitcode")


def tool_for_another_target_changes_nothing(arguments, directory):
    path = arguments.tool.replace("instr-count", "other-target")
    expect_unchanged(arguments, directory, path, "tool-without-target", "gfx906", "gfx90a")


def unknown_hook_changes_nothing(arguments, directory):
    path = arguments.tool.replace("instr-count", "unknown-hook")
    expect_unchanged(arguments, directory, path, "unknown-hook")


def text_of_the_host_changes_nothing(arguments, directory):
    path = arguments.tool.replace("instr-count", "gives-text")
    expect_unchanged(arguments, directory, path, "hook-arguments", "a constant of the host, such as a text")


def library_without_tool_is_refused(arguments, directory):
    """Of all that is no tool, before the program has done any work."""
    text, short = f"{directory}/text", f"{directory}/short"
    with open(text, "w") as file:
        file.write("no library\n" * 10)
    with open(arguments.tool, "rb") as whole, open(short, "wb") as file:
        file.write(whole.read()[:-100])
    for path, why in [
        (arguments.not_a_tool, "it registers none"),
        (text, "it is no shared library"),
        (short, "the file ends too early"),
        (directory, "it is no file"),
    ]:
        result = run_tool(arguments, path, [arguments.program])
        expect_not_started(result)
        result.expect(result.code == 2, "not the exit code of requests that are refused")
        result.expect_in_stderr(f"{path} is not a Luthier tool: {why}")


def a_kernel_has_the_hooks_of_all_tools(arguments, directory):
    second = arguments.tool.replace("instr-count", "state-count")
    result = harness.run([arguments.luthier, "run", "--tool", arguments.tool, "--tool", second,
                          "--device", "emulated", "--output", directory, "--", arguments.program])
    result.expect(result.code == 0, "the program fails")
    result.digest_line()
    result.expect("hooks" not in result.stderr, "a tool is left out")
    result.expect("unchanged" not in result.stderr, "a kernel with hooks is called unchanged")
    by_first = {kernel["name"]: kernel["wave_instructions"]
                for kernel in harness.read_json(f"{directory}/instr-count.json")["kernels"]}
    by_second = harness.read_json(f"{directory}/state-count.json")["kernels"]
    result.expect(by_first == by_second and by_first, f"{by_first} and {by_second}")


def output_that_cannot_be_written_is_refused(arguments, directory):
    # Where nobody can make files, not even the superuser.
    for path in ["/proc/self/task", f"{arguments.program}/folder"]:
        result = harness.run([arguments.luthier, "run", "--tool", "instr-count", "--device", "emulated", "--output", path,
                              "--", arguments.program])
        expect_not_started(result)
        result.expect(result.code == 2, "not the exit code of requests that are refused")
        result.expect_in_stderr(f"--output {path}: ")
        result.expect("Bad file descriptor" not in result.stderr, "this is not the reason")
        # A variable may be of another run, around this one.
        result = run_tool(arguments, "instr-count", [arguments.program], LUTHIER_OUTPUT=path)
        result.expect_in_stderr(f"tools cannot write files into {path}, LUTHIER_OUTPUT (")


def files_of_earlier_runs_are_kept(arguments, directory):
    for number in range(3):
        run_tool(arguments, "instr-count", [arguments.program], LUTHIER_OUTPUT=directory)
        reports = [harness.read_json(f"{directory}/{name}") for name in os.listdir(directory)]
        if len(reports) != number + 1 or any(report != reports[0] for report in reports):
            raise Failure(f"{number + 1} runs leave {os.listdir(directory)}")


def exceptions_of_a_tool_end_at_luthier(arguments, directory):
    """The tool, the callback and, where there is one, the kernel are named; the
    program goes on as without the tool."""
    tool = arguments.tool.replace("instr-count", "throws-exceptions")
    kernel = "_Z9vectorAddPKfS0_Pfj"
    named = "libthrows-exceptions.so"
    for callback, texts in {
        "nowhere": ["waves: "],
        "constructor": [f"the constructor of tool {named} threw", "left out"],
        "instrument": [f"kernel {kernel} runs unchanged", f"{named}, asked what to insert into it, threw", "waves: 0"],
        "onDispatch": [f"tool {named}: onDispatch() for kernel {kernel} threw", "waves: 0"],
        "onComplete": [f"tool {named}: onComplete() for kernel {kernel} threw", "waves: "],
        "onCodeObjectLoaded": [f"tool {named}: onCodeObjectLoaded() threw", "waves: "],
        "report": [f"tool {named}: onExit() threw"],
    }.items():
        result = run_tool(arguments, tool, [arguments.program], THROWS_IN=callback)
        result.expect(result.code == 0, f"the program fails with an exception in {callback}")
        result.digest_line()
        for text in texts:
            result.expect_in_stderr(text)
        what = "threw std::runtime_error: nobody expects this"
        result.expect(result.stderr.count(what) == (callback != "nowhere"), "the exception is not said once")


CASES = {
    case.__name__.replace("_", "-"): case
    for case in (
        unknown_tool_is_refused,
        missing_tool_library_is_refused,
        unsupported_device_is_refused,
        missing_program_is_reported,
        exit_code_is_kept,
        unrelated_program_opens_no_device,
        truncated_code_object_is_refused,
        tool_without_bitcode_changes_nothing,
        tool_for_another_target_changes_nothing,
        unknown_hook_changes_nothing,
        text_of_the_host_changes_nothing,
        library_without_tool_is_refused,
        a_kernel_has_the_hooks_of_all_tools,
        exceptions_of_a_tool_end_at_luthier,
        output_that_cannot_be_written_is_refused,
        files_of_earlier_runs_are_kept,
    )
}

harness.main(
    [
        (["--program"], {"help": "an example that passes"}),
        (["--tool"], {"help": "library of instr-count"}),
        (["--not-a-tool"], {"help": "some other library"}),
        (["case"], {"choices": CASES}),
    ],
    lambda arguments, directory: CASES[arguments.case](arguments, directory),
)
