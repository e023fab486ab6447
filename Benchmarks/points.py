"""Thins points, filters them and fits normals to them with meshpipe and Open3D.

Usage: points.py MESHPIPE CLOUD.ply... [--spacing METRES] [--only TASK,TASK]

For each task: points that stay, and in brackets those of either program that the other one lacks; CPU seconds and seconds
by the clock of reading the PLY, the work and writing a PLY, without Python's start; and the peak of memory in MB, of
Open3D with Python. Of normals the median angle between those of both programs, and where these turn them the share on
whose side they agree (of both signs of the whole the better one). Needs numpy and open3d.
"""

import argparse
import os
import tempfile

import measure

PEER = """
path, task, spacing = sys.argv[1], sys.argv[2], float(sys.argv[3])
cloud = o3d.io.read_point_cloud(path)
if task == "thin-points": cloud = cloud.voxel_down_sample(spacing)
elif task == "statistical": cloud, _ = cloud.remove_statistical_outlier(20, 2.0)
elif task == "radius": cloud, _ = cloud.remove_radius_outlier(10, 2 * spacing)
else:
    cloud.estimate_normals(o3d.geometry.KDTreeSearchParamKNN(20))
    if task == "outside": cloud.orient_normals_consistent_tangent_plane(20)
o3d.io.write_point_cloud("peer.ply", cloud)
"""

TASKS = {
    "thin-points": "thin-points representative=mean spacing={spacing}",
    "statistical": "filter-points",
    "radius": "filter-points method=radius minimumNeighbors=10 radius={radius}",
    "normals": "compute-normals toward=viewpoint viewpoint=[0,0,0]",
    "outside": "compute-normals toward=outside",
}


def kept(one, other):
    """The number of points, and of those that have no partner in the other cloud within 10 µm."""
    both = list(one.compute_point_cloud_distance(other)) + list(other.compute_point_cloud_distance(one))
    return f"{len(one.points):,} ({sum(distance > 1e-5 for distance in both):,})"


def agreement(one, other, are_turned):
    import numpy as np

    cosines = (np.asarray(one.normals) * np.asarray(other.normals)).sum(1)
    side = (cosines > 0).mean()
    angle = np.degrees(np.median(np.arccos(np.clip(np.abs(cosines), 0, 1))))
    return (f"{100 * max(side, 1 - side):.2f} %, " if are_turned else "") + f"{angle:.2f}°"


def main(meshpipe, paths, spacing, only):
    import open3d

    meshpipe = os.path.abspath(meshpipe)
    for path in map(os.path.abspath, paths):
        cloud = open3d.io.read_point_cloud(path)
        print(f"\n{os.path.basename(path)}, {len(cloud.points):,} points\n")
        print("| | points | meshpipe: CPU s | s | MB | Open3D: CPU s | s | MB |\n|---|---|---|---|---|---|---|---|")
        for task, options in ((task, TASKS[task]) for task in only):
            with tempfile.TemporaryDirectory() as folder:
                os.chdir(folder)
                stage = options.format(spacing=spacing, radius=2 * spacing)
                own = measure.stages(meshpipe, path, "-s", stage, "-o", "result.ply")
                peer = measure.python("import open3d as o3d", PEER, path, task, spacing)
                one, other = (open3d.io.read_point_cloud(name) for name in ("result.ply", "peer.ply"))
                if task in ("normals", "outside"):
                    result = agreement(one, other, task == "outside")
                else:
                    result = kept(one, other)
                os.chdir("/")
            figures = " | ".join(f"{cpu:.2f} | {clock:.2f} | {memory:,.0f}" for cpu, clock, memory in (own, peer))
            print(f"| {task} | {result} | {figures} |", flush=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("meshpipe")
    parser.add_argument("clouds", nargs="+")
    parser.add_argument("--spacing", type=float, default=0.01)
    parser.add_argument("--only", default=",".join(TASKS))
    arguments = parser.parse_args()
    main(arguments.meshpipe, arguments.clouds, arguments.spacing, arguments.only.split(","))
