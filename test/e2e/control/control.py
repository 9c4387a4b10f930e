#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What runs in a dispatch is up to the tool, in each one anew. One function per case."""

import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import harness


def run(arguments, tool, program, *options, command="run", device="emulated", **variables):
    result = harness.run([arguments.luthier, command, "--device", device, "--tool", tool, *options, "--", *program],
                         variables)
    result.expect(result.code == 0 and "right" in result.stdout, "the program fails")
    return result


def dispatches_run_the_version_that_is_asked_for(arguments, directory):
    third = 3334
    timings = f"{directory}/timings"
    result = run(arguments, arguments.toggles, [arguments.program, str(3 * third)], LUTHIER_TIMINGS=timings)
    result.expect_in_stderr(f"first {third}, second {third}, original {third}, wrong 0")
    made = sorted(line["preset"] for line in harness.read_json_lines(timings))
    result.expect(made == ["first", "second"], f"made: {made}")


def hooks_run_in_the_workgroups_that_are_asked_for(arguments, directory):
    program = [arguments.program, "2", "3d"]

    def expect(numbers, *options, tool=arguments.workgroups, device="emulated", waves=2):
        result = run(arguments, tool, program, *options, device=device)
        listed = "".join(f" {number}x{waves}" for number in numbers)
        result.expect_in_stderr(f"workgroups:{listed}\n")

    expect(range(24))
    expect(range(5, 10), "--workgroups", "5-9")
    expect(range(5, 10), "--workgroups", "5-9", device="emulated:gfx1030", waves=4)
    expect([7], "--workgroups", "7")
    expect(range(20, 24), "--workgroups", "20-")
    expect([], "--workgroups", "24-")
    expect(range(13, 16), tool=f"{arguments.workgroups}:first=13,last=15")
    expect([9], "--workgroups", "5-9", tool=f"{arguments.workgroups}:first=9")
    result = run(arguments, arguments.workgroups, program, "--workgroups", "5-9", "--strict", command="verify")
    result.expect_in_stderr("no difference")

    # This one sets FLAT_SCRATCH for functions, although it has no stack.
    result = harness.run([arguments.luthier, "verify", "--device", "emulated", "--tool", "scramble", "--strict", "--kernel",
                          "callByName", "--workgroups", "1-3", "--", arguments.calling_program])
    result.expect(result.code == 0, "the stack of hooks is lost")
    result.expect_in_stderr("no difference: 1 kernel")

    # All that a kernel executes is in one part or the other.
    counts = {}
    for part in ["0-8", "9-", "0-"]:
        run(arguments, "instr-count", program, "--workgroups", part, "--output", f"{directory}/{part}")
        counted = harness.kernel_counts(f"{directory}/{part}/instr-count.json")
        (kernel,) = [row for name, row in counted.items() if "addOne" in name]
        counts[part] = kernel["wave_instructions"]
    if counts["0-8"] * 24 != counts["0-"] * 9 or counts["0-8"] + counts["9-"] != counts["0-"]:
        raise harness.Failure(f"{counts}")


def hooks_of_each_tool_run_in_its_workgroups(arguments, directory):
    program = [arguments.program, "2", "3d"]

    def run_tools(tools, folder, *options, device):
        result = harness.run([arguments.luthier, "run", "--device", device, *(f"--tool={tool}" for tool in tools), *options,
                              "--output", f"{directory}/{folder}", "--", *program])
        result.expect(result.code == 0 and "right" in result.stdout, "the program fails")
        result.expect("runs without" not in result.stderr, "hooks are left out")
        return result

    def counted(folder):
        return harness.kernel_counts(f"{directory}/{folder}/instr-count.json")

    def listed(numbers, waves):
        return "workgroups:" + "".join(f" {number}x{waves}" for number in numbers) + "\n"

    for device, waves in [("emulated:gfx90a", 2), ("emulated:gfx1030", 4)]:
        name = device.partition(":")[2]
        run_tools(["instr-count"], f"{name}-alone", device=device)
        some = f"{arguments.workgroups}:first=13,last=15"
        # Each with and without other hooks before it, at the same place, and with the values that a wave keeps.
        for number, tools in enumerate([[some, "instr-count"], ["instr-count", some], [some, "instr-count", "scramble"]]):
            folder = f"{name}-{number}"
            result = run_tools(tools, folder, device=device)
            result.expect_in_stderr(listed(range(13, 16), waves))
            result.expect(counted(folder) == counted(f"{name}-alone"), f"{counted(folder)}, alone {counted(f'{name}-alone')}")
        # Of what --workgroups leaves.
        run_tools(["instr-count"], f"{name}-part", "--workgroups", "5-14", device=device)
        result = run_tools([some, "instr-count"], f"{name}-both", "--workgroups", "5-14", device=device)
        result.expect_in_stderr(listed(range(13, 15), waves))
        result.expect(counted(f"{name}-both") == counted(f"{name}-part"), "other counts beside the other tool")
    result = harness.run([arguments.luthier, "verify", "--device", "emulated", "--strict", "--tool", some, "--tool",
                          "instr-count", "--", *program])
    result.expect(result.code == 0, "something differs")
    result.expect_in_stderr("no difference")


