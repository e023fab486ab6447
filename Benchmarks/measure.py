"""Runs commands in turn as whole processes, and measures time and memory."""
import dataclasses
import json
import os
import statistics
import subprocess
import sys
import time

os.environ["MESHPIPE_CACHE"] = "none"  # each run does all of its work


@dataclasses.dataclass
class Run:
    wall: float
    cpu: float
    peak: int  # bytes


class Failed(SystemExit):
    """A command that did not succeed; ends the script where nobody catches it."""


def run(command, errors=subprocess.DEVNULL):
    """Runs a command to its end; what it prints is thrown away, and what it says of errors by default."""
    command = [str(word) for word in command]
    start = time.perf_counter()
    process = subprocess.Popen(
        command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=errors)
    _, status, usage = os.wait4(process.pid, 0)
    if status:
        raise Failed(f"failed: {' '.join(command)}")
    return Run(time.perf_counter() - start, usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024)


def in_turn(commands, times):
    """The runs of each command; the first command of each round is another one, so that none is favoured."""
    names = list(commands)
    runs = {name: [] for name in names}
    for turn in range(times):
        for name in names[turn % len(names):] + names[:turn % len(names)]:
            runs[name].append(run(commands[name]))
    return runs


def medians(runs):
    return Run(*(statistics.median(getattr(one, field.name) for one in runs) for field in dataclasses.fields(Run)))


def stages(meshpipe, *words):
    """CPU seconds, seconds by the clock and MB of `meshpipe run`, the peak of its stages alone."""
    start = time.perf_counter()
    before = os.times()
    subprocess.run(
        [meshpipe, "run", *words, "--force", "--report", "log.json"], stderr=subprocess.DEVNULL, check=True)
    after = os.times()
    cpu = after.children_user + after.children_system - before.children_user - before.children_system
    # What the system tells of a child begins with the memory of this process.
    peak = max(stage["peakMemoryBytes"] for stage in json.load(open("log.json"))["stages"])
    return cpu, time.perf_counter() - start, peak / 1e6


PYTHON = """
import json, resource, sys, time
{imports}
start, clock = resource.getrusage(resource.RUSAGE_SELF), time.time()
{work}
end = resource.getrusage(resource.RUSAGE_SELF)
print(json.dumps([end.ru_utime + end.ru_stime - start.ru_utime - start.ru_stime, time.time() - clock, end.ru_maxrss / 1e3]))
"""


def python(imports, work, *words):
    """CPU seconds, seconds by the clock and MB of Python code in a process of its own; imports don't count as time."""
    code = PYTHON.format(imports=imports.strip(), work=work.strip())
    output = subprocess.run(
        [sys.executable, "-c", code, *map(str, words)], stdout=subprocess.PIPE, check=True, text=True).stdout
    return json.loads(output.splitlines()[-1])
