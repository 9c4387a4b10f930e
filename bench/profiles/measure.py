# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What collecting a profile costs a program, and what the next compilation gains by it, on each route. All of it is
counted by the emulated GPU: every run gives the same."""
import dataclasses
import hashlib
import json
import pathlib
import re
import shlex
import subprocess

LLVM = "/usr/lib/llvm-22/bin"
TARGET = "gfx90a"
# Products and sums that the source has in one expression are fused, wherever it stands, so that builds round alike. The
# default, fast, leaves to the optimiser what it fuses.
EXACT = "-ffp-contract=on"
# What the judge calls a change.
TOLERANCE = 0.01
COUNTERS = ("counters", "ir", "cs")
RELEASES = ("probes", "lines")
WEIGHTS = ("waves", "lanes")
# The weights of a profile that knows which functions are called through pointers, too.
WITH_CALLS = "waves, --calls"
COSTS = ("wave_instructions", "lane_instructions", "cycles")
# Of all kernels of a program, the largest; spills are added up.
RESOURCES = ("vgprs", "sgprs", "scratch_bytes", "waves_per_simd")
SPILLS = ("vgpr_spill_count", "sgpr_spill_count")
LIMIT_SECONDS = 900


class Unusable(Exception):
    """Why there is no figure: a build or a run has failed."""


def run(command):
    try:
        return subprocess.run([str(word) for word in command], capture_output=True, text=True, errors="replace",
                              stdin=subprocess.DEVNULL, timeout=LIMIT_SECONDS)
    except subprocess.TimeoutExpired:
        raise Unusable(f"no end after {LIMIT_SECONDS} s")


def first_error(text):
    """The line that says why."""
    lines = [line for line in text.splitlines() if re.search("error|undefined symbol|LLVM ERROR|Assertion", line)]
    return (lines or text.splitlines()[-1:] or ["no message"])[0].strip()[-200:]


def without_runtime(kernels):
    """Those of the program: the runtime's own copy and fill."""
    return {name: costs for name, costs in kernels.items() if not name.startswith(("rocr.", "__amd_rocclr"))}


@dataclasses.dataclass
class Code:
    """Of a build for the device."""

    text: str  # A digest of the machine code.
    loaded: str  # A digest of all that is loaded.
    spills: dict  # How many registers, by kernel.


