#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs kernels of bench/divergence/study.hip under the tool branch-divergence and compares what it says of
each branch with what the emulator has counted at its instruction, and, of some, with what the kernels'
source says, computed here wave by wave."""

import harness
from harness import Failure

WAVE = 64


def total(splits):
    """Of a branch, from how many lanes each wave has there and how many of them go one way."""
    counts = [0, 0, 0, 0]
    for active, taken in splits:
        counts[0] += 1
        counts[1] += taken in (0, active)
        counts[2] += active
        counts[3] += taken
    return counts


def lanes(condition, width, height):
    """For each wave of a workgroup, its lanes, and those for which the condition of x and y holds."""
    items = [(i % width, i // width) for i in range(width * height)]
    for first in range(0, len(items), WAVE):
        wave = items[first:first + WAVE]
        yield len(wave), sum(bool(condition(x, y)) for x, y in wave)


def tile(condition, groups=4096):
    """The same, of workgroups of 16 times 16 that all do the same."""
    return list(lanes(condition, 16, 16)) * groups


def guard(count, group):
    """`if (item < count)`."""
    for first in range(0, -(-count // group) * group, WAVE):
        yield WAVE, max(0, min(WAVE, count - first))


def fan2(size=256, side=4):
    """Both guards decide together; then who has the right side to do."""
    inside, right = [], []
    for step in range(size - 1):
        for block_y in range(size // side):
            rows = max(0, min(side, size - step - side * block_y))
            for block_x in range(size // side):
                columns = max(0, min(side, size - 1 - step - side * block_x))
                inside.append((side * side, rows * columns))
                if rows * columns:
                    right.append((rows * columns, columns if block_y == 0 else 0))
    return [inside, right]


EXPECTED = {
    "layerForward": lambda: {
        "layerForward": [tile(lambda x, y: x == 0), *(tile(lambda x, y, n=n: y % n == 0) for n in (2, 4, 8, 16)),
                         tile(lambda x, y: x == 0)]},
    # Only the first workgroup has the bias to do.
    "adjustWeights": lambda: {
        "adjustWeights": [tile(lambda x, y: y == 0, 1) + tile(lambda x, y: False, 4095)]},
    "fan2": lambda: {
        "fan1": [[(WAVE, max(0, min(WAVE, 255 - step - first))) for step in range(255) for first in range(0, 256, WAVE)]],
        "fan2": fan2()},
    "euclid": lambda: {"euclid": [list(guard(42764, 256))]},
}


def fits(branch, expected):
    """Which way lanes jump is the compiler's choice."""
    executed, agreed, active, taken = expected
    told = [branch[field] for field in ("executed", "agreed", "lanes", "taken")]
    return told in ([executed, agreed, active, taken], [executed, agreed, active, active - taken])


def emulator_counts(arguments, directory):
    """By kernel and address, how often waves executed an instruction of the program, and with how many lanes."""
    path = f"{directory}/counts"
    result = harness.run([arguments.luthier, "run", "--counts", path, "--device", "emulated:gfx90a", "--",
                          arguments.study, arguments.kernel])
    result.expect(result.code == 0, "the program fails without the tool")
    return {kernel["name"]: {address: (waves, lanes) for address, waves, lanes in kernel["instructions"]}
            for kernel in harness.read_json(path)["kernels"]}


def check_counts(kernel, counts):
    """Against the emulator. Behind an instruction that takes lanes out of EXEC, the others are active."""
    addresses = sorted(counts)
    for branch in kernel["branches"]:
        at = branch["address"]
        if (branch["executed"], branch["lanes"]) != counts.get(at, (0, 0)):
            raise Failure(f"{kernel['name']}: {branch}, the emulator counts {counts.get(at)}")
        if not branch["instruction"].startswith("s_cbranch") and branch["executed"]:
            behind = counts[addresses[addresses.index(at) + 1]]
            if behind != (branch["executed"], branch["taken"]):
                raise Failure(f"{kernel['name']}: {branch}, the emulator counts {behind} behind it")


def test(arguments, directory):
    told_by_emulator = emulator_counts(arguments, directory)
    expected = {kernel: [total(splits) for splits in branches] for kernel, branches in EXPECTED.get(arguments.kernel, dict)().items()}
    for settings in ({}, {"LUTHIER_BRANCHES_IN_LDS": "1"}, {"LUTHIER_BRANCHES_IN_MEMORY": "1"}):
        result = harness.run(
            [arguments.luthier, "run", "--tool", "branch-divergence", "--device", "emulated:gfx90a"]
            + ["--output", directory, "--", arguments.study, arguments.kernel],
            settings,
        )
        result.expect(result.code == 0, "the program fails under the tool")
        told = harness.read_json(f"{directory}/branch-divergence.json")
        result.expect(not told["refused"], f"refused: {told['refused']}")
        result.expect(any(kernel["branches"] for kernel in told["kernels"]), "no branch was counted")
        for kernel in told["kernels"]:
            check_counts(kernel, told_by_emulator[kernel["name"]])
        for kernel, branches in expected.items():
            found = [k for k in told["kernels"] if k["name"].startswith(f"_Z{len(kernel)}{kernel}")]
            if len(found) != 1 or len(found[0]["branches"]) != len(branches):
                raise Failure(f"{kernel} has {len(branches)} branches, not as in {told}")
            for branch, counts in zip(found[0]["branches"], branches):
                if not fits(branch, counts):
                    raise Failure(f"{kernel}: {branch}, expected {counts}")


if __name__ == "__main__":
    harness.main(
        [
            (["--study"], {"help": "the program"}),
            (["kernel"], {"help": "its argument"}),
        ],
        test,
    )
