#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`luthier verify -- PROGRAM`: what it says, and that it notices. One function
per case."""

import os
import re

import harness


def verify(arguments, *options, program=None, **variables):
    command = [arguments.luthier, "verify", *options, "--"]
    return harness.run(command + (program or [arguments.program]), variables)


def same_kernel_is_the_same(arguments, directory):
    """Exactly the original's instructions are compared: as many as it executes
    without a tool."""
    executed = f"{directory}/executed.json"
    plain = harness.run_on_emulator([arguments.program], arguments.emulator, "gfx90a", executed)
    # Other tests leave files where this one was started.
    os.chdir(directory)
    result = verify(arguments, "--tool", "instr-count", "--seed", "3", "--strict")
    result.expect(result.code == 0, "verify fails")
    result.expect(result.digest_line() == plain.digest_line(), "results differ")
    match = re.search(r"^luthier verify: no difference: 1 kernel, 1 dispatch, (\d+) instr", result.stderr, re.M)
    result.expect(match, "no verdict")
    (counts,) = harness.kernel_counts(executed).values()
    count = counts["wave_instructions"]
    result.expect(int(match[1]) == count, f"{count} instructions are executed without a tool")
    result.expect(not os.path.exists("instr-count.json"), "the tool's file is left behind")


def changed_data_is_noticed(arguments, directory):
    """A hook changes a register that the kernel stores. Kernel, instruction,
    register and hook are named, and the program still runs to its end."""
    result = verify(arguments, "--tool", arguments.bad_tool)
    result.expect(result.code == 1, "verify does not fail")
    line = re.search(r"^first difference: (.*)", result.stderr, re.M)
    result.expect(line, "no difference is shown")
    for pattern in (r"_Z9vectorAdd", r" at 0x[0-9a-f]+ \(entry \+ 0x[0-9a-f]+\)", r"global_store_dword",
                    r": register v\d+: 0x[0-9a-f]+ instead of 0x[0-9a-f]+", r"; hook addOne$"):
        result.expect(re.search(pattern, line[1]), f"the difference lacks {pattern}")
    result.expect_in_stderr("luthier verify: DIFFERENT: 1 kernel, 1 dispatch")
    result.expect("digest" in result.stdout, "the program did not end")


def garbage_in_a_tools_memory_is_noticed(arguments, directory):
    """A hook reads a lane that is not active, and adds what it read to the tool's
    variable: no result of the program differs."""
    result = verify(arguments, "--tool", arguments.garbage_tool)
    result.expect(result.code == 1, "verify does not fail")
    line = re.search(r"^first difference: (.*)", result.stderr, re.M)
    result.expect(line, "no difference is shown")
    for pattern in (r": garbage at 0x[0-9a-f]+: ", r", written at 0x[0-9a-f]+ by global_atomic_add",
                    r"registers that nobody wrote; hook addLane$"):
        result.expect(re.search(pattern, line[1]), f"the difference lacks {pattern}")


def packets_belong_to_the_tool(arguments, directory):
    """reserved2 is there for tools, before and after a packet is redirected."""
    def sum_of_numbers(result):
        result.expect(result.code == 0, "the program fails")
        match = re.search(r"^sum of numbers: (\d+)$", result.stdout + result.stderr, re.M)
        result.expect(match, "the tool reports nothing")
        return int(match[1])

    run = harness.run([arguments.luthier, "run", "--device", "emulated", "--tool", arguments.packet_tool, "--",
                       arguments.program])
    judged = verify(arguments, "--tool", arguments.packet_tool)
    judged.expect_in_stderr("luthier verify: no difference: 1 kernel, 1 dispatch")
    count = sum_of_numbers(run)
    run.expect(count and count % 1000 == 0, "hooks do not see the number")
    judged.expect(sum_of_numbers(judged) == count, f"{count} without verify")


def memory_of_tools_is_their_own(arguments, directory):
    """What hooks write to memory that the tool has allocated is no difference."""
    tool = ["--tool", arguments.memory_tool]
    judged = verify(arguments, *tool)
    judged.expect_in_stderr("luthier verify: no difference: 1 kernel, 1 dispatch")
    waves = re.search(r"^waves: (\d+)$", judged.stdout + judged.stderr, re.M)
    judged.expect(waves and int(waves[1]) > 0, "hooks do not reach the memory")


def variables_are_read_at_the_end(arguments, directory):
    """A tool's report copies from the device, with a kernel of ROCr's, when much of
    the process is gone already."""
    tool = ["--tool", arguments.reading_tool]
    for options in (["run", "--device", "emulated", "--strict=poison"], ["run", "--device", "emulated", "--strict"],
                    ["verify", "--strict"]):
        result = harness.run([arguments.luthier, *options, *tool, "--", arguments.program])
        result.expect(result.code == 0, "the program fails")
        result.expect(re.search(r"^4 bytes: 0x[1-9a-f]", result.stdout + result.stderr, re.M), "no report")


def instructions_are_counted_alike(arguments, directory):
    """As many as the program executes, whatever the tool and the seed."""
    counts = set()
    for options in (["--tool", "instr-count"], ["--tool", arguments.packet_tool],
                    ["--tool", "instr-count", "--seed", "5"]):
        result = verify(arguments, *options, program=[arguments.calling_program])
        match = re.search(r"^luthier verify: no difference: 3 kernels, 3 dispatches, (\d+) instr", result.stderr, re.M)
        result.expect(match, "no verdict")
        counts.add(match[1])
    result.expect(len(counts) == 1, f"different counts: {counts}")


def kernels_to_scramble_can_be_chosen(arguments, directory):
    """The others run as they are: there is nothing to compare."""
    result = verify(arguments, "--tool", "scramble", LUTHIER_SCRAMBLE_KERNEL="^_Z9vector[A-Z]")
    result.expect(result.code == 0, "verify fails")
    row = re.search(r"^ +1 +\d+ +(\d+)  vectorAdd\(.*: same$", result.stderr, re.M)
    result.expect(row and int(row[1]) > 0, "the kernel is not scrambled")
    result = verify(arguments, "--tool", "scramble", LUTHIER_SCRAMBLE_KERNEL="another")
    result.expect(result.code == 1, "nothing compared is no success")
    result.expect_in_stderr("unchanged: the tool puts nothing into it")
    result.expect_in_stderr("luthier verify: NOTHING COMPARED")
    result = verify(arguments, "--tool", "scramble", LUTHIER_SCRAMBLE_KERNEL="(")
    result.expect_in_stderr("LUTHIER_SCRAMBLE_KERNEL=(: ")


def refused_kernel_is_listed(arguments, directory):
    """A tool that has no code for the device leaves all kernels alone. That is
    no success."""
    result = verify(arguments, "--tool", arguments.other_tool)
    result.expect(result.code == 1, "verify does not fail")
    result.expect_in_stderr("unchanged: tool-without-target: ")
    result.expect_in_stderr("luthier verify: NOTHING COMPARED")
    result.expect_in_stderr("1 kernel ran unchanged")


def exit_code_is_kept(arguments, directory):
    result = verify(arguments, "--tool", "instr-count",
                    program=["sh", "-c", f"'{arguments.program}'; exit 7"])
    result.expect(result.code == 7, "not the program's own exit code")
    result.expect_in_stderr("luthier verify: no difference")
    result.expect_in_stderr("the program ended with 7")


def calls_are_followed(arguments, directory):
    """Calls of instrumented functions are other instructions than the original's."""
    result = verify(arguments, "--tool", "instr-count", program=[arguments.calling_program])
    result.expect(result.code == 0, "verify fails")
    result.expect_in_stderr("luthier verify: no difference: 3 kernels, 3 dispatches")


