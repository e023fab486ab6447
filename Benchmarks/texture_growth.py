"""How the time and memory of `bake-texture` grow with frames, pixels and faces, to a page of 4096².

    python3 Benchmarks/texture_growth.py MESHPIPE CAPTURE [--size 4096]

CAPTURE is one that make_capture.py wrote (see textures.py): 60 frames of 1920×1440 of a room. Frames are
taken evenly or repeated, pictures reduced to a half, and the true mesh subdivided or thinned. The first
row is the case that the others differ from in one thing. Wall seconds are those of a shared machine.
"""
import argparse
import json
import multiprocessing
import os
import pathlib
import subprocess
import tempfile

import numpy
import trimesh
from PIL import Image

import measure

FRAMES, FACES = 60, 100_000


def capture_with(capture, work, frames, reduction):
    """A folder with `transforms.json` of so many frames, their pictures reduced."""
    folder = work / f"frames-{frames}-{reduction}"
    folder.mkdir(exist_ok=True)
    transforms = json.loads((capture / "nerfstudio" / "transforms.json").read_text())
    source = transforms["frames"]
    chosen = []
    for number in range(frames):
        frame = dict(source[number * len(source) // frames if frames < len(source) else number % len(source)])
        picture = capture / "nerfstudio" / frame["file_path"]
        stem = picture.stem
        frame["depth_file_path"] = str(capture / "joroar" / "depth" / f"{stem}.png")
        # A frame that comes twice is a file of its own.
        name = folder / f"{number:03}{picture.suffix}"
        if reduction == 1:
            name.unlink(missing_ok=True)
            os.symlink(picture, name)
        else:
            image = Image.open(picture)
            image.reduce(reduction).save(name, quality=95)
        frame["file_path"] = str(name)
        chosen.append(frame)
    transforms["frames"] = chosen
    for place in [transforms, *chosen]:
        for key in ("fl_x", "fl_y", "cx", "cy", "w", "h"):
            if key in place:
                place[key] = place[key] / reduction if key not in ("w", "h") else place[key] // reduction
    # A frame may share its dictionary's numbers with the root alone: then they were reduced once.
    (folder / "transforms.json").write_text(json.dumps(transforms))
    return folder


def mesh_with(capture, work, meshpipe, faces):
    """The true mesh with about so many faces: split at the longest edges, then thinned to the count."""
    path = work / f"mesh-{faces}.ply"
    mesh = trimesh.load(capture / "clean" / "mesh.ply", process=False)
    limit = numpy.sqrt(2.3 * mesh.area / faces)
    vertices, triangles = mesh.vertices, mesh.faces
    while len(triangles) < faces:
        vertices, triangles = trimesh.remesh.subdivide_to_size(
            mesh.vertices, mesh.faces, max_edge=limit, max_iter=30)
        limit *= 0.9
    raw = work / f"raw-{faces}.ply"
    trimesh.Trimesh(vertices, triangles, process=False).export(raw)
    subprocess.run(
        [meshpipe, "run", raw, "-s", "weld", "-s", f"decimate faces={faces}", "-o", path, "--force",
         "--progress", "none"], check=True, stderr=subprocess.DEVNULL)
    return path


def bake(meshpipe, mesh, frames, size, output):
    run = measure.run([
        meshpipe, "run", mesh, "--frames", frames, "-s", f"bake-texture size={size}", "-o", output,
        "--force", "--allow-external", "--progress", "none"])
    return run.wall, run.cpu, run.peak / 2**20


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("meshpipe", type=pathlib.Path)
    parser.add_argument("capture", type=pathlib.Path)
    parser.add_argument("--size", type=int, default=4096)
    arguments = parser.parse_args()
    meshpipe, capture = arguments.meshpipe.resolve(), arguments.capture.resolve()
    cases = [(FRAMES, 1, FACES)]
    cases += [(frames, 1, FACES) for frames in (15, 30, 120)]
    cases += [(FRAMES, 2, FACES)]
    cases += [(FRAMES, 1, faces) for faces in (25_000, 400_000, 1_000_000)]
    print("| frames | pixels | faces | wall s | CPU s | peak MiB |")
    print("|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        work = pathlib.Path(folder)
        # In a process of its own: what this one ever held counts as held by those that it starts.
        with multiprocessing.get_context("spawn").Pool(1) as pool:
            meshes = {faces: pool.apply(mesh_with, (capture, work, meshpipe, faces))
                      for faces in sorted({case[2] for case in cases})}
        for frames, reduction, faces in cases:
            figures = bake(
                meshpipe, meshes[faces], capture_with(capture, work, frames, reduction), arguments.size,
                work / "out.glb")
            pixels = "1920×1440" if reduction == 1 else f"{1920 // reduction}×{1440 // reduction}"
            wall, seconds, memory = figures
            print(f"| {frames} | {pixels} | {faces:,} | {wall:.1f} | {seconds:.1f} | {memory:.0f} |", flush=True)


if __name__ == "__main__":
    main()