def hooks_of_tools_run_in_the_order_of_the_command_line(arguments, directory):
    tools = {"early": arguments.early, "late": arguments.late}
    for names in (["early", "late"], ["late", "early"]):
        for others in ([], ["instr-count"], ["scramble"]):
            order = [tools[names[0]], *others, tools[names[1]]]
            result = harness.run([arguments.luthier, "run", "--device", "emulated", *(f"--tool={tool}" for tool in order),
                                  "--output", directory, "--", arguments.program, "6"])
            result.expect(result.code == 0 and "right" in result.stdout, "the program fails")
            moments = {name: int(moment) for name, moment in re.findall(r"^(early|late): (\d+)$", result.stderr, re.M)}
            result.expect(len(moments) == 2 and 0 < moments[names[0]] < moments[names[1]],
                          f"hooks run in another order than {names}: {moments}")


def tools_of_one_library_have_values_and_counters_of_their_own(arguments, directory):
    # The functions that the second program calls through pointers are not lifted: its waves keep no numbers.
    for program in ([arguments.program, "6"], [arguments.calling_program]):
        result = harness.run([arguments.luthier, "run", "--device", "emulated", "--tool", arguments.twins, "--", *program])
        result.expect(result.code == 0, "the program fails")
        result.expect("runs without" not in result.stderr, "hooks are left out")
        found = re.search(r"twins: (\d+) waves of both, values (\d+), numbers (\d+), group memory (\d+)", result.stderr)
        result.expect(found, "the tools say nothing")
        both, values, numbers, group_memory = map(int, found.groups())
        waves = both // 2
        result.expect(waves > 0 and both == 2 * waves, f"{both} waves")
        result.expect(values == waves * (64 + 1024), "launch values are mixed up")
        result.expect(numbers == waves * (7 + 100), "a tool counts what the other one does")
        # Of kernels without LDS, the second piece begins where the first ends.
        result.expect(group_memory == waves * (0 + 64), "shared memory overlaps")


def tools_learn_when_kernels_ran(arguments, directory):
    result = run(arguments, f"{arguments.workgroups}:times", [arguments.program, "20"])
    result.expect_in_stderr("times: 20 kernels, 0 wrong")
    result.expect("time passes" in result.stdout, "the program's own events have no times")


CASES = {
    case.__name__.replace("_", "-"): case
    for case in (
        dispatches_run_the_version_that_is_asked_for,
        hooks_run_in_the_workgroups_that_are_asked_for,
        hooks_of_each_tool_run_in_its_workgroups,
        hooks_of_tools_run_in_the_order_of_the_command_line,
        tools_of_one_library_have_values_and_counters_of_their_own,
        tools_learn_when_kernels_ran,
    )
}

harness.main(
    [
        (["--program"], {"help": "the program control-launches"}),
        (["--calling-program"], {"help": "the example calls"}),
        (["--toggles"], {"help": "library of the tool toggles"}),
        (["--workgroups"], {"help": "library of the tool workgroups"}),
        (["--twins"], {"help": "library of two tools"}),
        (["--early"], {"help": "library of a tool that notes a moment"}),
        (["--late"], {"help": "library of another one"}),
        (["case"], {"choices": CASES}),
    ],
    lambda arguments, directory: CASES[arguments.case](arguments, directory),
)
