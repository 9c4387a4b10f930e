#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Where a disk is full, a process's report is empty, or is the one of some time before
its end, though the process ends well. `luthier pgo collect` says so, and does not call
the profile of what is left whole. Of a process that is killed, it has what hooks had
counted some time before."""

import os

from builds import ARGUMENTS, Builds, harness
from three_ways import samples

# What is left in place of the report is made by a shell, once the program has ended.
FOLDER = '"$LUTHIER_PGO_FOLDER"'
EMPTY = f"for file in {FOLDER}/%s*.json; do : > $file; done"
EARLIER = f"""sed -i 's/"process"/"ended": "not yet: counts of its first 9 ms", "process"/' {FOLDER}/block-count.json"""
NOTHING_WRITTEN = "partial-profile: what a process counted cannot be read: nothing is written in it"
NOT_WRITTEN = "what its hooks counted was not written at its end"


def test(arguments, directory):
    builds = Builds(arguments, directory)
    program = builds.compile("program", builds.flags("collect", "--route", "probes"))
    path, partial = f"{directory}/app.prof", f"{directory}/app.partial.prof"

    def collect(way, script, *options):
        command = [arguments.luthier, "pgo", "collect", "--device", f"emulated:{arguments.device}", "--text", "-o", path,
                   "--count-by", way, *options, "--", "sh", "-c", script]
        return harness.run(command)

    for way, name in (("emulator", "counts-"), ("hooks", "block-count")):
        # Of two processes, one has written.
        twice = f"{program} && {EMPTY % name} && {program}"
        for script, profile in ((f"{program} && {EMPTY % name}", None), (twice, partial)):
            result = collect(way, script)
            result.expect(result.code == 1 and not os.path.exists(path), "a profile without a process's counts is called whole")
            # Without a profile, one reason is given.
            if way == "emulator" or profile:
                result.expect_in_stderr(NOTHING_WRITTEN)
            if way == "hooks":
                result.expect_in_stderr(NOT_WRITTEN)
            result.expect(os.path.exists(partial) == bool(profile), "not the profile of what there is")
            if profile:
                os.remove(profile)

    result = collect("hooks", f"{program} && {EARLIER}")
    result.expect(result.code == 1 and not os.path.exists(path), "counts of some time before the end are called whole")
    result.expect_in_stderr(NOT_WRITTEN)
    os.remove(partial)
    # The run that finds calls is the first one, or the profile would be whole.
    for step, (loss, said) in enumerate((
        ("kill -SEGV $$", "it ended with 139"),
        (': > "$LUTHIER_OUTPUT/block-count.json"', "what a process counted cannot be read: nothing is written in it"),
        (EARLIER.replace("LUTHIER_PGO_FOLDER", "LUTHIER_OUTPUT"), "was killed"),
    )):
        once = f"{directory}/once{step}"
        result = collect("emulator", f"{program}; [ -e {once} ] || {{ touch {once}; {loss}; }}", "--calls")
        result.expect(result.code == 1 and not os.path.exists(path), "a profile without all calls is called whole")
        result.expect_in_stderr("partial-profile: calls through pointers may be missing: in the run that finds them, ")
        result.expect_in_stderr(said)
        os.remove(partial)

    result = collect("hooks", f"exec {program} SIGKILL {FOLDER}/block-count.json")
    result.expect(result.code == 128 + 9 and not os.path.exists(path), "the profile of a process that was killed is called whole")
    result.expect_in_stderr("was killed; what it counted is that of some time before, or lost")
    with open(partial) as file:
        counted = samples(file.read())[0]
    # 20 waves in a launch.
    result.expect(counted.get("counting", {}).get(1, 0) >= 20, f"not the counts of a launch: {counted}")
    os.remove(partial)

    # What is kept besides the profile comes after it.
    counting, raw = builds.compile("counting", builds.flags("collect", "--route", "counters")), f"{directory}/raw"
    result = collect("emulator", f"{counting} && rmdir {raw}", "--keep-raw", raw)
    result.expect(result.code == 1 and os.path.exists(path), "the profile is lost with the raw ones")
    result.expect_in_stderr(f"luthier pgo: cannot write {raw}/")
    os.remove(path)

    result = collect("hooks", program)
    result.expect(result.code == 0 and os.path.exists(path), "a whole profile is called partial")
    os.remove(path)


if __name__ == "__main__":
    harness.main(ARGUMENTS, test)
