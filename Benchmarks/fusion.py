"""The mesh that fuse-depth makes of synthetic captures, beside peers', measured against the truth.

  fusion.py MESHPIPE EVAL CAPTURE... [--voxels 10 20] [--peers open3d poisson pymeshlab] [--growth]

EVAL is the folder of the capture generator and its scorer (score_mesh.py, fuse_peers.py), which is not part of this
project, and whose dependencies (numpy, numba, scipy, open3d, opencv-python-headless, trimesh; pymeshlab if asked for)
this script needs. Each CAPTURE is a folder that the generator made.

Accuracy in millimetres (mean / median / 90th percentile), completeness within 5, 10 and 20 mm, mean angle between
normals, boundary length, and edges of more than two faces, after a rigid alignment. CPU seconds: of the peers' fusion
alone, and of meshpipe's whole process without what it needs to read the capture and to write the mesh.

--growth: seconds and peak memory by frames (the capture's, repeated), voxel and range (which bounds the area).
"""
import argparse
import json
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from measure import run


def scored(evaluation, capture, mesh):
    """The scores of a mesh after alignment, as the columns of the table."""
    out = mesh.with_suffix(".json")
    subprocess.run(
        [sys.executable, evaluation / "score_mesh.py", capture, mesh, "--json", out, "-n", "200000"], check=True,
        capture_output=True)
    score = json.loads(out.read_text())
    near = score["aligned"]
    return (
        f"{near['accuracy_mean']:.2f} / {near['accuracy_median']:.2f} / {near['accuracy_p90']:.1f} | "
        f"{near['R5']:.3f} / {near['R10']:.3f} / {near['R20']:.3f} | {near['normal_deg']:.1f}° | "
        f"{score['boundary_m']:.0f} m | {score['nonmanifold']} | {score['faces'] / 1000:.0f} k")


def fused(meshpipe, capture, stages, mesh):
    command = [meshpipe, "run", capture / "joroar", "-o", mesh, "--progress", "none"]
    return run(command + [word for stage in stages for word in ("-s", stage)])


def ours(meshpipe, capture, voxel, folder):
    mesh = folder / f"ours_{voxel:g}.ply"
    fusion = f"fuse-depth voxelSize={voxel:g}mm"
    # What reading the capture and writing a mesh cost by themselves.
    rest = fused(meshpipe, capture, [], folder / "rest.ply").cpu
    yield f"meshpipe {voxel:g} mm, recorded poses", mesh, fused(meshpipe, capture, [fusion], mesh).cpu - rest
    coarse = f"fuse-depth voxelSize={max(voxel, 20):g}mm"
    refined = fused(meshpipe, capture, [coarse, "refine-poses", fusion], mesh)
    yield f"meshpipe {voxel:g} mm, refined poses", mesh, refined.cpu - rest


def peers(evaluation, capture, voxels, wanted, folder):
    # The scorer's program always runs Open3D's grid, too.
    options = ["--voxels", *map(str, voxels if "open3d" in wanted else voxels[-1:]), "--poses", "recorded"]
    if "open3d" in wanted or "poisson" in wanted:
        options += ["--poisson"] if "poisson" in wanted else []
        text = subprocess.run(
            [sys.executable, evaluation / "fuse_peers.py", capture, folder, *options], check=True,
            capture_output=True, text=True).stdout
        for name, seconds in re.findall(r"(\w+): \d+ faces, ([\d.]+) CPU s", text):
            if "open3d" in wanted or "poisson" in name.lower():
                yield name.replace("_", " "), folder / f"{name}.ply", float(seconds)
    if "pymeshlab" in wanted:
        yield "PyMeshLab, screened Poisson, depth 9", *screened_poisson(evaluation, capture, folder)


