"""Times meshpipe and its peers in turn, as whole processes, checks their results, and writes RESULTS.md.

    python3 Benchmarks/bench.py MESHPIPE [--runs 5] [--large] [--only main,convert,…] [--output FILE]

`make bench` builds, installs the peers and calls this. Sections: main, convert, write, decimation, memory, start,
instructions. Ratios count, single times do not: of several runs the median is given, and beside it the
ratio to meshpipe. A result that is not what was asked for ends everything before its time is believed.
"""
import argparse
import importlib.metadata
import json
import os
import pathlib
import platform
import shutil
import statistics
import subprocess
import sys

import measure

HERE = pathlib.Path(__file__).resolve().parent
INPUTS, WORK, PEERS = HERE / "inputs", HERE / "work", HERE / "peers"
STAGES = ["filter-classification drop=wall,ceiling", "decimate faces=10% quality={}", "convert-axes up=z"]


def has(module):
    return subprocess.run([sys.executable, "-c", f"import {module}"], capture_output=True).returncode == 0


def room(divisions, ending):
    """A made input; it is made in a process of its own, for what a parent holds counts as its children's."""
    if not (INPUTS / f"room_{divisions}.obj").exists():
        subprocess.run([sys.executable, HERE / "inputs.py", INPUTS, str(divisions)], check=True)
    return str(INPUTS / f"room_{divisions}.{ending}")


def facts(*arguments):
    done = subprocess.run([sys.executable, HERE / "verify.py", *arguments], check=True, capture_output=True)
    return json.loads(done.stdout)


def table(head, rows):
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    return "\n".join(lines + ["| " + " | ".join(row) + " |" for row in rows])


def thousands(number):
    return f"{number:,}".replace(",", " ")


def compared(runs, first):
    """Rows of name, wall, CPU and peak, each with its ratio to the first program's."""
    own = measure.medians(runs[first])
    for name, some in runs.items():
        one = measure.medians(some)
        spread = f"{min(run.cpu for run in some):.2f}–{max(run.cpu for run in some):.2f}"
        yield name, [f"{one.wall:.2f}", f"{one.cpu:.2f} ({spread})", f"{one.cpu / own.cpu:.1f}",
                     f"{one.peak / 1e6:.0f}", f"{one.peak / own.peak:.1f}"]


# MARK: the main job

def built(name, library):
    """A peer in C++, or None where it can't be built."""
    program = WORK / name
    command = ["c++", "-O2", str(PEERS / f"{name}.cpp"), f"-l{library}", "-o", str(program)]
    return program if shutil.which("c++") and subprocess.run(command, capture_output=True).returncode == 0 else None


def main_job(program, scan, large):
    """The commands by name, with the files that they write."""
    jobs = {}

    def add(name, command, output):
        jobs[name] = ([*command, scan, str(WORK / output)], WORK / output)

    for quality in ("fast", "balanced") if large else ("fast", "balanced", "best"):
        for threads in (1, 2):
            output = WORK / f"{quality}{threads}.glb"
            command = [program, "run", scan, "-o", str(output), "--force", "-j", str(threads)]
            for stage in STAGES:
                command += ["-s", stage.format(quality)]
            jobs[f"meshpipe {quality}, {threads} core{'s' * (threads > 1)}"] = (command, output)
    if path := built("native", "meshoptimizer"):
        add("C++ for this job alone, meshoptimizer", [str(path)], "native.glb")
    # The script takes a minute and ten gigabytes for fifteen million faces.
    if has("fast_simplification") and os.path.getsize(scan) < 5e8:
        add("trimesh + fast-simplification", [sys.executable, PEERS / "trimesh_fast_simplification.py"], "trimesh.glb")
    if not large:
        if has("open3d"):
            add("Open3D", [sys.executable, PEERS / "open3d_main_job.py"], "open3d.glb")
        if has("pymeshlab"):
            add("PyMeshLab (to PLY)", [sys.executable, PEERS / "pymeshlab_main_job.py"], "pymeshlab.ply")
        if has("bpy"):
            add("Blender", [sys.executable, PEERS / "blender_main_job.py"], "blender.glb")
    return jobs


