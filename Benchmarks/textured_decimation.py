"""Decimates textured models with meshpipe and with peers, and prints tables of the picture's and the shape's error.

    python3 Benchmarks/textured_decimation.py MESHPIPE MODEL… [--ratios 0.5,0.1,0.02] [--runs 1] [--blender PYTHON]

The models are GLB files with texture coordinates. Needs numpy, Pillow, trimesh and Open3D, which measures, and
of the peers whichever are installed: PyMeshLab, meshoptimizer's wheel, and Blender (a Python that has bpy;
--blender names it if it is another one). PyMeshLab and Blender read the model as OBJ, with shared vertices;
meshoptimizer gets vertices that are split at seams, as in the GLB, with texture coordinates as attributes,
weighted as lengths on the surface.

Picture: PSNR in dB of the texture's colours at half a million points on each of both surfaces against those at
the nearest point of the other one. Views: PSNR of what is seen of the model, without light, from eight sides,
over pixels that show either surface. Error: half a million points on each surface, the mean distance to the
other one in millionths of the diagonal. Mirrored: faces whose texture coordinates are wound against those of
the nearest face of the original. Gaps: the length of open borders added, in percent of the diagonal, at shared
positions. Seconds: CPU time of the algorithm alone; for meshpipe what a run takes longer than one that does not
decimate.
"""
import argparse
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile

import numpy as np

import measure
from decimation import SAMPLES, area_vectors, borders, tracer, welded


class Model:
    """Triangles with texture coordinates per corner and the textures that they show."""

    def __init__(self, path):
        import trimesh

        scene = trimesh.load(path, process=False)
        parts = scene.dump() if hasattr(scene, "dump") else [scene]
        vertices, faces, corners, textures, materials, first = [], [], [], [], [], 0
        for part in (part for part in parts if len(part.faces)):
            vertices.append(part.vertices)
            faces.append(part.faces + first)
            corners.append(np.nan_to_num(np.asarray(part.visual.uv)[part.faces], posinf=0, neginf=0))
            materials.append(np.full(len(part.faces), len(textures)))
            material = part.visual.material
            image = getattr(material, "baseColorTexture", None) or getattr(material, "image", None)
            textures.append(np.asarray(image.convert("RGB"), np.float32) / 255)
            first += len(part.vertices)
        self.vertices = np.concatenate(vertices).astype(np.float32)
        self.faces = np.concatenate(faces).astype(np.uint32)
        self.corners = np.concatenate(corners).astype(np.float64)
        self.materials, self.textures = np.concatenate(materials), textures
        self.tracer = tracer(self.vertices, self.faces)

    def colors(self, faces, weights):
        """The texture's colours, between pixels bilinearly, at barycentric places on faces."""
        result = np.zeros((len(faces), 3), np.float32)
        for number, texture in enumerate(self.textures):
            here = self.materials[faces] == number
            u, v = np.einsum("nc,ncd->dn", weights[here], self.corners[faces[here]])
            height, width = texture.shape[:2]
            x, y = u * width - 0.5, (1 - v) * height - 0.5
            left, top = np.floor(x).astype(int), np.floor(y).astype(int)
            for right in (0, 1):
                for below in (0, 1):
                    share = np.abs(1 - right - (x - left)) * np.abs(1 - below - (y - top))
                    pixels = texture[(top + below) % height, (left + right) % width]
                    result[here] += share[:, None].astype(np.float32) * pixels
        return result

    def samples(self, seed):
        """Points on the surface with their colours."""
        random = np.random.default_rng(seed)
        ends = np.cumsum(np.linalg.norm(area_vectors(self.vertices, self.faces), axis=1))
        chosen = np.searchsorted(ends, random.random(SAMPLES) * ends[-1]).clip(max=len(self.faces) - 1)
        root, part = np.sqrt(random.random(SAMPLES)), random.random(SAMPLES)
        weights = np.stack([1 - root, root * (1 - part), root * part], axis=1)
        points = np.einsum("nc,ncd->nd", weights, self.vertices[self.faces[chosen]])
        return points.astype(np.float32), self.colors(chosen, weights)

    def nearest(self, points):
        """The distance of points, and the colour and the face of the nearest place."""
        import open3d

        found = self.tracer.compute_closest_points(open3d.core.Tensor(points))
        faces, (b, c) = found["primitive_ids"].numpy(), found["primitive_uvs"].numpy().T
        distances = np.linalg.norm(found["points"].numpy() - points, axis=1)
        return distances, self.colors(faces, np.stack([1 - b - c, b, c], axis=1)), faces

    def view(self, rays):
        """What rays see, and where they hit the surface."""
        import open3d

        found = self.tracer.cast_rays(open3d.core.Tensor(rays))
        faces, (b, c) = found["primitive_ids"].numpy(), found["primitive_uvs"].numpy().T
        hit = np.isfinite(found["t_hit"].numpy())
        result = np.full((len(rays), 3), 0.5, np.float32)
        result[hit] = self.colors(faces[hit], np.stack([1 - b - c, b, c], axis=1)[hit])
        return result, hit

    def windings(self):
        ab, ac = self.corners[:, 1] - self.corners[:, 0], self.corners[:, 2] - self.corners[:, 0]
        return ab[:, 0] * ac[:, 1] - ab[:, 1] * ac[:, 0]