def screened_poisson(evaluation, capture, folder):
    """PyMeshLab on the points of all frames, thinned to 1 cm as for Open3D's."""
    import time
    import numpy
    import open3d
    import pymeshlab
    sys.path.insert(0, str(evaluation))
    from fuse_peers import points
    start = time.process_time()
    positions, normals, _ = points(capture, None)
    cloud = open3d.geometry.PointCloud(open3d.utility.Vector3dVector(positions))
    cloud.normals = open3d.utility.Vector3dVector(normals)
    cloud = cloud.voxel_down_sample(0.01)
    meshes = pymeshlab.MeshSet()
    meshes.add_mesh(
        pymeshlab.Mesh(
            vertex_matrix=numpy.asarray(cloud.points), v_normals_matrix=numpy.asarray(cloud.normals)))
    meshes.generate_surface_reconstruction_screened_poisson(depth=9, preclean=True)
    mesh = folder / "pymeshlab.ply"
    meshes.save_current_mesh(str(mesh))
    return mesh, time.process_time() - start


def repeated(capture, count, folder):
    """A capture of the first frames, or of all of them again and again, each a millimetre aside."""
    source, target = capture / "joroar", folder / f"frames_{count}"
    target.mkdir()
    for name in ("depth", "confidence"):
        shutil.copytree(source / name, target / name)
    lines = [json.loads(line) for line in open(source / "frames.jsonl")]
    with open(target / "frames.jsonl", "w") as out:
        for index in range(count):
            frame = dict(lines[index % len(lines)], frame_idx=index, timestamp=index / 30)
            frame.pop("rgb_path", None)
            pose = list(frame["camera_in_world_4x4"])
            pose[3 + 4 * (index % 3)] += 0.001 * (index // len(lines) % 5 - 2)
            out.write(json.dumps(frame | dict(camera_in_world_4x4=pose)) + "\n")
    manifest = json.loads((source / "manifest.json").read_text())
    manifest.pop("video", None)
    manifest.pop("mesh", None)
    (target / "manifest.json").write_text(json.dumps(manifest | dict(frame_count=count)))
    return target


def growth(meshpipe, capture):
    print("| frames | voxel | range | CPU s | seconds | peak MB |\n|---|---|---|---|---|---|")
    cases = [(count, 10, 5) for count in (60, 250, 500, 1000, 2000)]
    cases += [(60, voxel, 5) for voxel in (40, 20, 5)] + [(60, 10, metres) for metres in (1.5, 2.5)]
    for count, voxel, metres in cases:
        with tempfile.TemporaryDirectory() as folder:
            source = repeated(capture, count, Path(folder))
            stage = f"fuse-depth voxelSize={voxel}mm maximumDepth={metres}m"
            once = run([meshpipe, "run", source, "-s", stage, "-o", Path(folder) / "a.ply", "--progress", "none"])
            print(
                f"| {count} | {voxel} mm | {metres} m | {once.cpu:.1f} | {once.wall:.1f} | {once.peak / 1e6:.0f} |",
                flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("meshpipe", type=Path)
    parser.add_argument("evaluation", type=Path)
    parser.add_argument("captures", type=Path, nargs="+")
    parser.add_argument("--voxels", type=float, nargs="+", default=[10, 20])
    parser.add_argument("--peers", nargs="*", default=["open3d", "poisson"])
    parser.add_argument("--growth", action="store_true")
    arguments = parser.parse_args()
    meshpipe = arguments.meshpipe.resolve()
    if arguments.growth:
        return growth(meshpipe, arguments.captures[0])
    print("| capture | mesh | accuracy mm | R5 / R10 / R20 | normals | boundary | non-manifold | faces | CPU s |")
    print("|---|---|---|---|---|---|---|---|---|")
    for capture in arguments.captures:
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            rows = list(peers(arguments.evaluation, capture, arguments.voxels, arguments.peers, folder))
            for title, mesh, seconds in rows:
                print(f"| {capture.name} | {title} | {scored(arguments.evaluation, capture, mesh)} | {seconds:.1f} |")
            for voxel in arguments.voxels:
                for title, mesh, seconds in ours(meshpipe, capture, voxel, folder):
                    print(
                        f"| {capture.name} | {title} | {scored(arguments.evaluation, capture, mesh)} | {seconds:.1f} |",
                        flush=True)


if __name__ == "__main__":
    main()
