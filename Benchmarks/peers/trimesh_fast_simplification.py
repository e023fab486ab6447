"""The main job with trimesh and fast-simplification: OBJ, drop wall and ceiling, 10 %, Z up, GLB."""
import sys

import fast_simplification
import numpy as np
import trimesh

scan, output = sys.argv[1:]
scene = trimesh.load(scan, group_material=False, split_object=True, split_groups=True, process=False)
parts = [mesh for name, mesh in scene.geometry.items() if name.split("_")[0] not in ("wall", "ceiling")]
mesh = trimesh.util.concatenate(parts)
mesh.merge_vertices()
points, faces = fast_simplification.simplify(
    mesh.vertices.astype(np.float32), mesh.faces, target_reduction=0.9)
points = points[:, [0, 2, 1]] * [1, -1, 1]
trimesh.Trimesh(points, faces, process=False).export(output)
