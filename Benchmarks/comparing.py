"""Measures how far two scans are from each other with meshpipe and other programs.

Usage: comparing.py MESHPIPE MODEL OTHER [--clouds BEFORE.ply AFTER.ply] [--diameter METRES]

MODEL and OTHER are meshes, of which the vertices of the first are measured to the second: mean, RMS and largest distance in
millimetres, and the mean with its sign, beside trimesh, MeshLab (pymeshlab) and CloudCompare, where it is installed. With two
point clouds also what M3C2 finds, beside py4dgeo, at all points of the first. CPU seconds of the whole command, or, of
Python, of reading and measuring.
"""

import argparse
import json
import os
import re
import shutil
import subprocess
import tempfile

import measure

TRIMESH = """
points = trimesh.load(sys.argv[1], process=False).vertices
surface = trimesh.load(sys.argv[2], process=False)
_, distances, _ = trimesh.proximity.closest_point(surface, points)
json.dump([distances.mean(), (distances ** 2).mean() ** .5, distances.max(), None], open("figures.json", "w"))
"""

MESHLAB = """
scenes = pymeshlab.MeshSet(verbose=False)
for path in sys.argv[1:3]: scenes.load_new_mesh(path)
found = scenes.get_hausdorff_distance(
    sampledmesh=0, targetmesh=1, samplevert=True, sampleface=False, sampleedge=False, samplefauxedge=False,
    samplenum=scenes.mesh(0).vertex_number(), maxdist=pymeshlab.PercentageValue(100))
json.dump([found["mean"], found["RMS"], found["max"], None], open("figures.json", "w"))
"""

M3C2 = """
def points(path):
    return numpy.asarray(trimesh.load(path).vertices, dtype=float)
first, second = points(sys.argv[1]), points(sys.argv[2])
diameter = float(sys.argv[3])
found, spread = py4dgeo.M3C2(
    epochs=(py4dgeo.Epoch(first), py4dgeo.Epoch(second)), corepoints=first, cyl_radius=diameter / 2,
    normal_radii=(diameter,), max_distance=4 * diameter).run()
level = spread["lodetection"]
compared = ~(numpy.isnan(found) | numpy.isnan(level))
changed = compared & (abs(found) > level)
json.dump([
    changed.sum() / compared.sum(), found[changed].mean(), abs(found[changed]).max(), numpy.median(level[compared]),
], open("figures.json", "w"))
"""


def row(name, figures, cpu, factors):
    texts = [f"{abs(figure) * factor:.4f}" if figure is not None else "–" for figure, factor in zip(figures, factors)]
    print(f"| {name} | {' | '.join(texts)} | {cpu:.2f} |")


def peer(imports, work, *words):
    cpu, _, _ = measure.python(imports, work, *words)
    return json.load(open("figures.json")), cpu


def own(meshpipe, *words):
    cpu, _, _ = measure.stages(meshpipe, *words)
    stage = next(stage for stage in json.load(open("log.json"))["stages"] if stage["use"] == "compare")
    return stage["notes"], cpu


def cloud_compare(points, surface):
    """Mean and deviation of signed distances, and CPU seconds."""
    before = os.times()
    environment = dict(os.environ, QT_QPA_PLATFORM="offscreen")
    words = ["CloudCompare", "-SILENT", "-NO_TIMESTAMP", "-O", points, "-O", surface, "-C2M_DIST"]
    text = subprocess.run(words, env=environment, capture_output=True, text=True, check=True).stdout
    after = os.times()
    mean, deviation = map(float, re.search(r"Mean distance = (\S+) / std deviation = (\S+)", text).groups())
    return mean, deviation, after.children_user + after.children_system - before.children_user - before.children_system


def surfaces(meshpipe, model, other):
    subprocess.run([meshpipe, "run", model, "-s", "weld", "-o", "first.ply", "-o", "points.xyz", "-q"], stderr=subprocess.DEVNULL, check=True)
    subprocess.run([meshpipe, "run", other, "-o", "second.ply", "-q"], stderr=subprocess.DEVNULL, check=True)
    print("| vertices to surface, mm | mean | RMS | max | signed mean | CPU s |\n|---|---|---|---|---|---|")
    millimetres = [1000] * 4
    details, cpu = own(meshpipe, "points.xyz", "--input", "other=second.ply", "-s", "compare to=other", "-o", "out.ply")
    forward = details["forward"]
    row("**meshpipe**", [forward[key] for key in ("mean", "rms", "max", "signedMean")], cpu, millimetres)
    row("trimesh", *peer("import trimesh", TRIMESH, "first.ply", "second.ply"), millimetres)
    row("MeshLab", *peer("import pymeshlab", MESHLAB, "first.ply", "second.ply"), millimetres)
    if shutil.which("CloudCompare"):
        mean, deviation, cpu = cloud_compare("first.ply", "second.ply")
        row("CloudCompare", [None, (mean ** 2 + deviation ** 2) ** 0.5, None, mean], cpu, millimetres)


def changes(meshpipe, before, after, diameter):
    print("\n| M3C2 | changed | mean, mm | max, mm | level, mm | CPU s |\n|---|---|---|---|---|---|")
    factors = [1, 1000, 1000, 1000]
    stage = f"compare to=after method=m3c2 diameter={diameter} normalScale={2 * diameter} reach={4 * diameter}"
    details, cpu = own(meshpipe, before, "--input", f"after={after}", "-s", stage, "-o", "out.ply")
    found = details["changes"]
    row("**meshpipe**", [found[key] for key in ("significant", "mean", "max", "detection")], cpu, factors)
    imports = "import numpy, py4dgeo, trimesh"
    row("py4dgeo", *peer(imports, M3C2, before, after, diameter), factors)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("meshpipe")
    parser.add_argument("model")
    parser.add_argument("other")
    parser.add_argument("--clouds", nargs=2, default=[])
    parser.add_argument("--diameter", type=float, default=0.25)
    arguments = parser.parse_args()
    paths = [os.path.abspath(path) for path in (arguments.meshpipe, arguments.model, arguments.other)]
    clouds = [os.path.abspath(path) for path in arguments.clouds]
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        surfaces(*paths)
        if clouds:
            changes(paths[0], *clouds, arguments.diameter)


if __name__ == "__main__":
    main()
