#!/usr/bin/env python3
"""The attributes of vertices that trimesh finds in PLY and glTF files, as a JSON list.

    attributes.py FILE...
"""
import json
import sys

import numpy as np
import trimesh


def describe(path):
    mesh = trimesh.load(path, process=False, maintain_order=True, force="mesh")
    if path.endswith(".ply"):
        found = mesh.metadata["_ply_raw"]["vertex"]["data"]
        names = found.dtype.names if isinstance(found, np.ndarray) else list(found)
    else:
        found = mesh.vertex_attributes
        names = list(found)
    return {
        "positions": mesh.vertices.tolist(),
        "attributes": {name: np.asarray(found[name], float).ravel().tolist() for name in names},
    }


print(json.dumps([describe(path) for path in sys.argv[1:]]))