def main_section(program, options):
    text = ["## The main job\n\nOBJ in classes: drop wall and ceiling, keep a tenth of the faces, turn to Z up, write "
            "GLB. Wall and CPU seconds of whole processes, peak memory in MB. *Off* is the mean distance of the "
            "result's faces from the original surface. Only meshpipe keeps the classes of faces."]
    rooms = [room(divisions, "obj") for divisions in ((1, 2, 3, 4) if options.large else (1, 2))]
    for scan in rooms + options.job:
        large = os.path.getsize(scan) > 6e7
        jobs = main_job(program, scan, large)
        for command, _ in jobs.values():
            measure.run(command)
        found = {name: facts("--up", "y" if name.startswith("meshpipe") else "z", output, scan, "wall,ceiling")
                 for name, (_, output) in jobs.items()}
        check_main_job(found)
        runs = measure.in_turn({name: command for name, (command, _) in jobs.items()}, 3 if large else options.runs)
        rows = [[name, *cells, f"{1000 * found[name]['distance']:.2f}"]
                for name, cells in compared(runs, "meshpipe fast, 1 core")]
        count = next(iter(found.values()))["original"]
        size = f"{os.path.getsize(scan) / 1e6:.0f} MB"
        text.append(f"{pathlib.Path(scan).name}, {thousands(count)} faces without wall and ceiling, {size}:\n\n" + table(
            ["program", "wall s", "CPU s (range)", "× CPU", "peak MB", "× peak", "off mm"], rows))
    return "\n\n".join(text)


def check_main_job(found):
    own = found["meshpipe fast, 1 core"]
    for name, fact in found.items():
        share = fact["faces"] / fact["original"]
        extent = max(high - low for low, high in zip(own["low"], own["high"]))
        shift = max(abs(one - other) for one, other in zip(fact["low"] + fact["high"], own["low"] + own["high"]))
        # Some programs eat into open borders; one with other axes would be off by more.
        if not 0.09 < share < 0.12 or shift > 0.05 * extent or abs(fact["area"] / own["area"] - 1) > 0.05:
            sys.exit(f"{name}: the result is not what was asked for: {fact}; meshpipe's: {own}")


# MARK: conversion

CONVERSIONS = [("obj", "glb"), ("obj", "binary.ply"), ("text.ply", "glb"), ("binary.ply", "glb"), ("glb", "binary.ply"),
               ("binary.ply", "obj"), ("binary.ply", "stl"), ("binary.ply", "fbx")]


def conversion(program, divisions, source, target):
    scan, ending, jobs = room(divisions, source), target.split(".")[-1], {}
    outputs = {name: str(WORK / f"{name}.{ending}") for name in ("meshpipe", "assimp", "gltfpack", "trimesh", "open3d")}
    for threads in (1, 2):
        name = f"meshpipe, {threads} core{'s' * (threads > 1)}"
        jobs[name] = [program, "run", scan, "-o", outputs["meshpipe"], "--force", "-j", str(threads)]
    if shutil.which("assimp"):
        format = {"glb": "glb2", "ply": "plyb", "stl": "stlb"}.get(ending, ending)
        jobs["assimp"] = ["assimp", "export", scan, outputs["assimp"], f"-f{format}"]
    if shutil.which("gltfpack") and (source, target) == ("obj", "glb"):
        jobs["gltfpack"] = ["gltfpack", "-noq", "-i", scan, "-o", outputs["gltfpack"]]
    if ending != "fbx":
        jobs["trimesh"] = [sys.executable, PEERS / "convert_trimesh.py", scan, outputs["trimesh"]]
        if has("open3d"):
            jobs["open3d"] = [sys.executable, PEERS / "convert_open3d.py", scan, outputs["open3d"]]
    return scan, jobs, outputs


def conversion_fault(command, output, faces):
    """Why a command does not make the file that it should, or None."""
    pathlib.Path(output).unlink(missing_ok=True)
    try:
        measure.run(command)
        # Nobody here reads FBX but Blender, which the tests ask.
        count = faces if output.endswith("fbx") else facts(output)["faces"]
    except (measure.Failed, subprocess.CalledProcessError):
        return "no usable file"
    return None if count == faces else f"{count} faces instead of {faces}"


