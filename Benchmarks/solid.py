#!/usr/bin/env python3
"""Makes solids from broken models, with meshpipe and with peers.

Usage: solid.py MESHPIPE MODEL [MODEL...]

Each model is taken as it is, with holes cut into it (a tenth of its extent), as a soup whose triangles share no vertex
and half of which look inward, and joined with a copy that intersects it. Of each result: the faces, whether it is closed and
manifold, self-intersecting faces (by PyMeshLab), the mean and greatest distance of points on the model from it and the mean
of points on it from the model (in per mille of the extent; of a union, the union's own surface), and CPU seconds. Voxels
have a 250th of the extent. Needs trimesh, scipy, pymeshlab, pymeshfix and open3d, and for Blender
bpy in this Python or that of the variable BPY_PYTHON.
"""

import os
import resource
import subprocess
import sys
import tempfile

import numpy as np
import trimesh

os.environ["MESHPIPE_CACHE"] = "none"  # each run does all of its work

VOXEL = 1 / 250


def cut(model, count=12, seed=5):
    """The model without the faces around some of its vertices, within 5 % of its extent."""
    centers = model.vertices[np.random.default_rng(seed).choice(len(model.vertices), count, replace=False)]
    keep = np.ones(len(model.faces), bool)
    for center in centers:
        keep &= np.linalg.norm(model.triangles_center - center, axis=1) > 0.05 * model.extents.max()
    return model.submesh([keep], append=True)


def soup(model, seed=5):
    """Triangles without common vertices, half of them reversed."""
    triangles = model.triangles.copy()
    turned = np.random.default_rng(seed).random(len(triangles)) < 0.5
    triangles[turned] = triangles[turned][:, ::-1]
    return trimesh.Trimesh(triangles.reshape(-1, 3), np.arange(3 * len(triangles)).reshape(-1, 3), process=False)


def joined(model):
    """The model and a copy that intersects it."""
    other = model.copy()
    other.apply_translation(model.extents * (0.3, 0.1, 0))
    return trimesh.util.concatenate([model, other])


def surface_of_union(model, points):
    """Those of some points on a model and its copy that are on the outside of both."""
    shift = model.extents * (0.3, 0.1, 0)
    scene = inside(model)
    return points[~scene(points - shift) & ~scene(points)]


def inside(model):
    import open3d
    scene = open3d.t.geometry.RaycastingScene()
    scene.add_triangles(open3d.core.Tensor(model.vertices.astype(np.float32)),
                        open3d.core.Tensor(model.faces.astype(np.uint32)))
    depth = 2e-4 * model.extents.max()
    return lambda points: scene.compute_signed_distance(
        open3d.core.Tensor(points.astype(np.float32)), nsamples=3).numpy() < -depth


def distance(mesh, points):
    import open3d
    scene = open3d.t.geometry.RaycastingScene()
    scene.add_triangles(open3d.core.Tensor(mesh.vertices.astype(np.float32)),
                        open3d.core.Tensor(mesh.faces.astype(np.uint32)))
    return scene.compute_distance(open3d.core.Tensor(points.astype(np.float32))).numpy()


def samples(mesh, count=50000):
    return trimesh.sample.sample_surface(mesh, count, seed=1)[0]


def intersecting(path):
    import pymeshlab
    meshes = pymeshlab.MeshSet()
    meshes.load_new_mesh(path)
    meshes.compute_selection_by_self_intersections_per_face()
    return meshes.current_mesh().selected_face_number()


# Each peer reads a PLY and writes another.

def meshpipe(command):
    def run(source, target):
        subprocess.run([command, "run", source, "-s", f"make-solid method=wrap voxelSize={100 * VOXEL}%", "-o", target],
                       check=True, stderr=subprocess.DEVNULL)
    return run


def child(code, python=sys.executable):
    """A peer in a Python of its own, so that a crash is a row."""
    def run(source, target):
        subprocess.run([python, "-c", code, source, target, str(VOXEL)], check=True,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=600)
    return run