class Measurement:
    """Builds and runs of one program; files are left in the folder."""

    def __init__(self, program, toolchain, folder):
        self.program, self.toolchain, self.folder = program, toolchain, pathlib.Path(folder)
        self.objects, self.hosts = [], []
        # By digest of what is loaded.
        self.judged = {}
        self.luthier = [*toolchain.within, toolchain.build / "bin/luthier"]

    def flags(self, *request):
        libraries = ["--device-libraries", self.toolchain.sample_libraries] if "use" in request else []
        result = run([self.toolchain.build / "bin/luthier", "pgo", "flags", *request, *libraries])
        if result.returncode:
            raise Unusable(first_error(result.stderr))
        return shlex.split(result.stdout)

    def compile(self, name, flags=()):
        """The path of a program. Profiles change the device's code alone, so the host's is compiled once."""
        if not self.objects:
            self.objects = [self.compile_host(number, source) for number, source in enumerate(self.program.sources)]
            self.hosts = [self.compile_host(source.stem, source, "--offload-host-only") for source in self.program.hosts]
        objects = []
        for number, (source, host) in enumerate(zip(self.program.sources, self.objects)):
            bundle, object = self.folder / f"{number}.fatbin", self.folder / f"{name}.{number}.o"
            self.compiler(*flags, source, "--offload-device-only", "--gpu-bundle-output", "-c", "-o", bundle)
            self.expect_success([f"{LLVM}/llvm-objcopy", f"--update-section=.hip_fatbin={bundle}", host, object])
            objects.append(object)
        path = self.folder / name
        self.expect_success([f"{LLVM}/clang++", *objects, *self.hosts, "-o", path, *self.program.libraries,
                             *self.toolchain.libraries])
        return path

    def compile_host(self, name, source, *flags):
        path = self.folder / f"{name}.o"
        self.compiler(source, *flags, "-c", "-o", path)
        return path

    def compiler(self, *arguments):
        self.expect_success([f"{LLVM}/clang++", *self.toolchain.flags, f"--offload-arch={TARGET}", "-w", "-O3", EXACT,
                             *self.program.flags, *arguments])

    def code(self, path):
        text, loaded, spills, current = hashlib.sha256(), hashlib.sha256(), {}, {}
        bundle, object, part = (self.folder / f"code.{kind}" for kind in ("fatbin", "co", "part"))
        for number in range(len(self.program.sources)):
            self.expect_success([f"{LLVM}/llvm-objcopy", f"--dump-section=.hip_fatbin={bundle}", f"{path}.{number}.o",
                                 "/dev/null"])
            target = f"hipv4-amdgcn-amd-amdhsa--{TARGET}"
            self.expect_success([f"{LLVM}/clang-offload-bundler", "--unbundle", "--type=o", f"--targets={target}",
                                 f"--input={bundle}", f"--output={object}"])
            for digest, flag, to in ((text, f"--dump-section=.text={part}", "/dev/null"), (loaded, "--strip-all", part)):
                self.expect_success([f"{LLVM}/llvm-objcopy", flag, object, to])
                digest.update(part.read_bytes())
            for key, value in re.findall(r"^ +\.(name|[sv]gpr_spill_count): +(\S+)$",
                                         run([f"{LLVM}/llvm-readobj", "--notes", object]).stdout, re.M):
                if key == "name":
                    current = spills.setdefault(value, {})
                else:
                    current[key] = int(value)
        return Code(text.hexdigest(), loaded.hexdigest(), spills)

    def judge(self, before, after):
        """How the second build behaves beside the first. What is loaded alike runs alike: it is judged once."""
        code = self.code(after)
        if code.loaded not in self.judged:
            self.judged[code.loaded] = self.judge_anew(before, after, code)
        return self.judged[code.loaded]

    def judge_anew(self, before, after, code):
        report = self.folder / "judged.json"
        result = run([*self.luthier, "pgo", "judge", "--before", before, "--after", after, "--json", report, *self.ignored(),
                      "--", *self.program.arguments])
        if "NOT COMPARABLE" in result.stdout:
            raise Unusable("prints something else in each run")
        if "DIFFERENT OUTPUT" in result.stdout:
            return {"verdict": "DIFFERENT"}
        if result.returncode:
            raise Unusable(first_error(result.stderr))
        kernels = without_runtime({kernel["name"]: {side: kernel[side] for side in ("before", "after")}
                                   for kernel in json.loads(report.read_text())["kernels"]})
        for side, spills in (("before", self.code(before).spills), ("after", code.spills)):
            for name, counts in spills.items():
                if name in kernels and kernels[name][side]:
                    kernels[name][side].update(counts)
        return {"verdict": "same", **{side: total([kernel[side] for kernel in kernels.values() if kernel[side]])
                                      for side in ("before", "after")},
                "kernels": {name: sides for name, sides in kernels.items() if sides["before"] != sides["after"]}}

    def drop_worse(self, before, after, profile):
        """Takes kernels that became worse out of the profile."""
        self.expect_success([*self.luthier, "pgo", "judge", "--before", before, "--after", after, "--drop-worse", profile,
                             *self.ignored(), "--", *self.program.arguments])

    def ignored(self):
        return [word for regex in self.program.ignored for word in ("--ignore", regex)]

    def profile_of_counters(self, route, program, first=None):
        path = self.folder / f"{route}.profdata"
        if first:
            path.write_bytes(first.read_bytes())
        self.expect_success([*self.luthier, "pgo", "collect", "--device", f"emulated:{TARGET}", "-o", path,
                             *(["--add"] if first else []), "--", program, *self.program.arguments])
        return path

    def profile_of_blocks(self, name, program, *options):
        path = self.folder / name
        path.unlink(missing_ok=True)
        self.expect_success([*self.luthier, "pgo", "collect", "--device", f"emulated:{TARGET}", "-o", path, *options,
                             "--", program, *self.program.arguments])
        return path

    def expect_success(self, command):
        result = run(command)
        if result.returncode:
            raise Unusable(first_error(result.stderr))
        return result

    def counted_by_hooks(self, program):
        """What all kernels cost with the hooks of the tool that counts blocks."""
        stats = self.folder / "hooks.json"
        self.expect_success([*self.luthier, "run", "--device", f"emulated:{TARGET}", "--tool", "block-count", "--stats",
                             stats, "--output", self.folder / "hooks", "--", program, *self.program.arguments])
        kernels = without_runtime({kernel["name"]: kernel for kernel in json.loads(stats.read_text())["kernels"]})
        return total(kernels.values())

    def marked(self, program):
        """Per cent of the instructions that waves executed that probes mark, and that lines are known of."""
        shown = self.expect_success([*self.luthier, "pgo", "show", "--device", TARGET, "--no-branches", "--no-loads",
                                     "--no-source", "--", program, *self.program.arguments]).stdout
        sums = {"probes mark": [0, 0], "lines are known of": [0, 0]}
        # A kernel's name stands at the beginning of a line.
        for kernel in re.split(r"^(?=\S)", shown, flags=re.M):
            executed = sum(int(waves) * int(count) for waves, count in
                           re.findall(r"^ +[0-9a-f]+ +(\d+) +(?:[\d.]+|-) +(\d+) ", kernel, re.M))
            for what, (done, whole) in sums.items():
                if found := re.search(rf"{what} ([\d.]+) %", kernel):
                    sums[what] = [done + float(found[1]) * executed, whole + executed]
        return {what.split()[0]: done / whole for what, (done, whole) in sums.items() if whole}


def total(kernels):
    result = {}
    for kernel in kernels:
        for key in (*COSTS, *SPILLS):
            if key in kernel:
                result[key] = result.get(key, 0) + kernel[key]
        for key in RESOURCES:
            if key in kernel:
                result[key] = (min if key == "waves_per_simd" else max)(result.get(key, kernel[key]), kernel[key])
    return result