def convert_section(program, options):
    divisions, rows = 2, []
    expected = facts(room(divisions, "binary.ply"))
    for source, target in CONVERSIONS:
        scan, jobs, outputs = conversion(program, divisions, source, target)
        for name, command in list(jobs.items()):
            if fault := conversion_fault(command, outputs[name.split(",")[0]], expected["faces"]):
                if name.startswith("meshpipe"):
                    sys.exit(f"{source} → {target}: {fault}")
                print(f"{name}: {source} → {target}: {fault}; left out", file=sys.stderr)
                del jobs[name]
        runs = measure.in_turn(jobs, options.runs)
        rows += [[f"{source} → {target}", name, *cells] for name, cells in compared(runs, "meshpipe, 1 core")]
    return (f"## Reading and writing\n\nOne file into another, {thousands(expected['faces'])} faces; as above.\n\n" + table(
        ["files", "program", "wall s", "CPU s (range)", "× CPU", "peak MB", "× peak"], rows))


def written_by_assimp(exporter, scan, output, format):
    done = subprocess.run([exporter, scan, output, format], check=True, capture_output=True)
    return json.loads(done.stdout)


def written(program, scan, output):
    """What the report tells of writing; the peak is that of the whole process."""
    report = WORK / "report.json"
    one = measure.run([program, "run", scan, "-o", output, "--force", "-j1", "--report", report])
    return json.loads(report.read_text())["outputs"][0]["seconds"], one.peak


WRITERS = [("glb", "glb2"), ("obj", "obj"), ("ply", "plyb"), ("stl", "stlb"), ("fbx", "fbx"), ("dae", "collada")]


def write_section(program, options):
    exporter, rows = built("assimp_export", "assimp"), []
    if not exporter:
        return "## Writing alone\n\nNot measured: Assimp's headers are not installed."
    for scan in [room(2, "binary.ply"), *(mesh for mesh in options.mesh if mesh.endswith("ply"))]:
        for ending, format in WRITERS:
            output = WORK / f"written.{ending}"
            theirs = [written_by_assimp(exporter, scan, output, format) for _ in range(3)]
            ours = [written(program, scan, output) for _ in range(3)]
            output.unlink()
            seconds = statistics.median(run["seconds"] for run in theirs)
            own, peak = (statistics.median(values) for values in zip(*ours))
            rows.append([pathlib.Path(scan).name, ending.upper(), f"{own:.2f}", f"{seconds:.2f}", f"{seconds / own:.1f}",
                         f"{peak / 1e6:.0f}", f"{statistics.median(run['peak'] for run in theirs) / 1e6:.0f}"])
    return ("## Writing alone\n\nSeconds on one core for the file's bytes, without reading, by meshpipe and by Assimp's "
            "exporters, and the peak memory of the whole. meshpipe writes GLB, OBJ, PLY and STL itself; FBX and DAE "
            "are Assimp's, in a process of their own, and are read back before they count.\n\n" + table(
                ["scan", "format", "meshpipe s", "Assimp s", "ratio", "meshpipe MB", "Assimp MB"], rows))


# MARK: the rest

def decimation_section(program, options):
    text = ["## Decimation: time and error\n\nTo 10 %, CPU seconds of the algorithm alone; what is measured is told in "
            "`decimation.py`. Peers keep no classes."]
    for mesh in [room(2, "binary.ply"), *options.mesh]:
        command = [sys.executable, HERE / "decimation.py", program, mesh, "--runs", str(options.runs)]
        if options.plot and len(text) == 1:
            command += ["--plot", options.plot]
            text.append(f"![time and error]({os.path.relpath(options.plot, HERE)})")
        if not str(mesh).endswith("ply"):
            command.append("--relative")
        done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
        text.append(f"{pathlib.Path(mesh).name}: {done.stdout.strip()}")
    return "\n\n".join(text)


def memory_section(program, options):
    scan = room(3 if options.large else 2, "obj")
    done = subprocess.run([sys.executable, HERE / "memory.py", program, scan], check=True, stdout=subprocess.PIPE, text=True)
    return f"## Memory\n\n{pathlib.Path(scan).name}; what is measured is told in `memory.py`. The program itself is 22 MB of each peak.\n\n{done.stdout.strip()}"


