"""Reconstructs surfaces from points with meshpipe and Open3D, and measures how far they are from the true one.

Usage: reconstruct.py MESHPIPE MODEL... [--points N] [--noise METRES] [--depth D,D] [--runs N] [--trim]

A model with faces is sampled uniformly, with the normals of its faces, and noise is added to the points; points of a file
without faces need normals, and are compared with themselves. Both programs get the same points and the same finest cells, and
leave the surface closed; with --trim meshpipe uses its defaults, and Open3D removes the vertices of the 5 % of least density.
For each depth and program: mean, 90 % quantile and maximum of the distance in mm from the true surface to the result,
the mean of that from the result to the true surface, faces, the median of CPU seconds and of seconds by the clock of several runs,
of reading the PLY, the work and writing a PLY without Python's start, and the peak of memory in MB, of Open3D with Python.
Needs numpy and open3d.
"""

import argparse
import os
import statistics
import tempfile

import measure

IMPORTS = "import numpy as np, open3d as o3d"
PEER = """
depth, trims = int(sys.argv[1]), sys.argv[2] == "True"
cloud = o3d.io.read_point_cloud("points.ply")
mesh, densities = o3d.geometry.TriangleMesh.create_from_point_cloud_poisson(cloud, depth=depth)
if trims:
    densities = np.asarray(densities)
    mesh.remove_vertices_by_mask(densities < np.quantile(densities, 0.05))
o3d.io.write_triangle_mesh("result.ply", mesh)
"""


def meshpipe_run(meshpipe, depth, trims):
    stage = f"reconstruct-surface depth={depth}" + ("" if trims else " trim=0")
    return measure.stages(meshpipe, "points.ply", "-s", stage, "-o", "result.ply")


def distances(points, mesh):
    """From each point to the nearest point of a mesh."""
    import numpy as np
    import open3d as o3d

    scene = o3d.t.geometry.RaycastingScene()
    scene.add_triangles(o3d.t.geometry.TriangleMesh.from_legacy(mesh))
    return scene.compute_distance(np.asarray(points, dtype=np.float32)).numpy()


def accuracy(truth, samples):
    """Distances of the result in mm, and its faces."""
    import numpy as np
    import open3d as o3d

    result = o3d.io.read_triangle_mesh("result.ply")
    there = 1e3 * distances(samples, result)
    on_result = np.asarray(result.sample_points_uniformly(200_000).points)
    if isinstance(truth, o3d.geometry.TriangleMesh):
        back = 1e3 * distances(on_result, truth)
    else:
        back = 1e3 * np.asarray(o3d.geometry.PointCloud(o3d.utility.Vector3dVector(on_result)).compute_point_cloud_distance(truth))
    return f"{there.mean():.3f} | {np.quantile(there, 0.9):.3f} | {there.max():.2f} | {back.mean():.3f} | {len(result.triangles):,}"


def write_points(path, options):
    """Writes the points to points.ply, and returns the true surface, places on it, and the number of points."""
    import numpy as np
    import open3d as o3d

    o3d.utility.random.seed(7)
    truth = o3d.io.read_triangle_mesh(path)
    if len(truth.triangles) == 0:
        truth = o3d.io.read_point_cloud(path)
        o3d.io.write_point_cloud("points.ply", truth)
        return truth, np.asarray(truth.points), len(truth.points)
    truth.compute_triangle_normals()
    cloud = truth.sample_points_uniformly(options.points, use_triangle_normal=True)
    noise = np.random.default_rng(7).normal(0, options.noise, (options.points, 3))
    cloud.points = o3d.utility.Vector3dVector(np.asarray(cloud.points) + noise)
    o3d.io.write_point_cloud("points.ply", cloud)
    return truth, np.asarray(truth.sample_points_uniformly(300_000).points), options.points


def main(options):
    meshpipe = os.path.abspath(options.meshpipe)
    for path in [os.path.abspath(model) for model in options.models]:
        with tempfile.TemporaryDirectory() as folder:
            os.chdir(folder)
            truth, samples, count = write_points(path, options)
            print(f"\n{os.path.basename(path)}, {count:,} points, noise {1e3 * options.noise:g} mm\n")
            print("| depth | | mean | 90 % | most | back | faces | CPU s | s | MB |\n|---|---|---|---|---|---|---|---|---|---|")
            for depth in map(int, options.depth.split(",")):
                runs = {"meshpipe": [], "Open3D": []}
                measured = {}
                # In turn, so that both see the same load of the machine.
                for _ in range(options.runs):
                    runs["meshpipe"].append(meshpipe_run(meshpipe, depth, options.trim))
                    measured.setdefault("meshpipe", accuracy(truth, samples))
                    runs["Open3D"].append(measure.python(IMPORTS, PEER, depth, options.trim))
                    measured.setdefault("Open3D", accuracy(truth, samples))
                for program, rows in runs.items():
                    cpu, clock, memory = (statistics.median(column) for column in zip(*rows))
                    print(f"| {depth} | {program} | {measured[program]} | {cpu:.2f} | {clock:.2f} | {memory:,.0f} |", flush=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("meshpipe")
    parser.add_argument("models", nargs="+")
    parser.add_argument("--points", type=int, default=300_000)
    parser.add_argument("--noise", type=float, default=0.0)
    parser.add_argument("--depth", default="8,9")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--trim", action="store_true")
    main(parser.parse_args())