def psnr(mean_square):
    return -10 * np.log10(max(mean_square, 1e-10))


def views(model, size=512):
    """Parallel rays that cover the model from eight sides."""
    low, high = model.vertices.min(axis=0), model.vertices.max(axis=0)
    middle, radius = (low + high) / 2, np.linalg.norm(high - low) / 2
    y, x = (np.mgrid[:size, :size].reshape(2, -1) + 0.5) / size * 2 - 1
    for side in range(8):
        turn, tilt = side * np.pi / 4 + 0.3, (0.4, -0.3)[side % 2]
        back = np.array([np.cos(tilt) * np.sin(turn), np.sin(tilt), np.cos(tilt) * np.cos(turn)])
        right = np.cross([0, 1, 0], back) / np.linalg.norm(np.cross([0, 1, 0], back))
        up = np.cross(back, right)
        starts = middle + radius * (2 * back + x[:, None] * right - y[:, None] * up)
        yield np.concatenate([starts, np.broadcast_to(-back, starts.shape)], axis=1).astype(np.float32)


def score(original, result):
    picture, error = 0, 0
    for one, other, seed in ((original, result, 1), (result, original, 2)):
        points, colors = one.samples(seed)
        distances, seen, _ = other.nearest(points)
        picture, error = picture + np.mean((colors - seen) ** 2) / 2, error + distances.mean() / 2
    squares, count = 0.0, 0
    for rays in views(original):
        (before, here), (after, there) = original.view(rays), result.view(rays)
        squares += ((before - after)[here | there].astype(float) ** 2).sum()
        count += 3 * (here | there).sum()
    diagonal = np.linalg.norm(np.ptp(original.vertices, axis=0))
    below = original.nearest(result.vertices[result.faces].mean(axis=1))[2]
    opened = [borders(*welded(model.vertices, model.faces))[0] for model in (original, result)]
    return {
        "faces": len(result.faces), "picture": psnr(picture), "views": psnr(squares / count),
        "error": 1e6 * error / diagonal,
        "mirrored": int((result.windings() * original.windings()[below] < 0).sum()),
        "gaps": 100 * (opened[1] - opened[0]) / diagonal,
    }


# MARK: the programs

def meshpipe(program, model, stage, output):
    """CPU seconds of a run."""
    command = [program, "run", model, "-o", output, "--force", "--progress", "none"]
    return measure.run(command + (["-s", stage] if stage else [])).cpu


PYMESHLAB = """
import sys, time, pymeshlab
source, target, output = sys.argv[1], int(sys.argv[2]), sys.argv[3]
meshes = pymeshlab.MeshSet()
meshes.load_new_mesh(source)
start = time.process_time()
meshes.meshing_decimation_quadric_edge_collapse_with_texture(
    targetfacenum=target, preserveboundary=True, preservenormal=True)
print("seconds", time.process_time() - start)
meshes.save_current_mesh(output)
"""

