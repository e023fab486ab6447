"""The main job with PyMeshLab, which reads no groups and writes no GLB: OBJ, the faces of wall and
ceiling by their place in the file, 10 %, Z up, PLY."""
import pathlib
import sys

import numpy as np
import pymeshlab

from groups import is_dropped

scan, output = sys.argv[1:]
meshes = pymeshlab.MeshSet()
meshes.load_new_mesh(scan)
mesh = meshes.current_mesh()
kept = mesh.face_matrix()[~np.array(is_dropped(scan))]
meshes.add_mesh(pymeshlab.Mesh(mesh.vertex_matrix()[:, [0, 2, 1]] * [1, -1, 1], kept))
meshes.meshing_remove_unreferenced_vertices()
meshes.meshing_decimation_quadric_edge_collapse(targetfacenum=len(kept) // 10, preserveboundary=True)
meshes.save_current_mesh(str(pathlib.Path(output).with_suffix(".ply")))