PYMESHFIX = """
import sys, pymeshfix, trimesh
m = trimesh.load(sys.argv[1]); f = pymeshfix.MeshFix(m.vertices.copy(), m.faces.copy()); f.repair()
trimesh.Trimesh(f.points, f.faces, process=False).export(sys.argv[2])
"""
PYMESHLAB = """
import sys, pymeshlab
m = pymeshlab.MeshSet(); m.load_new_mesh(sys.argv[1])
m.generate_resampled_uniform_mesh(cellsize=pymeshlab.PercentageValue(100 * float(sys.argv[3])), mergeclosevert=True)
m.save_current_mesh(sys.argv[2])
"""
ALPHA = """
import sys, pymeshlab
m = pymeshlab.MeshSet(); m.load_new_mesh(sys.argv[1])
m.generate_alpha_wrap(alpha=pymeshlab.PercentageValue(200 * float(sys.argv[3])), offset=pymeshlab.PercentageValue(5 * float(sys.argv[3])))
m.save_current_mesh(sys.argv[2])
"""
BLENDER = """
import sys, bpy
bpy.ops.wm.read_factory_settings(use_empty=True); bpy.ops.wm.ply_import(filepath=sys.argv[1])
o = bpy.context.selected_objects[0]; bpy.context.view_layer.objects.active = o
m = o.modifiers.new("m", "REMESH"); m.mode = "VOXEL"; m.voxel_size = float(sys.argv[3]) * max(o.dimensions)
bpy.ops.object.modifier_apply(modifier="m")
bpy.ops.wm.ply_export(filepath=sys.argv[2], export_triangulated_mesh=True)
"""
POISSON = """
import sys, open3d as o
m = o.io.read_triangle_mesh(sys.argv[1]); m.compute_vertex_normals()
p = m.sample_points_poisson_disk(60000)
o.io.write_triangle_mesh(sys.argv[2], o.geometry.TriangleMesh.create_from_point_cloud_poisson(p, depth=8)[0])
"""


def measure(name, run, source, model, truth):
    target = os.path.abspath(name.replace(" ", "") + ".ply")
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    try:
        run(source, target)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        mesh = trimesh.load(target, process=True)
        away = distance(mesh, truth) / model.extents.max() * 1000
        closed = "yes" if mesh.is_watertight and mesh.is_winding_consistent and mesh.volume > 0 else "no"
        print(f"| {name} | {len(mesh.faces):,} | {closed} | {intersecting(target)} | {away.mean():.2f} | {away.max():.1f} |"
              f" {seconds:.1f} |", flush=True)
        os.remove(target)
    except Exception as error:  # A row for each failure.
        print(f"| {name} | failed: {type(error).__name__} | | | | | |", flush=True)


def main(command, *paths):
    peers = {
        "meshpipe": meshpipe(os.path.abspath(command)), "pymeshfix": child(PYMESHFIX),
        "PyMeshLab resampling": child(PYMESHLAB), "PyMeshLab alpha wrap": child(ALPHA),
        "Open3D Poisson": child(POISSON), "Blender voxels": child(BLENDER, os.environ.get("BPY_PYTHON", sys.executable)),
    }
    paths = [os.path.abspath(path) for path in paths]
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        for path in paths:
            model = trimesh.load(path, force="mesh")
            for kind, broken, truth in (
                ("whole", model, samples(model)), ("holes", cut(model), samples(model)),
                ("soup", soup(model), samples(model)),
                ("union", joined(model), surface_of_union(model, samples(joined(model)))),
            ):
                broken.export("broken.ply")
                print(f"\n{os.path.basename(path)}, {kind}\n\n| | faces | closed | self-intersections | mean ‰ | greatest ‰ | CPU s |"
                      "\n|---|---|---|---|---|---|---|")
                for name, run in peers.items():
                    measure(name, run, "broken.ply", model, truth)


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    main(*sys.argv[1:])
