#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Several tools on the same kernels: each finds what it finds alone, in every order.
One function per case."""

import itertools
import os
import re

import harness

COUNTED = {"instr-count": "instr-count.json", "branch-divergence": "branch-divergence.json"}


def run(arguments, tools, directory, program=None, command=("run", "--device", "emulated"), program_arguments=()):
    options = [text for tool in tools for text in ("--tool", tool)]
    command = [arguments.luthier, *command, *options, "--output", directory, "--", program or arguments.program]
    result = harness.run([*command, *program_arguments])
    result.expect(result.code == 0, "the program fails")
    result.digest_line()
    return result


def found(directory, tool):
    """What `tool` has written; where a wave counts is up to the registers that are left."""
    kernels = harness.read_json(f"{directory}/{COUNTED[tool]}")["kernels"]
    for kernel in kernels:
        kernel.pop("counted_in", None)
    return kernels


def find_what_each_finds_alone(arguments, directory):
    alone = {}
    for tool in COUNTED:
        run(arguments, [tool], f"{directory}/{tool}")
        alone[tool] = found(f"{directory}/{tool}", tool)
    everybody = list(itertools.permutations([*COUNTED, "scramble"]))
    for tools in everybody + [["scramble", tool] for tool in COUNTED]:
        folder = f"{directory}/{'-'.join(tools)}"
        result = run(arguments, tools, folder)
        result.expect("without the hooks" not in result.stderr, "a tool is left out")
        for tool in COUNTED.keys() & set(tools):
            result.expect(found(folder, tool) == alone[tool], f"{tool} finds something else beside others")


def are_told_of_each_dispatch(arguments, directory):
    """instr-count adds over all launches what launch-count tells of each, after its end."""
    result = run(arguments, ["instr-count", arguments.launch_tool], directory)
    totals = {}
    for count, name in re.findall(r"^(\d+) instructions by a launch of (\S+)$", result.stderr, re.M):
        totals[name] = totals.get(name, 0) + int(count)
    wanted = {kernel["name"]: kernel["wave_instructions"] for kernel in found(directory, "instr-count")}
    result.expect(totals == wanted, f"{totals} instead of {wanted}")


def compute_what_the_program_computes(arguments, directory):
    result = run(arguments, [*COUNTED, "scramble"], directory, command=("verify", "--strict"))
    result.expect_in_stderr("luthier verify: no difference: 2 kernels, 3 dispatches")
    result.expect("unchanged" not in result.stderr, "a kernel is left out")


def may_come_to_a_kernel_later(arguments, directory):
    """The first tool has no hooks in one of the kernels, and the second is alone there."""
    run(arguments, ["instr-count"], f"{directory}/alone")
    result = run(arguments, ["scramble:kernel=addTotals", "instr-count"], f"{directory}/both")
    result.expect(found(f"{directory}/both", "instr-count") == found(f"{directory}/alone", "instr-count"),
                  "instr-count finds something else")


def that_the_program_opens_join_those_before(arguments, directory):
    """A library that the program opens behind the first of four launches of a kernel, which has hooks by then."""

    def counts(folder, tool):
        kernel, = [each for each in found(folder, tool) if "step" in each["name"]]
        if tool == "instr-count":
            return [kernel["wave_instructions"]]
        return [branch["executed"] for branch in kernel["branches"]]

    libraries = {"branch-divergence": arguments.branch_tool, "instr-count": arguments.count_tool}
    for first, late in itertools.permutations(libraries):
        for name, tools in (("both", [first, late]), ("late", [first])):
            result = run(arguments, tools, f"{directory}/{first}/{name}", arguments.opening_program,
                         program_arguments=[libraries[late]])
            result.expect("without the hooks" not in result.stderr, "a tool is left out")
        both, those = (counts(f"{directory}/{first}/{name}", late) for name in ("both", "late"))
        result.expect(any(both) and [4 * count for count in those] == [3 * count for count in both], f"{those} of {both}")
        result.expect(counts(f"{directory}/{first}/late", first) == counts(f"{directory}/{first}/both", first),
                      "the first tool finds something else")


def have_a_launch_value_and_memory_each(arguments, directory):
    """wave-numbers has rows that a launch value points to and words in LDS, and checks them itself."""
    for options in ("by-wave", "in-lds", "by-wave,in-lds"):
        branches = f"branch-divergence:{options}"
        run(arguments, [branches], f"{directory}/{options}/alone")
        alone = found(f"{directory}/{options}/alone", "branch-divergence")
        for order in (1, -1):
            tools = [branches, arguments.launch_value_tool, "mem-trace"][::order]
            folder = f"{directory}/{options}/{order}"
            result = run(arguments, tools, folder)
            result.expect("without the hooks" not in result.stderr, "a tool is left out")
            result.expect_in_stderr("right numbers of ")
            result.expect(found(folder, "branch-divergence") == alone, "branch-divergence finds something else")


def say_whose_hooks_are_left_out(arguments, directory):
    """Code that a tool has changed is no second tool's."""
    for tools, why in [
        ([arguments.edit_tool, "branch-divergence"], "changed the kernel's code"),
        (["branch-divergence", arguments.edit_tool], "changes the kernel's code"),
    ]:
        folder = f"{directory}/{len(os.listdir(directory))}"
        run(arguments, ["branch-divergence"], f"{directory}/alone", arguments.float_program)
        result = run(arguments, tools, folder, arguments.float_program)
        told = [line for line in result.stderr.splitlines() if "without the hooks of one of the tools" in line]
        result.expect(told and all(why in line for line in told), f"not said: {why}")
        result.expect(len(told) == len(set(told)), "said twice")
        result.expect("runs unchanged" not in result.stderr, "a kernel with hooks is called unchanged")
        if tools[0] == "branch-divergence":
            result.expect(found(folder, "branch-divergence") == found(f"{directory}/alone", "branch-divergence"),
                          "the first tool finds something else")


CASES = {
    case.__name__.replace("_", "-"): case
    for case in (
        find_what_each_finds_alone,
        are_told_of_each_dispatch,
        compute_what_the_program_computes,
        may_come_to_a_kernel_later,
        that_the_program_opens_join_those_before,
        have_a_launch_value_and_memory_each,
        say_whose_hooks_are_left_out,
    )
}

harness.main(
    [
        (["--program"], {"help": "prefix-scan"}),
        (["--float-program"], {"help": "vector-add"}),
        (["--opening-program"], {"help": "opens a library behind its first launch"}),
        (["--branch-tool"], {"help": "library of branch-divergence"}),
        (["--count-tool"], {"help": "library of instr-count"}),
        (["--launch-tool"], {"help": "library of launch-count"}),
        (["--launch-value-tool"], {"help": "a library whose hooks ask for launchValue()"}),
        (["--edit-tool"], {"help": "a library that changes code"}),
        (["case"], {"choices": CASES}),
    ],
    lambda arguments, directory: CASES[arguments.case](arguments, directory),
)
