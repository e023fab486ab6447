#!/usr/bin/env python3
"""Places of overlapping scans: `--join=aligned` beside Open3D's global registration, where the truth is known.

    python3 Benchmarks/registration.py .build/release/meshpipe --seeds 0-10
    python3 Benchmarks/registration.py .build/release/meshpipe --seeds 0-10 --open3d   # needs PyPI's open3d

Rooms with furniture are scanned in two parts that share some of their length, or once each with furniture moved between; and
pairs that do not belong together: other rooms, mirrored ones, empty ones that fit in two places, corridors that slide.
Right is a turn within 0.1 degrees and a shift within 5 mm in the middle of the overlap; wrong is a place that was given
and is off by more than 1 degree or 5 cm.
"""

import argparse
import json
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parent))
from registration_rooms import Room, apply, furnished, movement, scan


def write_ply(path, vertices, faces):
    head = (f"ply\nformat binary_little_endian 1.0\nelement vertex {len(vertices)}\n"
            "property float x\nproperty float y\nproperty float z\n"
            f"element face {len(faces)}\nproperty list uchar int vertex_indices\nend_header\n")
    record = np.zeros(len(faces), [("n", "u1"), ("v", "<i4", 3)])
    record["n"], record["v"] = 3, faces
    Path(path).write_bytes(head.encode() + vertices.astype("<f4").tobytes() + record.tobytes())


def pair(kind, random):
    """Two scans, the movement that brings the second onto the first (None if there is none), and a place in the overlap."""
    room = furnished(random)
    vertices, _ = scan(room, random)
    size = vertices.max(0)
    axis = 0 if size[0] > size[2] else 2
    truth = movement(random)

    def parts(share, second=None):
        half = size[axis] / (2 - share)
        first = scan(room, random, lambda c: c[:, axis] < half)
        other = scan(second or room, random, lambda c: c[:, axis] > size[axis] - half)
        return first, other

    place = size / 2
    if kind.startswith("overlap"):
        first, other = parts(int(kind[7:]) / 100)
    elif kind == "moved":
        later = Room()
        later.rectangles = room.rectangles[:6]
        for item in range(6, len(room.rectangles), 5):
            shift = random.uniform(-0.8, 0.8, 3) * (1, 0, 1) if item == 6 else 0
            for corner, u, v in room.rectangles[item:item + 5]:
                later.add(corner + shift, u, v)
        first, other = parts(0.5, later)
    elif kind == "other":
        first, other, place = scan(room, random), scan(furnished(random), random), None
    elif kind == "mirrored":
        first, (v, f) = scan(room, random), scan(room, random)
        other, place = (v * (-1, 1, 1), f[:, ::-1]), None
    elif kind == "empty":
        room.rectangles = room.rectangles[:6]
        first, other, place = scan(room, random), scan(room, random), None
    else:
        room = Room()
        room.shell((0, 0, 0), (12, 2.5, 1.6), ("east", "west"))
        first = scan(room, random, lambda c: c[:, 0] < 7)
        other, place = scan(room, random, lambda c: c[:, 0] > 5), None
    back = np.linalg.inv(truth)
    return first, (apply(back, other[0]), other[1]), None if place is None else truth, place


def with_meshpipe(program, folder, first, other):
    write_ply(folder / "a.ply", *first)
    write_ply(folder / "b.ply", *other)
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(
        [program, "run", "a.ply", "b.ply", "--join=aligned", "-o", "out.ply", "--report", "r.json", "-q"],
        cwd=folder, check=True, capture_output=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    found = json.loads((folder / "r.json").read_text())["input"]["notes"]["alignment"][0]
    return np.array(found["matrix"]).reshape(4, 4) if found["fits"] else None, seconds


def with_open3d(first, other, voxel=0.1):
    """FPFH and RANSAC, then point to plane, as its tutorial has it; a fitness below .3 is taken for a refusal."""
    import open3d as o3d

    registration = o3d.pipelines.registration
    before = resource.getrusage(resource.RUSAGE_SELF)
    clouds = []
    for vertices, faces in (other, first):
        mesh = o3d.geometry.TriangleMesh(
            o3d.utility.Vector3dVector(vertices), o3d.utility.Vector3iVector(faces.astype(np.int32)))
        mesh.compute_vertex_normals()
        cloud = mesh.sample_points_uniformly(60_000).voxel_down_sample(voxel / 2)
        coarse = cloud.voxel_down_sample(voxel)
        feature = registration.compute_fpfh_feature(
            coarse, o3d.geometry.KDTreeSearchParamHybrid(radius=5 * voxel, max_nn=100))
        clouds.append((cloud, coarse, feature))
    (source, low, own), (target, below, its) = clouds
    found = registration.registration_ransac_based_on_feature_matching(
        low, below, own, its, True, 1.5 * voxel,
        registration.TransformationEstimationPointToPoint(False), 3,
        [registration.CorrespondenceCheckerBasedOnEdgeLength(0.9),
         registration.CorrespondenceCheckerBasedOnDistance(1.5 * voxel)],
        registration.RANSACConvergenceCriteria(400_000, 0.999))
    found = registration.registration_icp(
        source, target, 0.5 * voxel, found.transformation,
        registration.TransformationEstimationPointToPlane())
    after = resource.getrusage(resource.RUSAGE_SELF)
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return found.transformation if found.fitness >= 0.3 else None, seconds


def judged(found, truth, place):
    """What became of a pair, with the errors in degrees and millimetres."""
    if found is None:
        return ("refused", 0, 0)
    if truth is None:
        return ("wrong", 0, 0)
    rest = found @ np.linalg.inv(truth)
    turn = np.degrees(np.arccos(np.clip((np.trace(rest[:3, :3]) - 1) / 2, -1, 1)))
    shift = 1000 * np.linalg.norm(apply(rest, place[None])[0] - place)
    word = "right" if turn < 0.1 and shift < 5 else "near" if turn < 1 and shift < 50 else "wrong"
    return (word, turn, shift)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("meshpipe", type=Path)
    parser.add_argument("--seeds", default="0-10")
    parser.add_argument("--kinds", default="overlap70,overlap50,overlap35,moved,other,mirrored,empty,corridor")
    parser.add_argument("--open3d", action="store_true")
    options = parser.parse_args()
    low, high = (int(part) for part in options.seeds.split("-"))
    program = str(options.meshpipe.resolve())
    print("| pairs | program | right | near | wrong | refused | turn ° | shift mm | CPU s |")
    print("|---|---|---|---|---|---|---|---|---|")
    for kind in options.kinds.split(","):
        results = {}
        for seed in range(low, high):
            first, other, truth, place = pair(kind, np.random.default_rng([seed, sum(map(ord, kind))]))
            with tempfile.TemporaryDirectory() as folder:
                runs = [("meshpipe", with_meshpipe(program, Path(folder), first, other))]
            if options.open3d:
                runs.append(("Open3D", with_open3d(first, other)))
            for name, (found, seconds) in runs:
                results.setdefault(name, []).append((*judged(found, truth, place), seconds))
        for name, rows in results.items():
            words = [row[0] for row in rows]
            good = [row for row in rows if row[0] in ("right", "near")]
            errors = [f"{max(row[i] for row in good):.3f}" if good else "" for i in (1, 2)]
            counts = " | ".join(str(words.count(word)) for word in ("right", "near", "wrong", "refused"))
            print(f"| {kind} | {name} | {counts} | {errors[0]} | {errors[1]} | {np.mean([r[3] for r in rows]):.1f} |",
                  flush=True)


if __name__ == "__main__":
    main()
