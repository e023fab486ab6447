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
    peak: float  # MB


class Failed(Exception):
    pass


def run(command):
    start = time.perf_counter()
    with open(os.devnull, "wb") as nothing:
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=nothing, stderr=nothing)
        _, status, usage = os.wait4(process.pid, 0)
    if status:
        raise Failed(" ".join(map(str, command)))
    return Run(time.perf_counter() - start, usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024 / 1e6)


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
