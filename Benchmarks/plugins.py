"""What a stage of a plugin costs that changes nothing, in each lane.

    python3 Benchmarks/plugins.py .build/release/meshpipe MESH [TIMES]

Needs a C compiler, and for the stages over numpy a 'python3' in PATH that has it. Prints milliseconds of the stage
as the report of a run tells them, with bubblewrap (where it works) and without, and the time of a copy of as many
bytes. Each stage takes its turn, so that none is favoured; the least is the one that other programs disturbed least.
"""
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

os.environ["MESHPIPE_CACHE"] = "none"  # each run does all of its work

ROOT = pathlib.Path(__file__).resolve().parent.parent
SOURCES = ROOT / "Benchmarks" / "plugins"
HEADER = ROOT / "Sources" / "CLibraries" / "CMeshpipePlugin" / "include"
PROGRAM = {"protocol": 1, "executable": "echo"}
PYTHON = {"protocol": 1, "executable": "keep.py", "interpreter": ["python3"]}
PLUGINS = {
    "library": {"abi": 1, "library": "keep.so"},
    "program": PROGRAM,
    "program-stream": {**PROGRAM, "arguments": ["stream"]},
    "numpy": PYTHON,
    "numpy-stream": {**PYTHON, "arguments": ["stream"]},
}


def make(folder):
    compiler = os.environ.get("CC", "cc")
    subprocess.run([compiler, "-O2", "-o", folder / "echo", SOURCES / "echo.c"], check=True)
    subprocess.run([compiler, "-O2", "-shared", "-fPIC", "-I", HEADER, "-o", folder / "keep.so",
                    SOURCES / "keep.c"], check=True)
    (folder / "keep.py").write_text((SOURCES / "keep.py").read_text())
    for name, keys in PLUGINS.items():
        manifest = {"meshpipePlugin": 1, "name": name, "version": "1", **keys,
                    "stages": [{"name": name, "summary": "Changes nothing."}]}
        (folder / f"{name}.meshpipe-plugin.json").write_text(json.dumps(manifest))


def seconds(command, scene, stage, folder, **variables):
    report = folder / "report.json"
    subprocess.run(
        [command, "run", scene, "-s", stage, "-o", folder / "out.meshscene", "--plugins", folder,
         "--report", report, "--quiet"], check=True, env={**os.environ, **variables})
    return json.loads(report.read_text())["stages"][0]["seconds"]


def copy(size):
    block = bytes(size)
    start = time.perf_counter()
    bytearray(block)
    return time.perf_counter() - start


def main(command, mesh, times=9):
    command = pathlib.Path(command).resolve()
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        make(folder)
        scene = folder / "in.meshscene"
        subprocess.run([command, "run", mesh, "-o", scene, "--quiet"], check=True)
        walls = {"Landlock": {"MESHPIPE_BWRAP": ""}, "bubblewrap": {}}
        runs = {(stage, wall): [] for stage in PLUGINS for wall in walls}
        copies = []
        for _ in range(times):
            copies.append(copy(scene.stat().st_size))
            for stage, wall in runs:
                runs[stage, wall].append(seconds(command, scene, stage, folder, **walls[wall]))
    print("| stage | confined by | median ms | least ms |\n|---|---|---|---|")
    rows = {("a copy of the arrays", ""): copies, **runs}
    for (stage, wall), found in rows.items():
        print(f"| {stage} | {wall} | {1000 * statistics.median(found):.1f} | {1000 * min(found):.1f} |")


if __name__ == "__main__":
    main(*sys.argv[1:3], *map(int, sys.argv[3:]))
