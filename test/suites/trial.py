# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs the tests of one program in as many starts as it takes: a test that does not end
in its time is cut off, one that takes the program with it has failed, and the program
starts again with the tests behind it."""

import glob
import os
import select
import signal
import subprocess
import time
from dataclasses import dataclass, field

# Seconds of the processor do not depend on what else the machine does, but nothing that
# waits for ever uses any: so many seconds of the clock end a test as well as one of those.
PATIENCE = 100


@dataclass
class Limits:
    """In seconds of the processor."""

    test: float
    whole: float  # For all tests, but not for what a program does before its first one.
    start: float = 300  # A program's first test may come late.


@dataclass
class Trial:
    results: dict = field(default_factory=dict)  # By test, True if it passed.
    skipped: set = field(default_factory=set)
    cut_off: list = field(default_factory=list)
    died: dict = field(default_factory=dict)  # By test that the program ended in, what with.
    text: str = ""
    seconds: float = 0  # Of the processor.
    tested: float = 0  # Those of them behind the starts' first tests.
    code: int | None = None  # What the last start ended with, if it did.
    stopped: str | None = None  # The limit that ended it: "whole" or "test", if one did.

    def done(self):
        return self.results.keys() | self.skipped | set(self.cut_off)


def evenly(tests, most, offset=0):
    """Each k-th test, with the smallest k that leaves no more than MOST, and k."""
    step = max(1, -(-len(tests) // most)) if most else 1
    return tests[offset % step :: step], step


def processes_of(session):
    """By process, its seconds of the processor and its ended children's."""
    found = {}
    for path in glob.glob("/proc/[0-9]*/stat"):
        try:
            with open(path) as file:
                fields = file.read().rpartition(")")[2].split()
        except OSError:
            continue
        if int(fields[3]) == session:
            found[int(path.split("/")[2])] = sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK")
    return found


class Start:
    """One start of a program, watched while it runs."""

    LOOK = 0.25  # Seconds of the clock between two looks at what it has used.

    def __init__(self, command, suite, limits):
        self.suite, self.limits = suite, limits
        self.process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                        start_new_session=True)
        self.seconds, self.looked = 0.0, 0.0
        self.running = None  # The test that has begun and not ended.
        self.in_tests = False
        self.first = 0.0  # What had been used when the first test began.
        self.mark()
        self.stopped = None  # By which limit.
        self.text = self.watch()

    def mark(self):
        """A test has begun or ended."""
        self.marked, self.marked_at = self.seconds, time.monotonic()

    def watch(self):
        text, rest, chunk = [], b"", None
        while chunk != b"":
            ready, _, _ = select.select([self.process.stdout], [], [], self.LOOK)
            chunk = os.read(self.process.stdout.fileno(), 1 << 16) if ready else None
            *lines, rest = (rest + (chunk or b"")).split(b"\n")
            for line in lines:
                text.append(line.decode(errors="replace"))
                self.read(text[-1])
            if time.monotonic() - self.looked > self.LOOK:
                self.look()
        self.process.stdout.close()
        _, status, used = os.wait4(self.process.pid, 0)
        self.process.returncode = os.waitstatus_to_exitcode(status)
        self.seconds = max(self.seconds, used.ru_utime + used.ru_stime)
        return "\n".join(text + [rest.decode(errors="replace")])

    def read(self, line):
        begun, ended = self.suite.progress(line)
        if begun or ended:
            self.measure()
            if not self.in_tests:
                self.in_tests, self.first = True, self.seconds
            self.running = begun
            self.mark()

    def tested(self):
        """All of the time where nothing tells when the first test begins."""
        return self.seconds - self.first if self.in_tests or not self.suite.select else 0

    def measure(self):
        processes = processes_of(self.process.pid)
        self.seconds = max(self.seconds, sum(processes.values()))
        return processes

    def look(self):
        self.looked = time.monotonic()
        processes = self.measure()
        limit = self.limits.test if self.in_tests else self.limits.start
        # Where nothing tells when the first test begins, no start ends.
        is_late = self.seconds - self.marked > limit and (self.in_tests or self.suite.select)
        if self.tested() > self.limits.whole:
            self.stopped = "whole"
        elif is_late or self.looked - self.marked_at > PATIENCE * limit:
            self.stopped = "test"
        for process in processes if self.stopped else ():
            os.kill(process, signal.SIGKILL)


def run_tests(command_of, suite, tests, limits):
    """COMMAND_OF a list of tests, or None for all where TESTS is None."""
    trial = Trial()
    asked = None if tests is None else set(tests)
    while True:
        done = trial.done()
        only = None if tests is None else [test for test in tests if test not in done]
        left = Limits(limits.test, limits.whole - trial.tested, limits.start)
        if only == []:
            return trial
        if left.whole <= 0:
            trial.stopped = "whole"
            return trial
        start = Start(command_of(only), suite, left)
        trial.seconds += start.seconds
        trial.tested += start.tested()
        trial.text += start.text
        # Some programs run tests that were not selected.
        trial.results.update((test, ok) for test, ok in suite.results(start.text).items() if asked is None or test in asked)
        trial.skipped |= suite.skipped(start.text)
        trial.code, trial.stopped = (None if start.stopped else start.process.returncode), start.stopped
        if start.stopped == "test" and start.running:
            # Some programs start a test again that was not selected.
            if start.running not in trial.cut_off:
                trial.cut_off.append(start.running)
        elif not start.stopped and start.running:
            trial.died[start.running] = trial.code
            trial.results[start.running] = False
        else:
            return trial
        if tests is None or len(trial.done()) == len(done) or not suite.select:
            return trial