def attempt(emit, what, action):
    """Emits what the action returns as a record, or why there is none."""
    try:
        record = action()
    except Unusable as reason:
        record = {"verdict": f"fails: {reason}"}
    emit({**what, **record})
    return record


def measure(program, toolchain, folder, emit, routes=(*COUNTERS, *RELEASES)):
    """Emits a record for each build and run, at once."""
    m = Measurement(program, toolchain, folder)
    try:
        plain = m.compile("plain")
        text = m.code(plain).text
    except Unusable as reason:
        emit({"kind": "plain", "verdict": f"fails: {reason}"})
        return
    if attempt(emit, {"kind": "plain"}, lambda: m.judge(plain, plain))["verdict"] != "same":
        return
    profiles = {}
    for route in filter(routes.__contains__, COUNTERS):
        attempt(emit, {"kind": "collect", "route": route}, lambda: collect_by_counters(m, plain, route, profiles))
        if route in profiles:
            use_and_keep(m, plain, {"route": route, "weights": "lanes"}, lambda: copied(profiles[route]), emit)
    for route in filter(routes.__contains__, RELEASES):
        measure_release(m, plain, text, route, emit)


def collect_by_counters(m, plain, route, profiles):
    first = profiles.get("ir") if route == "cs" else None
    if route == "cs" and not first:
        raise Unusable("there is no profile of ir")
    built = m.compile(f"{route}-counting", m.flags("collect", "--route", route, *(["--profile", first] if first else [])))
    record = m.judge(plain, built)
    # A wrong build must not be counted: its profile would be of another program.
    if record["verdict"] == "same":
        profiles[route] = m.profile_of_counters(route, built, first)
    return record


def copied(profile):
    """cs reads the profile of ir, with all of its kernels."""
    copy = profile.with_name("copied.profdata")
    copy.write_bytes(profile.read_bytes())
    return copy


def use_and_keep(m, plain, what, collect, emit):
    """What a build gains by a profile, and what `luthier pgo optimize` leaves of that."""
    profile = None

    def use():
        nonlocal profile
        profile = collect()
        return m.judge(plain, compiled())

    def compiled():
        return m.compile("used", m.flags("use", profile, "--route", what["route"]))

    record = attempt(emit, {"kind": "use", **what}, use)
    if record["verdict"] == "same":
        attempt(emit, {"kind": "kept", **what}, lambda: kept(m, plain, compiled, profile, record))


def kept(m, plain, compiled, profile, judged):
    """Kernels that became worse are taken out of the profile, until none is left or those that are left are not in it. The
    build without a profile stays where all kernels together gain nothing."""
    before, dropped = judged["before"], set()
    while judged["verdict"] == "same" and (worse := changed(judged, lambda growth: growth > 1 + TOLERANCE)) - dropped:
        dropped |= worse
        m.drop_worse(plain, m.folder / "used", profile)
        judged = m.judge(plain, compiled())
    gains = judged["verdict"] == "same" and judged["after"]["cycles"] < before["cycles"] and bool(
        changed(judged, lambda growth: growth < 1 - TOLERANCE))
    return {"verdict": "same", "before": before, "after": judged["after"] if gains else before, "is_used": gains}


def changed(judged, how):
    """Kernels of both builds whose cycles grew so."""
    return {name for name, sides in judged["kernels"].items()
            if sides["before"] and sides["after"] and how(sides["after"]["cycles"] / sides["before"]["cycles"])}


def measure_release(m, plain, text, route, emit):
    release = None

    def build():
        nonlocal release
        release = m.compile(f"{route}-release", m.flags("collect", "--route", route))
        judged = m.judge(plain, release)
        if judged["verdict"] != "same":
            return judged
        return {**judged, "same_code": m.code(release).text == text, "marked": m.marked(release)}

    if attempt(emit, {"kind": "release", "route": route}, build)["verdict"] != "same":
        return
    if route == "lines":
        attempt(emit, {"kind": "hooks", "route": route}, lambda: count_by_hooks(m, release))
    for weights in (*WEIGHTS, *([WITH_CALLS] if m.program.has_calls else [])):
        options = ["--weights", *weights.split(", ")]
        use_and_keep(m, plain, {"route": route, "weights": weights}, lambda: m.profile_of_blocks(
            f"{route}-profile", release, "--route", route, *options), emit)


def measure_hooks(program, toolchain, folder, emit):
    """The same as measure() does of hooks, alone."""
    m = Measurement(program, toolchain, folder)
    attempt(emit, {"kind": "hooks", "route": "lines"},
            lambda: count_by_hooks(m, m.compile("lines-release", m.flags("collect", "--route", "lines"))))


def count_by_hooks(m, release):
    """Of the release with lines, whose code is that of the one without."""
    by_hooks = m.profile_of_blocks("by-hooks", release, "--route", "lines", "--count-by", "hooks").read_bytes()
    by_emulator = m.profile_of_blocks("by-emulator", release, "--route", "lines").read_bytes()
    return {"verdict": "same", "same_profile": by_hooks == by_emulator, "after": m.counted_by_hooks(release)}