def start_section(program, options):
    pipeline = str(HERE.parent / "pipelines" / "blender.json")
    small = WORK / "hundred.obj"
    lines = [f"v {i % 8} {i // 8 % 8} {(i * 7 % 5) / 10}" for i in range(64)]
    lines += [f"f {a} {a + 1} {a + 9}\nf {a} {a + 9} {a + 8}" for a in range(1, 57) if a % 8][:50]
    small.write_text("\n".join(lines) + "\n")
    commands = {
        "`meshpipe --version`": [program, "--version"],
        "`meshpipe check pipelines/blender.json`": [program, "check", pipeline],
        "`meshpipe run pipelines/blender.json`, some 100 faces": [
            program, "run", pipeline, str(small), "-o", str(WORK / "small") + "/", "--force"],
    }
    runs = measure.in_turn(commands, 20)
    rows = [[name, f"{1000 * statistics.median(run.wall for run in some):.0f}",
             f"{1000 * statistics.median(run.cpu for run in some):.0f}", f"{measure.medians(some).peak / 1e6:.0f}"]
            for name, some in runs.items()]
    return "## Start\n\n" + table(["command", "wall ms", "CPU ms", "peak MB"], rows)


def instructions_section(program, _):
    if not shutil.which("valgrind"):
        return "## Instructions\n\nNot counted: valgrind is not installed."
    # Valgrind 3.19 cannot read what Swift tells debuggers.
    stripped = str(WORK / "stripped")
    subprocess.run(["strip", "-o", stripped, program], check=True)
    jobs = main_job(stripped, room(1, "obj"), True)
    rows = []
    for name in ("meshpipe fast, 1 core", "meshpipe balanced, 1 core", "C++ for this job alone, meshoptimizer"):
        if name not in jobs:
            continue
        command = ["valgrind", "--tool=callgrind", f"--callgrind-out-file={WORK / 'callgrind.out'}", *jobs[name][0]]
        done = subprocess.run(command, check=True, capture_output=True, text=True)
        line = next(line for line in done.stderr.splitlines() if "Collected" in line)
        rows.append([name, f"{int(line.split()[-1]) / 1e6:.0f}"])
    return ("## Instructions\n\nOf the main job on the smallest room, counted by callgrind, in millions: the same on "
            "a busy machine.\n\n" + table(["program", "million"], rows))


SECTIONS = {"main": main_section, "convert": convert_section, "write": write_section, "decimation": decimation_section,
            "memory": memory_section, "start": start_section, "instructions": instructions_section}


def machine():
    name = platform.processor() or platform.machine()
    if os.path.exists("/proc/cpuinfo"):
        models = [line.split(":")[1].strip() for line in open("/proc/cpuinfo") if line.startswith("model name")]
        name = models[0] if models else name
    versions = []
    for package in ("trimesh", "fast-simplification", "open3d", "pymeshlab", "bpy"):
        try:
            versions.append(f"{package} {importlib.metadata.version(package)}")
        except importlib.metadata.PackageNotFoundError:
            pass
    for package in ("assimp-utils", "libmeshoptimizer-dev", "gltfpack"):
        if shutil.which("dpkg-query"):
            done = subprocess.run(["dpkg-query", "-Wf", "${Version}", package], capture_output=True, text=True)
            if done.returncode == 0 and done.stdout:
                versions.append(f"{package} {done.stdout}")
    return f"{name}, {os.cpu_count()} cores, {platform.system()}; {', '.join(versions)}."


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--large", action="store_true", help="also rooms of 3.7 and 15 million faces")
    parser.add_argument("--only", default=",".join(SECTIONS))
    parser.add_argument("--job", action="append", default=[], help="another OBJ with groups for the main job")
    parser.add_argument("--mesh", action="append", default=[], help="another mesh for decimation and writing;\n"
                        "a PLY is taken to be in metres")
    parser.add_argument("--plot", help="a picture of decimation's time and error")
    parser.add_argument("--output", help="the file to write; without it the text is printed")
    options = parser.parse_args()
    program = os.path.abspath(options.program)
    WORK.mkdir(exist_ok=True)
    text = ["# Results", "Made by `make bench` (`bench.py`); the decisions behind it are in [NOTES.md](NOTES.md). "
            f"Median of {options.runs} runs in turn. {machine()}"]
    for name in options.only.split(","):
        text.append(SECTIONS[name](program, options))
        print(text[-1], file=sys.stderr)
    result = "\n\n".join(text) + "\n"
    if options.output:
        pathlib.Path(options.output).write_text(result)
    else:
        print(result)


if __name__ == "__main__":
    main()
