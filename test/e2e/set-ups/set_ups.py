#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Set-ups in which something cannot work: each is said in one line, and the program runs as far as it can."""

import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import harness

# In mounts of its own: /dev as a container may have it, with the driver's name and nothing behind it.
WITH_UNUSABLE_DRIVER = """
new=$(mktemp -d) && mount -t tmpfs none "$new" || exit 77
for device in null zero full random urandom; do
  touch "$new/$device" && mount --bind "/dev/$device" "$new/$device" || exit 77
done
mkdir "$new/kfd" "$new/shm" && mount --move "$new" /dev || exit 77
rmdir "$new"
exec "$@"
"""


class Runs:
    def __init__(self, arguments, directory):
        self.arguments = arguments
        self.directory = directory

    def luthier(self, *words, before=()):
        return harness.run([*before, self.arguments.luthier, "run", "--output", self.directory, *words])

    def says(self, result, text, most=1):
        """In a line, or in `most` lines, and nothing else from Luthier."""
        lines = [line for line in result.stderr.splitlines() if line.startswith("luthier")]
        result.expect(1 <= len(lines) <= most and all(text in line for line in lines), f"luthier says {lines}")

    def unknown_runtime(self):
        """Its tables stay as they are, and no kernel is lost."""
        result = self.luthier("--tool", "instr-count", "--device", "emulated", "--", self.arguments.program)
        result.expect(result.code == 0 and result.stdout == "declined\n", "the program does not go on")
        self.says(result, "interface is of a version that Luthier does not know (tables 9, core 9, AMD extensions 9 of")

    def static(self):
        result = self.luthier("--device", "emulated", "--", self.arguments.program)
        result.expect(result.code == 0 and result.stdout == "no GPU\n", "the program does not run")
        self.says(result, "is statically linked, so it does not find the emulated GPU")

    def static_child(self):
        """However it is started; and of static programs that look for no GPU, nothing is said."""
        spawns = "import os, sys; os.posix_spawn(sys.argv[1], sys.argv[1:], os.environ); os.wait()"
        for start in ["sh", "-c", '"$0"; true'], ["env"], [sys.executable, "-c", spawns]:
            result = self.luthier("--device", "emulated", "--", *start, self.arguments.program)
            result.expect(result.code == 0 and result.stdout == "no GPU\n", "the program does not run")
            self.says(result, f"{self.arguments.program} is statically linked, so it does not find the emulated GPU")
        result = self.luthier("--device", "emulated", "--", "sh", "-c", "/sbin/ldconfig -p; true")
        result.expect("libc.so" in result.stdout and "luthier" not in result.stderr, "something is said")

    def kinds_beyond_the_runtime(self):
        """The first is one that no ROCm before 7 knows, the second is what the program was built for. Each library is told."""
        result = self.luthier("--tool", "instr-count", "--device", "emulated:gfx950,gfx90a", "--", self.arguments.program)
        result.expect(result.code == 0, "the program does not run on the other GPU")
        result.digest_line()
        self.says(result, "does not know the emulated gfx950; the first ROCm that does is 7.0", most=2)

    def only_a_kind_beyond_the_runtime(self):
        """The program has no GPU then. What HIP does is its own affair: version 5 crashes at the first memory."""
        for device in self.arguments.devices.split(","):
            first = {"gfx950": "7.0", "gfx1201": "6.4"}[device]
            result = self.luthier("--tool", "instr-count", "--device", f"emulated:{device}", "--", self.arguments.program)
            result.expect(result.code != 0, "the program has a GPU")
            self.says(result, f"does not know the emulated {device}; the first ROCm that does is {first}", most=2)

    def driver_that_cannot_be_used(self):
        as_root = [] if os.geteuid() == 0 else ["--map-root-user"]
        before = ["unshare", "--mount", "--propagation", "private", *as_root, "sh", "-c", WITH_UNUSABLE_DRIVER, "sh"]
        if subprocess.run(before + ["true"], stderr=subprocess.DEVNULL).returncode != 0:
            print("nobody may mount anything here")
            sys.exit(77)
        why = "this machine has no AMD GPU that can be used (/dev/kfd cannot be opened: Is a directory)"
        native = self.luthier("--device", "native", "--", self.arguments.program, before=before)
        native.expect(native.code == 2, "the program is run")
        self.says(native, why)
        result = self.luthier("--", self.arguments.program, before=before)
        result.expect(result.code == 0, "the program does not run")
        result.digest_line()
        self.says(result, why + "; using the emulated gfx90a")


def test(arguments, directory):
    getattr(Runs(arguments, directory), arguments.case.replace("-", "_"))()


CASES = ["unknown-runtime", "static", "static-child", "kinds-beyond-the-runtime", "only-a-kind-beyond-the-runtime",
         "driver-that-cannot-be-used"]
harness.main([(["--devices"], {"default": "gfx950"}), (["case"], {"choices": CASES}), (["program"], {})], test)
