"""Reads and writes files of points with meshpipe, and with laspy (LAS) and Open3D (PCD, PTS).

Usage: pointfiles.py MESHPIPE [--points COUNT] [--only las,pcd,pts]

Makes noisy walls with colours and intensities as LAS 1.2, binary PCD and PTS, and has each program read a file and write it again.
For each: CPU seconds, seconds by the clock, the peak of memory in MB and the size of what was written. Needs numpy, laspy and open3d.
"""

import argparse
import multiprocessing
import os
import subprocess
import sys
import tempfile
import time

import numpy as np

os.environ["MESHPIPE_CACHE"] = "none"  # each run does all of its work

PEERS = {
    "las": "import laspy; cloud = laspy.read('in.las'); cloud.xyz; cloud.write('out.las')",
    "pcd": "import open3d as o; o.io.write_point_cloud('out.pcd', o.io.read_point_cloud('in.pcd'))",
    "pts": "import open3d as o; o.io.write_point_cloud('out.pts', o.io.read_point_cloud('in.pts'))",
}


def walls(count):
    """Positions rounded to a tenth of a millimetre, colours and intensities."""
    random = np.random.default_rng(1)
    places = random.random((count, 3)) * [20, 15, 3]
    wall = random.integers(0, 5, count)
    for index, (axis, value) in enumerate([(2, 0), (0, 0), (0, 20), (1, 0), (1, 15)]):
        places[wall == index, axis] = value
    places = np.round(places + random.normal(0, 0.002, places.shape), 4)
    return places, random.integers(0, 256, (count, 3)), random.integers(0, 4096, count)


def write_las(places, colors, intensities):
    import laspy

    header = laspy.LasHeader(point_format=2, version="1.2")
    header.scales = [0.0001] * 3
    cloud = laspy.LasData(header)
    cloud.x, cloud.y, cloud.z = places.T
    cloud.red, cloud.green, cloud.blue = (colors * 257).T
    cloud.intensity = intensities
    cloud.write("in.las")


def write_pcd(places, colors, intensities):
    fields = [("x", "<f4"), ("y", "<f4"), ("z", "<f4"), ("rgb", "<u4"), ("intensity", "<u2")]
    rows = np.zeros(len(places), fields)
    rows["x"], rows["y"], rows["z"] = places.T
    rows["rgb"] = colors @ [1 << 16, 1 << 8, 1]
    rows["intensity"] = intensities
    lines = ["VERSION 0.7", "FIELDS x y z rgb intensity", "SIZE 4 4 4 4 2", "TYPE F F F F U", "COUNT 1 1 1 1 1"]
    lines += [f"WIDTH {len(rows)}", "HEIGHT 1", f"POINTS {len(rows)}", "DATA binary", ""]
    with open("in.pcd", "wb") as file:
        file.write("\n".join(lines).encode())
        file.write(rows.tobytes())


def write_pts(places, colors, intensities):
    with open("in.pts", "w") as file:
        file.write(f"{len(places)}\n")
        for start in range(0, len(places), 1_000_000):
            part = slice(start, start + 1_000_000)
            np.savetxt(file, np.column_stack([places[part], intensities[part], colors[part]]), "%.4f %.4f %.4f %d %d %d %d")


def make_files(count, names):
    cloud = walls(count)
    for name in names:
        {"las": write_las, "pcd": write_pcd, "pts": write_pts}[name](*cloud)


def measured(command, output):
    clock = time.time()
    process = subprocess.Popen(command, stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    if status:
        sys.exit(f"{command[0]} failed")
    size = os.path.getsize(output) / 1e6
    os.remove(output)
    return f"{usage.ru_utime + usage.ru_stime:.1f} | {time.time() - clock:.1f} | {usage.ru_maxrss / 1e3:,.0f} | {size:,.0f}"


def main(meshpipe, count, only):
    meshpipe = os.path.abspath(meshpipe)
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        # A process of its own: what the system reports for a child begins with the memory of this one.
        maker = multiprocessing.Process(target=make_files, args=(count, only))
        maker.start()
        maker.join()
        print("| | meshpipe: CPU s | s | MB | file MB | peer: CPU s | s | MB | file MB |\n|---|---|---|---|---|---|---|---|---|")
        for name in only:
            own = measured([meshpipe, "run", "-q", f"in.{name}", "-o", f"own.{name}"], f"own.{name}")
            peer = measured([sys.executable, "-c", PEERS[name]], f"out.{name}")
            print(f"| {name} | {own} | {peer} |", flush=True)
        os.chdir("/")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("meshpipe")
    parser.add_argument("--points", type=int, default=20_000_000)
    parser.add_argument("--only", default="las,pcd,pts")
    arguments = parser.parse_args()
    main(arguments.meshpipe, arguments.points, arguments.only.split(","))
