#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a tool sees of a program's launches under the filters of `luthier run` and
`verify`, and the exit codes of --fail-if-unchanged. One function per case."""

import re

import harness


def run(arguments, options, program, command="run", **variables):
    return harness.run([arguments.luthier, command, "--device", "emulated", *options, "--", *program], variables)


def counted(arguments, *options):
    """Instructions of each launch of the program's kernels that the tool saw, in their order."""
    result = run(arguments, ["--tool", arguments.launch_tool, *options], [arguments.program])
    result.expect(result.code == 0, "the program fails")
    result.digest_line()
    found = re.findall(r"^(\d+) instructions by a launch of (\S+)$", result.stderr, re.M)
    launches = {}
    for count, name in found:
        launches.setdefault(name, []).append(int(count))
    return launches, result


def tools_see_the_launches_that_are_chosen(arguments, directory):
    everything, result = counted(arguments)
    (several,) = [name for name, counts in everything.items() if len(counts) == 2]
    (one,) = everything.keys() - {several}
    first, second = everything[several]
    for options, wanted in [
        (["--kernel", several], {several: [first, second]}),
        (["--kernel", "^addTotals"], {one: everything[one]}),
        (["--launches", "2"], {several: [second]}),
        (["--launches", "1-"], everything),
        (["--every", "2"], {several: [first], one: everything[one]}),
        (["--kernel", several, "--launches", "2-", "--every", "2"], {several: [second]}),
        (["--device", "0", "--process", "prefix-scan"], everything),
    ]:
        seen, result = counted(arguments, *options)
        result.expect(seen == wanted, f"{seen} instead of {wanted}")
        result.expect("luthier: none of" not in result.stderr, "a complaint, but there were launches")


def tools_see_launches_on_the_device_that_is_chosen(arguments, directory):
    devices = ["gfx90a", "gfx908"]
    for options, wanted in [([], {"1", "2"}), (["--device", "0"], {"1"}), (["--device", "1"], {"2"})]:
        result = harness.run([arguments.luthier, "run", "--device", f"emulated:{','.join(devices)}", "--tool",
                              arguments.device_tool, *options, "--", arguments.several_program, *devices])
        result.expect(result.code == 0, "the program fails")
        # The host is node 0.
        seen = set(re.findall(r"^node (\d+): ", result.stderr, re.M))
        result.expect(seen == wanted, f"launches on {seen} instead of {wanted}")


def tools_choose_launches_themselves(arguments, directory):
    def dispatches(options, *filters):
        tool = ["--tool", f"{arguments.counting_tool}{options}"]
        run(arguments, [*tool, "--output", directory, *filters], [arguments.program])
        path = f"{directory}/kind-count.json"
        counts = {row["name"]: row["dispatches"] for row in harness.read_json(path)["kernels"]}
        harness.remove(path)
        return counts

    everything = dispatches("")
    (several,) = [name for name, count in everything.items() if count == 2]
    (one,) = everything.keys() - {several}
    for options, filters, wanted in [
        (f":kernel={several}", [], {several: 2}),
        (":kernel=^addTotals", [], {one: 1}),
        (":every=2", [], {several: 1, one: 1}),
        # Both have their say.
        (":every=2", ["--kernel", several], {several: 1}),
        (":kernel=^addTotals", ["--device", "0"], {one: 1}),
    ]:
        counts = dispatches(options, *filters)
        if counts != wanted:
            raise harness.Failure(f"{options} {filters}: {counts} instead of {wanted}")
    for options, wrong in [(":every=0", "Every = 0: a number from 1 up is needed"), (":kernel=(", 'Kernel = "(": ')]:
        tool = ["--tool", f"{arguments.counting_tool}{options}"]
        result = run(arguments, [*tool, "--output", directory], [arguments.program])
        result.expect(result.code == 0, "the program fails")
        result.expect_in_stderr(f"kind-count counts nothing: a filter of launches with {wrong}")


def filters_without_a_match_say_so(arguments, directory):
    for options, complaint in [
        (["--kernel", "scanGroup$"], "near it: scanGroups(unsigned int const*"),
        (["--kernel", "fft"], "there were addTotals(unsigned int*"),
        (["--launches", "3-"], "no kernel has more than 2"),
        (["--device", "1"], "GPU 1"),
        (["--process", "another"], "--process another"),
    ]:
        seen, result = counted(arguments, *options)
        result.expect(not seen, "the tool saw a launch")
        said = [line for line in result.stderr.splitlines() if "none of the 3 launches of prefix-scan" in line]
        result.expect(len(said) == 1 and complaint in said[0], f"not said once: {complaint}")


def verify_compares_what_is_chosen(arguments, directory):
    result = run(arguments, ["--kernel", "^scan", "--launches", "2"], [arguments.program], command="verify")
    result.expect(result.code == 0, "verify fails")
    result.expect_in_stderr("no difference: 1 kernel, 1 dispatch,")
    result.expect_in_stderr("same; unchanged: left out by the filters")
    result = run(arguments, ["--launches", "9"], [arguments.program], command="verify")
    result.expect(result.code == 1, "nothing was compared, and verify does not fail")


def scripts_learn_that_nothing_was_instrumented(arguments, directory):
    checked = ["--tool", "instr-count", "--output", directory, "--fail-if-unchanged"]
    for options, program, code, is_said in [
        ([], [arguments.program], 0, False),
        ([], ["sh", "-c", f"{arguments.program} && true"], 0, False),
        ([], ["sh", "-c", f"{arguments.program} && exit 42"], 42, False),
        (["--kernel", "fft"], [arguments.program], 3, True),
        ([], ["true"], 3, True),
        ([], ["sh", "-c", "exit 42"], 42, True),
        ([], ["sh", "-c", "kill -KILL $$"], 128 + 9, True),
        ([], [f"{directory}/no-such-program"], 127, False),
    ]:
        result = run(arguments, checked + options, program)
        result.expect(result.code == code, f"not {code}")
        result.expect(("no kernel was instrumented" in result.stderr) == is_said, "what is said does not fit")
    result = run(arguments, checked[:-1] + ["--kernel", "fft"], [arguments.program])
    result.expect(result.code == 0, "fails although nobody asked")


CASES = {
    case.__name__.replace("_", "-"): case
    for case in (
        tools_see_the_launches_that_are_chosen,
        tools_see_launches_on_the_device_that_is_chosen,
        tools_choose_launches_themselves,
        filters_without_a_match_say_so,
        verify_compares_what_is_chosen,
        scripts_learn_that_nothing_was_instrumented,
    )
}

harness.main(
    [
        (["--program"], {"help": "prefix-scan"}),
        (["--launch-tool"], {"help": "library of launch-count"}),
        (["--counting-tool"], {"help": "library of kind-count"}),
        (["--device-tool"], {"help": "library of per-device"}),
        (["--several-program"], {"help": "device-several-gpus"}),
        (["case"], {"choices": CASES}),
    ],
    lambda arguments, directory: CASES[arguments.case](arguments, directory),
)
