#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs kernels of bench/divergence/study.hip under the tool branch-divergence and compares what it says of
each branch with what the kernels' source says, computed here wave by wave."""

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


def test(arguments, directory):
    expected = {kernel: [total(splits) for splits in branches] for kernel, branches in EXPECTED[arguments.kernel]().items()}
    for settings in ({}, {"LUTHIER_BRANCHES_IN_MEMORY": "1"}):
        result = harness.run(
            [arguments.luthier, "run", "--tool", "branch-divergence", "--device", "emulated:gfx90a"]
            + ["--output", directory, "--", arguments.study, arguments.kernel],
            settings,
        )
        result.expect(result.code == 0, "the program fails under the tool")
        told = harness.read_json(f"{directory}/branch-divergence.json")
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
