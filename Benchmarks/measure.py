"""Runs commands in turn as whole processes, and measures time and memory."""
import dataclasses
import os
import statistics
import subprocess
import time


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
