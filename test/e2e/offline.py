#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`luthier instrument`: what it writes runs without luthier, on the emulated GPU
alone and through the GPU runtime, and its variables can be read. One function
per case; some are for one target."""

import os
import re
import shutil
import struct
import subprocess

import harness

GROUPS, GROUP_SIZE = 3, 128
# No multiple of what hooks' memory is aligned to.
DYNAMIC_BYTES = 4 * (GROUP_SIZE + 1)
HOOKS = ("count", "wave", "stack", "shared", "lanes", "places")
WAVE_SIZES = {"gfx1030": (32, 64), "gfx1100": (32, 64), "gfx1201": (32, 64)}


def compile_kernels(arguments, source, out, version, wave_size=32):
    options = ["-mwavefrontsize64"] if wave_size == 64 and arguments.target in WAVE_SIZES else []
    subprocess.run(
        [arguments.clang, "-std=c++20", "-nogpulib", "-O2", "--target=amdgcn-amd-amdhsa",
         f"-mcpu={arguments.target}", f"-mcode-object-version={version}", *options, source, "-o", out],
        check=True)


def instrument(arguments, file, out, *options, hooks="count", unchanged=0, tool=None):
    result = harness.run(
        [arguments.luthier, "instrument", file, "--tool", tool or arguments.tool, "-o", out, *options],
        {"OFFLINE_HOOKS": hooks})
    result.expect(result.code == 0, "instrument fails")
    result.expect(re.search(rf"^[1-9]\d* kernels? instrumented, {unchanged} unchanged$", result.stdout, re.M),
                  f"not all kernels but {unchanged} are instrumented")
    return result


def execute(arguments, file, out, *options):
    """Kernel collatzSteps on the emulator alone. What it wrote, and how many
    instructions its waves and lanes executed."""
    result = harness.run(
        [arguments.luthier, "exec", file, "--kernel", "collatzSteps", "--strict", *options,
         "--grid", str(GROUPS * GROUP_SIZE), "--block", str(GROUP_SIZE), "--lds", str(DYNAMIC_BYTES),
         "--arg", f"out:{4 * GROUPS * GROUP_SIZE}@{out}"])
    result.expect(result.code == 0, "exec fails")
    match = re.match(r"collatzSteps: (\d+) wave instructions, (\d+) lane instructions", result.stdout)
    result.expect(match, "exec shows no instructions")
    with open(out, "rb") as file:
        return file.read(), (int(match[1]), int(match[2]))


def kernels_of_a_target(arguments, directory):
    """In each version of the format and each wave size: results are those of the
    original, and hooks count its instructions, whatever memory they use. A
    growing stack leaves no room for theirs."""
    for wave_size in WAVE_SIZES.get(arguments.target, (64,)):
        for version in (4, 5, 6):
            original = f"{directory}/original"
            compile_kernels(arguments, arguments.kernels, original, version, wave_size)
            before, (count, _) = execute(arguments, original, f"{directory}/before")
            for hooks in HOOKS if version == 5 else HOOKS[:1]:
                out = f"{directory}/{hooks}"
                listed = instrument(arguments, original, out, hooks=hooks, unchanged=int(hooks == "stack"))
                if hooks == "stack":
                    listed.expect(": recursive: unchanged: dynamic-stack: hooks need a stack" in listed.stdout,
                                  "no reason is given")
                words = {}
                variables = {"Executed.managed": 1, "Begun": 1, "Wrong": 1}
                after, _ = execute(arguments, out, f"{directory}/after",
                                   *(f"--variable={name}@{directory}/{name}" for name in variables))
                where = f"{arguments.target}, wave{wave_size}, version {version}, {hooks}"
                if after != before:
                    raise harness.Failure(f"{where}: results differ")
                for name, number in variables.items():
                    with open(f"{directory}/{name}", "rb") as file:
                        words[name] = list(struct.unpack(f"{number}Q", file.read()))
                expected = {"Executed.managed": [count], "Begun": [1000 + count], "Wrong": [0]}
                if words != expected:
                    raise harness.Failure(f"{where}: variables are {words}, not {expected}")


# Where code is called through pointers, hooks keep their state on a stack there, and in
# a file nobody knows where the kernel's own ends.
REFUSES_POINTERS = ["gfx1030"]


def instr_count_of_a_target(arguments, directory):
    """The shipped tool knows every target, in each wave size, and counts what the
    original executes, in functions that are called through pointers, too; or it says
    why not."""
    pointers = os.path.join(os.path.dirname(arguments.kernels), "pointers.cpp")
    for source in (arguments.kernels, pointers):
        for wave_size in WAVE_SIZES.get(arguments.target, (64,)):
            original, out, counts = (f"{directory}/{name}" for name in ("original", "out", "counts"))
            compile_kernels(arguments, source, original, 5, wave_size)
            if source == pointers and arguments.target in REFUSES_POINTERS:
                refused = harness.run([arguments.luthier, "instrument", original, "--tool", "instr-count", "-o", out,
                                       "--kernel", "collatzSteps"])
                refused.expect(refused.code == 1 and "collatzSteps: unchanged: dynamic-stack: " in refused.stdout,
                               "there is no reason why it is unchanged")
                continue
            before, executed = execute(arguments, original, f"{directory}/before")
            listed = instrument(arguments, original, out, "--kernel", "collatzSteps", tool="instr-count")
            listed.expect("through pointers" not in listed.stdout, "code without hooks is listed")
            after, _ = execute(arguments, out, f"{directory}/after", f"--variable=Counts.managed@{counts}")
            where = f"{os.path.basename(source)}, wave{wave_size}"
            if after != before:
                raise harness.Failure(f"{where}: results differ")
            with open(counts, "rb") as file:
                counted = struct.unpack("2Q", file.read()[:16])
            if counted != executed:
                raise harness.Failure(f"{where}: counted {counted}, executed {executed}")


def counters_need_no_hooks_of_the_tool(arguments, directory):
    """Tools made of luthier/Counters.h, and one that gives addresses in all forms, with the variables of the file."""
    original, out = f"{directory}/original", f"{directory}/out"
    compile_kernels(arguments, arguments.kernels, original, 5)
    before, (executed, _) = execute(arguments, original, f"{directory}/before")
    waves = GROUPS * GROUP_SIZE // 64
    for tool, names, wanted in [
        (arguments.kinds, ["Counts.managed"], lambda counts: sum(counts) == executed and sum(map(bool, counts)) == 4),
        # A number for each block; each instruction is in one.
        (arguments.places, ["Counts.managed"], lambda counts: sum(map(bool, counts)) > 4 and sum(counts) < executed),
        (arguments.pointers, ["One.managed", "Several.managed", "Own"], lambda counts: counts == [waves, waves, 0, waves, 0, waves]),
    ]:
        instrument(arguments, original, out, "--kernel", "collatzSteps", tool=tool)
        files = {name: f"{directory}/{name}" for name in names}
        after, _ = execute(arguments, out, f"{directory}/after", *(f"--variable={n}@{f}" for n, f in files.items()))
        if after != before:
            raise harness.Failure(f"{tool}: results differ")
        counts = []
        for file in files.values():
            with open(file, "rb") as bytes_of:
                counts += [number for (number,) in struct.iter_unpack("Q", bytes_of.read())]
        if not wanted(counts):
            raise harness.Failure(f"{tool}: executed {executed}, counted {[count for count in counts if count]}")
    # What another process has compiled is for the same variables, wherever that one had them.
    files = []
    for _ in range(2):
        result = harness.run([arguments.luthier, "instrument", original, "--tool", arguments.pointers, "-o", out],
                             {"XDG_CACHE_HOME": f"{directory}/cache", "LUTHIER_CACHE_SIZE": "100"})
        result.expect(result.code == 0, "instrument fails with a cache")
        with open(out, "rb") as file:
            files.append(file.read())
    result.expect(files[0] == files[1], "another file from the cache")
    result.expect(os.listdir(f"{directory}/cache/luthier/code"), "nothing is in the cache")
    result = harness.run([arguments.luthier, "instrument", original, "--tool", arguments.kinds, "-o", out],
                         {"LUTHIER_WORKGROUPS": "0-3"})
    result.expect(result.code == 1 and "unsupported-hook: hooks in some workgroups only" in result.stdout,
                  "hooks in some workgroups are not refused")


def tools_share_a_file(arguments, directory):
    """Hooks of two tools in one kernel, both with a variable Counts: each counts what it counts alone. A tool that
    changes the code has to be alone."""
    other = f"{directory}/libother-count.so"
    shutil.copy(arguments.count, other)
    original, out, counts = (f"{directory}/{name}" for name in ("original", "out", "counts"))
    compile_kernels(arguments, arguments.kernels, original, 5)
    before, (executed, lanes) = execute(arguments, original, f"{directory}/before")
    instrument(arguments, original, out, "--kernel", "collatzSteps", "--tool", other, tool=arguments.count)
    for tool in ("instr-count", "other-count"):
        after, _ = execute(arguments, out, f"{directory}/after", f"--variable={tool}.Counts.managed@{counts}")
        if after != before:
            raise harness.Failure("results differ")
        with open(counts, "rb") as file:
            counted = struct.unpack("2Q", file.read()[:16])
        if counted != (executed, lanes):
            raise harness.Failure(f"{tool}: counted {counted}, executed {executed}, {lanes}")

    given = ["--kernel", "collatzSteps", "--grid", str(GROUP_SIZE), "--block", str(GROUP_SIZE), "--arg",
             f"out:{4 * GROUP_SIZE}@{directory}/verified", "--lds", str(DYNAMIC_BYTES)]
    result = harness.run([arguments.luthier, "verify", original, "--tool", "instr-count", "--tool", other, *given])
    result.expect(result.code == 0 and "tool: instr-count, " in result.stdout, "not verified with both")
    os.mkdir(f"{directory}/elsewhere")
    namesake = shutil.copy(arguments.count, f"{directory}/elsewhere")
    for tools, why in [(["instr-count", "instr-count"], "is given twice"),
                       ([arguments.count, namesake], "have one name, by which their variables are told apart"),
                       ([arguments.edits, "instr-count"], "has to be the only tool")]:
        options = [text for tool in tools for text in ("--tool", tool)]
        result = harness.run([arguments.luthier, "instrument", arguments.program, "--target", "gfx90a", *options, "-o", out])
        result.expect(result.code == 1 and why in result.stdout + result.stderr, f"not refused: {why}")


def run(arguments, command, statistics, device):
    return harness.run_on_emulator(command, arguments.emulator, device, statistics, LUTHIER_EMULATOR_STRICT="1")


def wave_instructions(statistics):
    return {name: counts["wave_instructions"] for name, counts in harness.kernel_counts(statistics).items()}


def module_of_a_target(arguments, directory):
    """A program loads the file through HIP, finds the hooks' variables by their
    names and reads what was counted: exactly what the emulator counts without
    hooks."""
    original = f"{directory}/original"
    compile_kernels(arguments, arguments.kernels, original, 4)
    statistics = f"{directory}/before.json"
    before = run(arguments, [arguments.loader, original], statistics, arguments.target)
    before.expect(re.fullmatch(r"sum \d+\n", before.stdout), "the original does not run, or has the variables")
    count = wave_instructions(statistics)["collatzSteps"]
    for hooks in HOOKS:
        out = f"{directory}/{hooks}"
        instrument(arguments, original, out, "--kernel", "collatzSteps", hooks=hooks)
        after = run(arguments, [arguments.loader, out], f"{directory}/after.json", arguments.target)
        expected = before.stdout + f"counted {count}, {count} after 1000, 0 wrong\n"
        after.expect(after.stdout == expected, f"{hooks}: not\n{expected}")


def version_5_of_a_target(arguments, directory):
    """HIP 5 does not load this version, but the runtime below it does. Each of 64
    lanes of each launch adds one; that hooks run shows in what the device
    executes in one launch. The program may end before the last one has."""
    original, out = f"{directory}/original", f"{directory}/instrumented"
    compile_kernels(arguments, arguments.rocr_kernels, original, 5)
    instrument(arguments, original, out)
    counts = []
    for file in (original, out):
        statistics = f"{directory}/{len(counts)}.json"
        result = run(arguments, [arguments.rocr_program, file, "3", "1", "wait"], statistics, arguments.target)
        result.expect(result.code == 0 and result.stdout == "192 lanes\n", "not 64 lanes each")
        (executed,) = harness.kernel_counts(statistics).values()
        counts.append(executed["wave_instructions"] / executed["dispatches"])
    result.expect(counts[1] > 2 * counts[0], f"{counts[1]} instructions, before {counts[0]}")


def compare_programs(arguments, directory, program, before, device, instructions):
    """A program with hooks says what it said without, `before`. That hooks run
    shows in what the device executes."""
    statistics = f"{directory}/{device}.json"
    after = run(arguments, [program], statistics, device)
    after.expect(after.code == 0, "the instrumented program fails")
    after.expect(after.digest_line() == before.digest_line(), "results differ")
    hooked = wave_instructions(statistics)
    after.expect(instructions.keys() == hooked.keys(), "other kernels ran")
    for name, count in instructions.items():
        after.expect(hooked[name] > 2 * count, f"{name} executes {hooked[name]} instructions, before {count}")


def program_runs_as_before(arguments, directory):
    """With its bundle, which holds code for several devices, in another place of
    the file."""
    out = f"{directory}/instrumented"
    listed = instrument(arguments, arguments.program, out)
    for device in ("gfx906", "gfx90a", "gfx1030"):
        listed.expect(f"{device}: " in listed.stdout, f"the code for {device} is not instrumented")
        statistics = f"{directory}/before-{device}.json"
        before = run(arguments, [arguments.program], statistics, device)
        compare_programs(arguments, directory, out, before, device, wave_instructions(statistics))


def only_the_target_asked_for_changes(arguments, directory):
    out = f"{directory}/instrumented"
    instrument(arguments, arguments.program, out, "--target", "gfx906")
    for device in ("gfx906", "gfx1030"):
        counts = []
        for program in (arguments.program, out):
            statistics = f"{directory}/{len(counts)}-{device}.json"
            run(arguments, [program], statistics, device).digest_line()
            counts.append(wave_instructions(statistics))
        if (counts[0] == counts[1]) != (device == "gfx1030"):
            raise harness.Failure(f"{device} executes {counts[1]}, before {counts[0]}")


def program_is_instrumented_again(arguments, directory):
    """For another target, in the place of what the first time added."""
    first, second = f"{directory}/first", f"{directory}/second"
    instrument(arguments, arguments.program, first, "--target", "gfx906")
    instrument(arguments, first, second, "--target", "gfx90a")
    for device in ("gfx906", "gfx90a"):
        statistics = f"{directory}/before-{device}.json"
        before = run(arguments, [arguments.program], statistics, device)
        compare_programs(arguments, directory, second, before, device, wave_instructions(statistics))


def compressed_program_runs(arguments, directory):
    """The runtime does not know compressed bundles. Instrumented, there is none."""
    statistics = f"{directory}/before.json"
    before = run(arguments, [arguments.program], statistics, "gfx90a")
    unable = run(arguments, [arguments.compressed_program], f"{directory}/unable.json", "gfx90a")
    unable.expect(unable.code != 0, "compressed bundles do run: this test needs another reason")
    out = f"{directory}/instrumented"
    instrument(arguments, arguments.compressed_program, out)
    compare_programs(arguments, directory, out, before, "gfx90a", wave_instructions(statistics))


def program_in_parts_runs(arguments, directory):
    """Its code object has a note of metadata for each part that the linker
    optimised, and hooks only in one kernel."""
    statistics = f"{directory}/before.json"
    before = run(arguments, [arguments.program_in_parts], statistics, "gfx90a")
    counts = wave_instructions(statistics)
    before.expect(len(counts) > 1, "one kernel: this test needs more")
    for number, name in enumerate(sorted(counts)):
        out = f"{directory}/{number}"
        instrument(arguments, arguments.program_in_parts, out, "--kernel", f"^{name}$")
        after = run(arguments, [out], f"{directory}/after.json", "gfx90a")
        after.expect(after.digest_line() == before.digest_line(), "results differ")
        changed = [name for name, count in wave_instructions(f"{directory}/after.json").items() if count != counts[name]]
        after.expect(changed == [name], f"hooks in {changed}, not in {name}")


CASES = {
    case.__name__.replace("_", "-"): case
    for case in (
        kernels_of_a_target,
        instr_count_of_a_target,
        module_of_a_target,
        version_5_of_a_target,
        counters_need_no_hooks_of_the_tool,
        tools_share_a_file,
        program_runs_as_before,
        only_the_target_asked_for_changes,
        program_is_instrumented_again,
        compressed_program_runs,
        program_in_parts_runs,
    )
}

harness.main(
    [
        (["--program"], {"help": "an example that passes, for gfx906, gfx90a and gfx1030"}),
        (["--compressed-program"], {"help": "the same with a compressed bundle"}),
        (["--program-in-parts"], {"help": "one with several kernels and a note of metadata for each"}),
        (["--kernels"], {"help": "source with kernel collatzSteps"}),
        (["--clang"], {"help": "compiles it"}),
        (["--tool"], {"help": "with hooks for every target"}),
        (["--count"], {"help": "library of instr-count"}),
        (["--kinds"], {"help": "library of kind-count"}),
        (["--places"], {"help": "library of hot-spots"}),
        (["--pointers"], {"help": "library of pointers"}),
        (["--edits"], {"help": "library of a tool that changes code"}),
        (["--loader"], {"help": "a program that runs a code object of the kernels"}),
        (["--rocr-program"], {"help": "the program launches"}),
        (["--rocr-kernels"], {"help": "source of what it runs"}),
        (["--target"], {"help": "for cases that are for one"}),
        (["case"], {"choices": CASES}),
    ],
    lambda arguments, directory: CASES[arguments.case](arguments, directory),
)
