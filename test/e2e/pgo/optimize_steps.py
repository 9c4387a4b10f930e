#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What `luthier pgo optimize` leaves where its steps fail or are interrupted. The
compiler is a script, and so is the program it makes, which has no profile: so each
run that collects fails."""

import os
import signal
import subprocess

import builds  # noqa: F401 (the path of harness)
import harness

COMPILER = """#!/bin/sh
if [ "$1" = --version ]; then
  echo "clang version 22.1.8"
  exit
fi
for output; do :; done
cat > "$output" <<end
#!/bin/sh
if [ "\\$1" = is-interrupted ]; then
  kill -INT 0
  while :; do :; done # Another thread may be given the signal first.
fi
cat > "\\$1"
exit 7
end
chmod +x "$output"
"""


class Steps:
    def __init__(self, luthier, directory):
        self.luthier, self.directory = luthier, directory
        self.program, self.compiler = f"{directory}/program", f"{directory}/clang"
        self.folders, self.profile = f"{directory}/folders", f"{directory}/program.prof"
        os.mkdir(self.folders)
        self.write(self.compiler, COMPILER)
        os.chmod(self.compiler, 0o755)
        self.write(self.profile, "an earlier one")

    def write(self, path, text):
        with open(path, "w") as file:
            file.write(text)

    def run(self, argument, *options, building=()):
        """In a session of its own, whose processes all get the keyboard's signals."""
        command = [self.luthier, "pgo", "optimize", *options, "--", *(building or [self.compiler, "a.hip", "-o", self.program]),
                   "--", self.program, argument]
        before = set(os.listdir(self.directory)) | {"program", "seen"}
        process = subprocess.run(
            command, stdin=subprocess.DEVNULL, capture_output=True, timeout=harness.timeout_seconds,
            env={**harness.clean_environment(), "TMPDIR": self.folders}, umask=0o027, start_new_session=True,
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))
        result = harness.Result(command, process)
        result.expect(not os.listdir(self.folders), "temporary files are left")
        result.expect(set(os.listdir(self.directory)) <= before, "there is something else beside the program")
        with open(self.profile) as file:
            result.expect(file.read() == "an earlier one", "the profile that was there is gone")
        return result


def test(arguments, directory):
    steps = Steps(arguments.luthier, directory)
    result = steps.run("is-interrupted")
    result.expect(result.code == 130, "an interruption is not told")
    result.expect(not os.path.exists(steps.program), "there is a program though nobody waits for it")

    # A build makes the program where it is; what counts is not left there.
    build = f'{steps.compiler} -o {steps.program} && echo "# with $LUTHIER_PGO_FLAGS" >> {steps.program}'
    options = ["--program", steps.program, "--compiler", steps.compiler]
    for argument, code in (("is-interrupted", 130), (f"{directory}/seen", 4)):
        result = steps.run(argument, *options, building=["sh", "-c", build])
        result.expect(result.code == code, "what became of a build is not told")
        with open(steps.program) as file:
            result.expect(file.read().endswith("# with \n"), "the program that counts is left")
    os.remove(steps.program)

    steps.write(f"{directory}/input", "what it reads")
    seen = f"{directory}/seen"
    result = steps.run(seen, "--input", f"{directory}/input")
    result.expect(result.code == 4, "a run that fails makes a profile")
    result.expect_in_stderr("no profile: collect ended with 7")
    result.expect(os.stat(steps.program).st_mode & 0o777 == 0o750, "permissions are not those of the umask")
    with open(seen) as file:
        result.expect(file.read() == "what it reads", "the run has not read --input")
    result = steps.run(seen, "--lenient")
    result.expect(result.code == 0, "--lenient does not end with 0")
    result.expect(os.path.getsize(seen) == 0, "the run has read something")

    os.remove(steps.program)
    os.mkdir(steps.program)
    result = steps.run(seen)
    result.expect(result.code == 1, "a program was put in place of a folder")
    result.expect_in_stderr(f"cannot write {steps.program}: ")


if __name__ == "__main__":
    harness.main([], test)
