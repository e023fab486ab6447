#!/usr/bin/env python3
"""Says which suites of a test run took how long: Tools/suite_seconds.py EVENTS BUDGETS [--record FILE] [--check]

EVENTS is what `swift test --event-stream-output-path` wrote. The seconds of a suite are those of its test cases, each
from its beginning to its end. Cases run beside each other, one on each core: the sum over all suites is about the time
of the run, times the cores. (The seconds of a test in xUnit's file are something else: the cases of a test wait for
those of others between its beginning and its end.)

BUDGETS (Tests/budgets.txt) says how large a suite's share of all seconds may be: a share, since the same run takes
longer on another machine. It also names the suites that are not counted. With `--check` a suite that takes more is an
error, and so is a name in that file that no suite has. `--record` keeps the figures as JSON.
"""

import collections
import json
import pathlib
import sys

# Of a suite that takes less nobody has to know, whatever its share.
ALWAYS_ALLOWED = 10.0
SHOWN = 20


def suite_of(test):
    """The target and the file of a test without what follows a +: `StagesTests/DecimateTests`."""
    target, *_, name = test["sourceLocation"]["fileID"].split("/")
    return f"{target}/{name.removesuffix('.swift').split('+')[0]}"


def measure(path):
    """The seconds of each suite, also of one whose tests were all skipped, and those from the first event to the last."""
    suites, seconds, running = {}, collections.Counter(), collections.Counter()
    first, last = None, 0.0
    # Texts in a line may have line separators of Unicode, at which splitlines() would cut it.
    for line in filter(None, path.read_text(encoding="utf-8").split("\n")):
        record = json.loads(line)
        payload = record["payload"]
        if record["kind"] == "test" and payload["kind"] == "function":
            suites[payload["id"]] = suite_of(payload)
            seconds[suite_of(payload)] += 0.0
        if record["kind"] != "event":
            continue
        instant = payload["instant"]["absolute"]
        first, last = instant if first is None else first, max(last, instant)
        # What began is taken away and what ended is added: the sum is that of all cases, in whatever order they ran.
        sign = {"testCaseStarted": -1, "testCaseEnded": 1}.get(payload["kind"], 0)
        if sign and payload.get("testID") in suites:
            seconds[suites[payload["testID"]]] += sign * instant
            running[suites[payload["testID"]]] -= sign
    # Of a run that broke off.
    for suite, count in running.items():
        seconds[suite] += count * last
    return seconds, last - (first or 0.0)


def read_budgets(path):
    """The share of each named suite, None for one that is not counted, and the share of all others."""
    shares, others = {}, 0.0
    for line in path.read_text(encoding="utf-8").splitlines():
        words = line.split("#")[0].split()
        if not words:
            continue
        share = None if words[1] == "-" else float(words[1]) / 100
        if words[0] == "others":
            others = share
        else:
            shares[words[0]] = share
    return shares, others


def faults(seconds, shares, others, file):
    """What is wrong with the seconds of the suites that count in a whole run."""
    total = sum(seconds.values())
    for name, taken in seconds.most_common():
        share = shares.get(name, others)
        if taken > max(ALWAYS_ALLOWED, share * total):
            yield (
                f"{name} took {taken:.1f} s, {100 * taken / total:.1f} % of all; its budget is {100 * share:.1f} %: "
                f"make it faster, or say in {file} why it needs more")


def main(arguments):
    events, budgets = map(pathlib.Path, arguments[:2])
    if not events.exists():
        sys.exit("no test ran")
    shares, others = read_budgets(budgets)
    measured, duration = measure(events)
    seconds = collections.Counter({
        name: taken for name, taken in measured.items() if shares.get(name, others) is not None})
    total = sum(seconds.values())
    print(f"The slowest of {len(seconds)} suites, by the seconds of their cases ({total:.0f} in {duration:.0f} s):")
    for name, taken in seconds.most_common(SHOWN):
        print(f"{taken:8.1f} s {100 * taken / max(total, 1e-9):5.1f} %  {name}")
    if "--record" in arguments:
        record = {
            "duration": round(duration, 3), "total": round(total, 3),
            "suites": {name: round(taken, 3) for name, taken in seconds.most_common()}}
        path = pathlib.Path(arguments[arguments.index("--record") + 1])
        path.write_text(json.dumps(record, indent=2) + "\n", encoding="utf-8")
    found = []
    if "--check" in arguments:
        found = [f"{budgets.name} names {name}, which no suite of this run is called"
                 for name in sorted(set(shares) - set(measured))]
        found += faults(seconds, shares, others, budgets.name)
    for fault in found:
        print(f"error: {fault}", file=sys.stderr)
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main(sys.argv[1:])
