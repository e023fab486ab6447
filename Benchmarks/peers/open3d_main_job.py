"""The main job with Open3D, which reads no groups: OBJ, the faces of wall and ceiling by their place
in the file, 10 %, Z up, GLB."""
import sys

import numpy as np
import open3d as o3d

from groups import is_dropped

scan, output = sys.argv[1:]
mesh = o3d.io.read_triangle_mesh(scan)
mesh.remove_triangles_by_mask(np.array(is_dropped(scan)))
mesh.remove_unreferenced_vertices()
mesh = mesh.simplify_quadric_decimation(len(mesh.triangles) // 10)
points = np.asarray(mesh.vertices)[:, [0, 2, 1]] * [1, -1, 1]
mesh.vertices = o3d.utility.Vector3dVector(points)
o3d.io.write_triangle_mesh(output, mesh)