def calls_of_the_host_end_the_comparison(arguments, directory):
    """Who prints is answered by the host, which can answer only once."""
    result = verify(arguments, "--tool", "instr-count", program=[arguments.printing_program])
    result.expect(result.code == 0, "verify fails")
    result.expect_in_stderr("formats(int*): not compared: the original cannot run to its end here: it calls the host")
    result.expect_in_stderr("2 not compared")


def misuse_is_explained(arguments, directory):
    for options, text in ((["--device", "native"], "only an emulated device can verify"),
                          (["--tool", "no-such-tool"], "no-such-tool"),
                          (["--timeout", "soon"], "--timeout needs a number of seconds")):
        result = verify(arguments, *options)
        result.expect(result.code == 2, "luthier does not refuse")
        result.expect_in_stderr(text)
        result.expect("digest" not in result.stdout, "the program ran nevertheless")


CASES = {
    case.__name__.replace("_", "-"): case
    for case in (
        same_kernel_is_the_same,
        changed_data_is_noticed,
        garbage_in_a_tools_memory_is_noticed,
        packets_belong_to_the_tool,
        memory_of_tools_is_their_own,
        variables_are_read_at_the_end,
        instructions_are_counted_alike,
        kernels_to_scramble_can_be_chosen,
        refused_kernel_is_listed,
        exit_code_is_kept,
        calls_are_followed,
        calls_of_the_host_end_the_comparison,
        misuse_is_explained,
    )
}

harness.main(
    [
        (["--program"], {"help": "an example that passes, with one dispatch of one kernel"}),
        (["--calling-program"], {"help": "the example of calls"}),
        (["--printing-program"], {"help": "the device test of output"}),
        (["--bad-tool"], {"help": "a tool that changes data"}),
        (["--garbage-tool"], {"help": "a tool that counts what registers happen to hold"}),
        (["--packet-tool"], {"help": "a tool that uses reserved2 of packets"}),
        (["--memory-tool"], {"help": "a tool that allocates memory for each dispatch"}),
        (["--reading-tool"], {"help": "a tool that reads its variables in its report"}),
        (["--other-tool"], {"help": "a tool without code for the device"}),
        (["case"], {"choices": CASES}),
    ],
    lambda arguments, directory: CASES[arguments.case](arguments, directory),
)
