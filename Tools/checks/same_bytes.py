#!/usr/bin/env python3
"""Whether two meshpipe commands do the same: each pipeline on each sample, and each sample in each format.

    Tools/checks/same_bytes.py BEFORE AFTER [INPUT...] [--pipelines NAME,...] [--no-formats]

Inputs beside the samples of the project: scans, or captures (a folder, which is read as an archive's would be).
Compared are the names and bytes of all outputs, exit codes, and what is said on both streams, apart from
times. Prints each difference; exits with 1 when there is one."""
import argparse
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

os.environ["MESHPIPE_CACHE"] = "none"  # each run does all of its work

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
# Times, speeds and memory differ from run to run.
CLOCK = re.compile(r"\d+(\.\d+)?\s?(ms|s|min|h|MB|GB|MiB|GiB|KB)\b(/s)?")


def files_of(folder):
    """The size and hash of every file below a folder, by path."""
    found = {}
    for parent, _, names in os.walk(folder):
        for name in names:
            path = os.path.join(parent, name)
            with open(path, "rb") as file:
                data = file.read()
            found[os.path.relpath(path, folder)] = (len(data), hashlib.sha256(data).hexdigest())
    return found


def run(command, folder, arguments):
    """Runs a command in a new folder that is the same for both; returns all that can be seen of it."""
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder + "/out")
    done = subprocess.run(
        [command] + arguments, cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, timeout=3600)
    seen = {
        name: CLOCK.sub("TIME", text.decode("utf-8", "replace").replace(command, "meshpipe"))
        for name, text in (("stdout", done.stdout), ("stderr", done.stderr))}
    return {"exit": done.returncode, **seen, "files": files_of(folder + "/out")}


def differences(before, after):
    for name in ("exit", "stdout", "stderr"):
        if before[name] != after[name]:
            yield f"{name}: {before[name]!r} became {after[name]!r}"
    for path in sorted(set(before["files"]) | set(after["files"])):
        old, new = before["files"].get(path), after["files"].get(path)
        if old is None or new is None:
            yield f"{path}: only {'after' if old is None else 'before'}"
        elif old != new:
            yield f"{path}: {old[0]} bytes became {new[0]}, or their values differ"


def jobs(options):
    """Names and arguments of the runs."""
    samples = [f"{ROOT}/samples/{name}" for name in sorted(os.listdir(f"{ROOT}/samples"))]
    inputs = samples + [os.path.abspath(path) for path in options.inputs]
    names = sorted(name[:-5] for name in os.listdir(f"{ROOT}/pipelines") if name.endswith(".json"))
    for name in options.pipelines.split(",") if options.pipelines else names:
        for path in inputs:
            yield (f"{name} on {os.path.basename(path)}",
                   ["run", "-q", f"{ROOT}/pipelines/{name}.json", path, "-o", "out/"])
    if options.no_formats:
        return
    formats = json.loads(subprocess.run(
        [options.before, "formats", "--json"], check=True, capture_output=True).stdout)
    formats = formats if isinstance(formats, list) else formats["formats"]
    for path in inputs:
        yield f"info of {os.path.basename(path)}", ["info", "--json", path]
        for entry in formats:
            if entry.get("writes"):
                yield (f"{os.path.basename(path)} as {entry['id']}",
                       ["run", "-q", path, "-o", f"out/copy.{entry['extensions'][0]}"])
    for text in ("stages", "formats", "schema", "help"):
        yield text, [text]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("before")
    parser.add_argument("after")
    parser.add_argument("inputs", nargs="*")
    parser.add_argument("--pipelines", default="")
    parser.add_argument("--no-formats", action="store_true")
    options = parser.parse_args()
    before, after = os.path.abspath(options.before), os.path.abspath(options.after)
    options.before = before
    count, wrong = 0, 0
    with tempfile.TemporaryDirectory() as place:
        for name, arguments in jobs(options):
            old, new = (run(command, place + "/run", arguments) for command in (before, after))
            found = list(differences(old, new))
            count += 1
            wrong += bool(found)
            for line in found:
                print(f"{name}: {line}", flush=True)
    print(f"{count} runs, {wrong} of them different")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
