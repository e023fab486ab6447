"""The peak memory of each stage that needs no frames, beside the size of the scene that it works on.

    python3 Benchmarks/memory.py MESHPIPE SCAN [--only clean,weld]

Each stage runs once on one core and once on two, alone behind the reading of SCAN, which must have classes.
The peak is that of the step as the run's report tells it: resident pages of the whole process, program and
file pages included. A scene's size is that of its arrays: 12 bytes a position, normal and face, 2 a class.
"""
import argparse
import json
import pathlib
import tempfile

import measure

# One row each: the stages, the last of which is measured.
JOBS = [
    ["center"],
    ["clean"],
    ["compute-normals"],
    ["compute-normals creaseAngle=40deg"],
    ["convert-axes up=z"],
    ["crop min=-1m,-10m,-10m max=1m,10m,10m"],
    ["crop min=-1m,-10m,-10m max=1m,10m,10m mode=cut"],
    ["decimate faces=10%"],
    ["decimate faces=10% quality=fast"],
    ["fill-holes"],
    ["fill-holes fill=flat"],
    ["flatten"],
    ["filter-classification drop=ceiling"],
    ["filter-classification drop=ceiling minimumArea=0.05m2"],
    ["filter-classification drop=ceiling boundary=grow"],
    ["inspect"],
    ["make-solid"],
    ["make-solid method=wrap"],
    ["remesh"],
    ["smooth"],
    ["smooth method=taubin"],
    ["split", "merge"],
    ["remove-fragments minimumFaces=100"],
    ["sample-points"],
    ["sample-points at=vertices"],
    ["split"],
    ["split by=component"],
    ["transform scale=2"],
    ["weld"],
    ["weld tolerance=1mm"],
]


def scene_bytes(counts, features, stage=""):
    """The size of the arrays of a scene with these counts."""
    vector, label = 12, 2
    normals = "normals" in features or stage.startswith("compute-normals")
    place = vector * (2 if normals else 1)
    face = vector + label * ("classification" in features)
    if "creaseAngle" in stage:
        face += 3 * vector
    return (counts["vertices"] * place + counts["faces"] * face
            + counts["points"] * (place + label * ("classification" in features)))


def peaks(program, scan, stages, threads):
    """The peak and the largest scene of the last stage, or of reading when there is none, in bytes."""
    with tempfile.TemporaryDirectory() as folder:
        report = pathlib.Path(folder) / "report.json"
        options = [word for stage in stages for word in ("-s", stage)]
        measure.run([program, "run", scan, *options, "-o", pathlib.Path(folder) / "scene.ply", "-j", threads,
                     "--report", report])
        done = json.loads(report.read_text())
    features = done["input"]["features"]
    if not stages:
        return done["input"]["peakMemoryBytes"], scene_bytes(done["input"]["counts"], features)
    last = done["stages"][-1]
    largest = max(scene_bytes(last["in"], features), scene_bytes(last["out"], features, stages[-1]))
    return last["peakMemoryBytes"], largest


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("scan")
    parser.add_argument("--only", help="the names of some stages")
    options = parser.parse_args()
    program = pathlib.Path(options.program).resolve()
    chosen = options.only.split(",") if options.only else None
    print("| step | largest scene MB | peak MB, 1 core | × scene | peak MB, 2 cores | × scene |")
    print("|---|---|---|---|---|---|")
    for stages in [[]] + JOBS:
        if chosen and (not stages or stages[-1].split()[0] not in chosen):
            continue
        found = [peaks(program, options.scan, stages, threads) for threads in (1, 2)]
        cells = " | ".join(f"{peak / 1e6:.0f} | {peak / scene:.1f}" for peak, scene in found)
        name = f"`{stages[-1]}`" if stages else "reading"
        print(f"| {name} | {found[0][1] / 1e6:.0f} | {cells} |", flush=True)


if __name__ == "__main__":
    main()
