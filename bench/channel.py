# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Records through a channel, from all waves of two GPUs: that none is lost or uncounted, and how fast they arrive."""
import json
import re
import sys
import tempfile

from figures import measured, table
from programs import environment, run

TITLE = "Channels"
# Workgroups of 128 lanes on each of two devices; each lane sends a record in each of so many turns.
GROUPS, TURNS = 3125, 125
DEVICES = "gfx90a,gfx90a"
# For devices that have sent nothing before, one group with one turn each.
FIRST = 2 * 128

EXPLANATION = """\
`bench/channel-waves.hip` on two emulated gfx90a: {sent:,} records of 16 bytes in blocks of 64, of which a thread of the tool
`bench/tools/ChannelLoad.hip` looks at each: its lane, and its number among those of its wave. The run fails if one is
wrong, out of order, or neither consumed nor counted as dropped. A core of the machine emulates each GPU, and the thread that
consumes shares them: the times are those of the emulator, not of hardware.

- *ring*: memory of the channel for each GPU. *peak*: most memory that the process had at any time; without a tool
  that inserts something {alone_peak:.0f} MiB.
- *seconds*: from the first launch until both kernels have ended, {alone:.3f} of them without a tool.
- *MB/s*: bytes of consumed records in this time. *memcpy*: the same for a plain copy of as many bytes, in one thread.
- *instructions*: what a wave executes for each block of 64 records, waiting included.
"""


def launch(build, folder, size, tool):
    statistics = f"{folder}/statistics.json"
    variables = environment(build, LUTHIER_EMULATOR_STATS=statistics, LUTHIER_EMULATED_GPU=DEVICES)
    command = [build / "bin/luthier", "run", "--device", f"emulated:{DEVICES}", "--output", folder,
               "--tool", f"{build}/lib/luthier/tools/libchannel-load.so:{tool}",
               "--", build / "bin/bench/channel-waves", *map(str, size)]
    finished = run(command, variables, folder)
    seconds = measured("time of the kernels", json.loads(finished.stdout)["seconds"])
    with open(statistics) as file:
        executed = sum(kernel["wave_instructions"] for kernel in json.load(file)["kernels"]
                       if kernel["name"].startswith("_Z4turn"))
    told = re.search(r"^channel: (\{.*\})$", finished.stderr, re.M)
    if not told:
        sys.exit(f"error: the tool says nothing: {finished.stderr}")
    return seconds, executed, json.loads(told[1])


def check(title, told, sent, may_drop):
    if told["wrong"] or told["sent"] != sent or told["consumed"] + told["dropped"] != sent:
        sys.exit(f"error: {title}: records are lost or wrong, of {sent}: {told}")
    if told["dropped"] and not may_drop:
        sys.exit(f"error: {title}: records were dropped: {told}")


def section(build, names):
    r"""With a number for \p names, so many groups."""
    groups = int(names) if names else GROUPS
    sent = 2 * groups * 128 * TURNS + FIRST
    with tempfile.TemporaryDirectory() as folder:
        size = (groups, TURNS)
        alone, base, quiet = launch(build, folder, size, "quiet")
        rows = []
        for title, options, may_drop in [("waves wait", "", False), ("records are dropped", "drop", True)]:
            for kib in [64, 1024, 16384]:
                seconds, executed, told = launch(build, folder, size, ",".join(filter(None, [f"kib={kib}", options])))
                check(title, told, sent, may_drop)
                megabytes = measured("bytes of records", told["bytes"]) / 1e6
                rows.append([title, f"{kib:,} KiB", f"{told['consumed']:,}", f"{told['dropped']:,}", f"{seconds:.2f}",
                             f"{megabytes / seconds:,.0f}", f"{megabytes / measured('time of a copy', told['copy']):,.0f}",
                             f"{(executed - base) / (sent / 64):.0f}", f"{told['peak'] / 1024:.0f} MiB"])
    return EXPLANATION.format(sent=sent, alone=alone, alone_peak=quiet["peak"] / 1024) + "\n" + table(
        ["where there is no room", "ring", "consumed", "dropped", "seconds", "MB/s", "memcpy, MB/s", "instructions", "peak"], rows)
