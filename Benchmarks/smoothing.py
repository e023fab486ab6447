"""Smooths and flattens a noisy mesh whose truth is known with meshpipe and with peers, and prints a table of what is left.

    python3 Benchmarks/smoothing.py MESHPIPE TRUTH [--edge 0.02] [--noise 0.002] [--runs 3]

TRUTH is an exact model in metres with planes and sharp edges, such as the true mesh of a synthetic capture: a
file that trimesh reads. It is divided until no edge is longer than --edge, and each vertex is moved along its
normal by Gaussian noise. Needs numpy, scipy, trimesh and Open3D, which measures, and PyMeshLab if it is
installed.

Error: mean and RMS distance of the vertices from the truth. Planes: mean angle between the normals of faces
away from edges and those of the truth, on what is plane there. Edges: the same within two rings of faces
beside edges of 60 to 120 degrees. Volume: its change against the truth. Flipped: faces that look away from
where they should. Seconds: CPU time of the algorithm alone; for meshpipe what a run takes longer than one
that does not smooth, reading and writing in both.
"""
import argparse
import pathlib
import tempfile
import time

import numpy as np
import open3d
import trimesh

import measure


def area_vectors(vertices, faces):
    a, b, c = (vertices[faces[:, corner]] for corner in range(3))
    return np.cross(b - a, c - a)


def units(vectors):
    return vectors / np.maximum(np.linalg.norm(vectors, axis=1), 1e-30)[:, None]


def volume(vertices, faces):
    middle = vertices.mean(axis=0)
    return np.einsum("ij,ij->", vertices[faces[:, 0]] - middle, area_vectors(vertices, faces)) / 6


class Trial:
    """A true mesh of short edges, its noisy copy, and what is measured on it."""

    def __init__(self, path, edge, noise):
        truth = trimesh.load(path, process=False, force="mesh")
        truth.merge_vertices(merge_tex=True, merge_norm=True)
        self.surface = open3d.t.geometry.RaycastingScene()
        self.surface.add_triangles(
            open3d.core.Tensor(truth.vertices.astype(np.float32)),
            open3d.core.Tensor(truth.faces.astype(np.uint32)))
        vertices, faces = trimesh.remesh.subdivide_to_size(truth.vertices, truth.faces, edge, max_iter=30)
        fine = trimesh.Trimesh(vertices, faces, process=False)
        fine.merge_vertices()
        fine.update_faces(fine.nondegenerate_faces())
        self.vertices, self.faces = np.asarray(fine.vertices), np.asarray(fine.faces)
        vectors = area_vectors(self.vertices, self.faces)
        self.normals, self.areas = units(vectors), np.linalg.norm(vectors, axis=1) / 2
        self.find_edges(fine)
        sums = np.zeros_like(self.vertices)
        for corner in range(3):
            np.add.at(sums, self.faces[:, corner], vectors)
        random = np.random.default_rng(1)
        self.noisy = self.vertices + units(sums) * random.normal(0, noise, (len(self.vertices), 1))

    def find_edges(self, fine):
        """Faces beside right-angled edges, and faces of planes away from any edge."""
        angles = np.degrees(fine.face_adjacency_angles)
        def beside(edges):
            near = np.zeros(len(self.vertices), bool)
            near[edges.ravel()] = True
            for _ in range(2):
                near[self.faces[near[self.faces].any(axis=1)].ravel()] = True
            return near[self.faces].all(axis=1)
        straight = (angles > 60) & (angles < 120)
        self.edge_faces = beside(fine.face_adjacency_edges[straight])
        self.plane_faces = ~beside(fine.face_adjacency_edges[angles > 0.5])

    def score(self, vertices):
        distance = self.surface.compute_distance(open3d.core.Tensor(vertices.astype(np.float32))).numpy() * 1000
        normals = units(area_vectors(vertices, self.faces))
        angle = np.degrees(np.arccos(np.clip((normals * self.normals).sum(axis=1), -1, 1)))
        change = volume(vertices, self.faces) / volume(self.vertices, self.faces) - 1
        return [
            f"{distance.mean():.2f}", f"{np.sqrt((distance ** 2).mean()):.2f}",
            *(f"{np.average(angle[chosen], weights=self.areas[chosen]):.1f}"
              for chosen in (self.plane_faces, self.edge_faces)),
            f"{100 * change:+.3f}", f"{100 * (angle > 90).mean():.2f}"]


def write(path, vertices, faces):
    """A binary PLY, which keeps the order of vertices and faces."""
    head = ("ply\nformat binary_little_endian 1.0\n"
            f"element vertex {len(vertices)}\nproperty float x\nproperty float y\nproperty float z\n"
            f"element face {len(faces)}\nproperty list uchar int vertex_indices\nend_header\n")
    rows = np.empty(len(faces), np.dtype([("count", "u1"), ("vertices", "<i4", 3)]))
    rows["count"], rows["vertices"] = 3, faces
    path.write_bytes(head.encode() + vertices.astype("<f4").tobytes() + rows.tobytes())


