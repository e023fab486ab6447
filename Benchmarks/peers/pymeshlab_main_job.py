"""The main job with PyMeshLab, which reads no groups and writes no GLB: OBJ, the faces of wall and
ceiling by their place in the file, 10 %, Z up, PLY."""
import pathlib
import sys

import numpy as np
import pymeshlab

scan, output = sys.argv[1:]
labels, name = [], None
with open(scan) as lines:
    for line in lines:
        if line[0] == "g":
            name = line[2:].strip()
        elif line[0] == "f":
            labels.append(name in ("wall", "ceiling"))
meshes = pymeshlab.MeshSet()
meshes.load_new_mesh(scan)
mesh = meshes.current_mesh()
kept = mesh.face_matrix()[~np.array(labels)]
meshes.add_mesh(pymeshlab.Mesh(mesh.vertex_matrix()[:, [0, 2, 1]] * [1, -1, 1], kept))
meshes.meshing_remove_unreferenced_vertices()
meshes.meshing_decimation_quadric_edge_collapse(targetfacenum=len(kept) // 10, preserveboundary=True)
meshes.save_current_mesh(str(pathlib.Path(output).with_suffix(".ply")))