MESHOPTIMIZER = """
import ctypes, sys, time, meshoptimizer, numpy, trimesh
source, target, output = sys.argv[1], int(sys.argv[2]), sys.argv[3]
part = trimesh.load(source, process=False, force="mesh")
places = numpy.ascontiguousarray(part.vertices, numpy.float32)
corners = numpy.ascontiguousarray(part.visual.uv, numpy.float32)
indices = numpy.ascontiguousarray(part.faces, numpy.uint32).reshape(-1)
ab, ac = (corners[part.faces[:, corner]] - corners[part.faces[:, 0]] for corner in (1, 2))
pictured = numpy.abs(ab[:, 0] * ac[:, 1] - ab[:, 1] * ac[:, 0]).sum() / 2
weights = numpy.full(2, numpy.sqrt(part.area / pictured) / numpy.ptp(places, axis=0).max(), numpy.float32)
kept, size = numpy.empty_like(indices), ctypes.c_size_t
start = time.process_time()
count = meshoptimizer.simplify_with_attributes(
    kept, indices, places, corners, weights, target_index_count=size(3 * target), attribute_count=size(2),
    vertex_attributes_stride=size(8), target_error=ctypes.c_float(1e9), options=ctypes.c_uint(0))
print("seconds", time.process_time() - start)
part.faces = kept[:count].reshape(-1, 3)
part.export(output)
"""

BLENDER = """
import sys, time, bpy
source, target, output = sys.argv[1], int(sys.argv[2]), sys.argv[3]
bpy.ops.wm.read_factory_settings(use_empty=True)
bpy.ops.wm.obj_import(filepath=source)
models = list(bpy.context.scene.objects)
share = target / sum(len(model.data.polygons) for model in models)
start = time.process_time()
for model in models:
    bpy.context.view_layer.objects.active = model
    model.modifiers.new("decimate", "DECIMATE").ratio = share
    bpy.ops.object.modifier_apply(modifier="decimate")
print("seconds", time.process_time() - start)
bpy.ops.wm.obj_export(filepath=output, path_mode="COPY", export_triangulated_mesh=True)
"""


def peer(python, script, source, target, output):
    """CPU seconds, or None when the program is not installed."""
    done = subprocess.run(
        [python, "-c", script, source, str(target), output], capture_output=True, text=True)
    lines = [line for line in done.stdout.splitlines() if line.startswith("seconds")]
    if done.returncode or not lines:
        print(f"left out: {done.stderr.strip().splitlines()[-1:]}", file=sys.stderr)
        return None
    return float(lines[0].split()[1])


def rows(options, path, ratio, folder):
    original = Model(path)
    target, source = round(len(original.faces) * ratio), str(folder / "in.obj")
    meshpipe(options.program, path, None, source)
    result, output = {}, str(folder / "out.glb")
    for quality in options.qualities.split(","):
        stage = f"decimate faces={target} quality={quality}"
        times = []
        for _ in range(options.runs):
            plain = meshpipe(options.program, path, None, output)
            times.append(meshpipe(options.program, path, stage, output) - plain)
        result[f"meshpipe {quality}"] = score(original, Model(output)) | {"seconds": statistics.median(times)}
    if options.alone:
        return len(original.faces), result
    for name, python, script, model, kind in (
            ("PyMeshLab", sys.executable, PYMESHLAB, source, "obj"),
            ("meshoptimizer", sys.executable, MESHOPTIMIZER, path, "glb"),
            ("Blender", options.blender, BLENDER, source, "obj")):
        output = str(folder / f"{name}.{kind}")
        if (seconds := peer(python, script, model, target, output)) is not None:
            result[name] = score(original, Model(output)) | {"seconds": seconds}
    return len(original.faces), result


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("models", nargs="+")
    parser.add_argument("--ratios", default="0.5,0.1,0.02")
    parser.add_argument("--qualities", default="fast,balanced,best")
    parser.add_argument("--runs", type=int, default=1)
    parser.add_argument("--blender", default=sys.executable)
    parser.add_argument("--alone", action="store_true", help="without peers")
    options = parser.parse_args()
    options.program = os.path.abspath(options.program)
    print("| model | faces | program | CPU s | picture dB | views dB | error ppm | mirrored | gaps % |")
    print("|---|---|---|---|---|---|---|---|---|")
    for path in options.models:
        for ratio in map(float, options.ratios.split(",")):
            with tempfile.TemporaryDirectory() as folder:
                faces, result = rows(options, path, ratio, pathlib.Path(folder))
            for name, row in result.items():
                print(f"| {pathlib.Path(path).stem} | {faces} → {row['faces']} | {name} | {row['seconds']:.2f} | "
                      f"{row['picture']:.2f} | {row['views']:.2f} | {row['error']:.0f} | {row['mirrored']} | "
                      f"{row['gaps']:.1f} |", flush=True)


if __name__ == "__main__":
    main()