def meshpipe(program, trial, folder, runs, *options, stage="smooth"):
    """The smoothed vertices, and the median of the seconds that the stage takes."""
    source, result = folder / "noisy.ply", folder / "smooth.ply"
    write(source, trial.noisy, trial.faces)
    stage = " ".join([stage, *options])
    commands = {
        "smooth": [program, "run", source, "-s", stage, "-o", result, "--force"],
        "copy": [program, "run", source, "-o", folder / "copy.ply", "--force"]}
    taken = {name: measure.medians(all).cpu for name, all in measure.in_turn(commands, runs).items()}
    vertices = np.asarray(trimesh.load(result, process=False).vertices)
    return vertices, taken["smooth"] - taken["copy"]


def timed(smooth):
    start = time.process_time()
    vertices = smooth()
    return vertices, time.process_time() - start


def open3d_taubin(trial, steps):
    mesh = open3d.geometry.TriangleMesh(
        open3d.utility.Vector3dVector(trial.noisy), open3d.utility.Vector3iVector(trial.faces))
    return timed(lambda: np.asarray(mesh.filter_smooth_taubin(steps).vertices))


def trimesh_taubin(trial, steps):
    mesh = trimesh.Trimesh(trial.noisy.copy(), trial.faces, process=False)
    return timed(lambda: np.asarray(trimesh.smoothing.filter_taubin(mesh, iterations=steps).vertices))


def open3d_planes(trial, reach):
    """RANSAC planes one after the other, down to a hundredth of the vertices, with vertices moved onto them."""
    def snap():
        vertices, left = trial.noisy.copy(), np.arange(len(trial.noisy))
        while True:
            cloud = open3d.geometry.PointCloud(open3d.utility.Vector3dVector(trial.noisy[left]))
            plane, inside = cloud.segment_plane(reach, 3, 1000)
            if len(inside) < len(vertices) / 100:
                return vertices
            normal, chosen = np.array(plane[:3]), left[inside]
            vertices[chosen] -= np.outer(vertices[chosen] @ normal + plane[3], normal)
            left = np.delete(left, inside)
    return timed(snap)


def pymeshlab_filter(trial, name, **options):
    import pymeshlab

    meshes = pymeshlab.MeshSet()
    meshes.add_mesh(pymeshlab.Mesh(trial.noisy, trial.faces))
    _, seconds = timed(lambda: meshes.apply_filter(name, **options))
    return meshes.current_mesh().vertex_matrix(), seconds


def contenders(program, trial, folder, runs):
    yield "noisy", lambda: (trial.noisy, None)
    yield "meshpipe bilateral", lambda: meshpipe(program, trial, folder, runs)
    yield "meshpipe taubin", lambda: meshpipe(program, trial, folder, runs, "method=taubin")
    yield "meshpipe flatten", lambda: meshpipe(program, trial, folder, runs, stage="flatten")
    yield "Open3D planes, snapped", lambda: open3d_planes(trial, 0.01)
    yield "Open3D Taubin, 10", lambda: open3d_taubin(trial, 10)
    yield "Open3D Taubin, 50", lambda: open3d_taubin(trial, 50)
    yield "trimesh Taubin, 10", lambda: trimesh_taubin(trial, 10)
    yield "PyMeshLab Taubin, 10", lambda: pymeshlab_filter(trial, "apply_coord_taubin_smoothing")
    yield "PyMeshLab two-step", lambda: pymeshlab_filter(trial, "apply_coord_two_steps_smoothing")
    yield "PyMeshLab two-step, 20 + 20", lambda: pymeshlab_filter(
        trial, "apply_coord_two_steps_smoothing", stepnormalnum=20, stepfitnum=20)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("meshpipe")
    parser.add_argument("truth")
    parser.add_argument("--edge", type=float, default=0.02)
    parser.add_argument("--noise", type=float, default=0.002)
    parser.add_argument("--runs", type=int, default=3)
    given = parser.parse_args()
    trial = Trial(given.truth, given.edge, given.noise)
    print(f"{len(trial.faces):,} faces, noise of {given.noise * 1000:g} mm\n")
    print("| | mean mm | RMS mm | planes ° | edges ° | volume % | flipped % | CPU s |\n|---|" + "---|" * 7)
    with tempfile.TemporaryDirectory() as folder:
        for name, smooth in contenders(given.meshpipe, trial, pathlib.Path(folder), given.runs):
            try:
                vertices, seconds = smooth()
            except ImportError:
                continue
            taken = "" if seconds is None else f"{seconds:.2f}"
            print(f"| {name} | " + " | ".join(trial.score(vertices) + [taken]) + " |", flush=True)


if __name__ == "__main__":
    main()
