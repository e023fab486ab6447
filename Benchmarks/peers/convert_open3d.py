"""Reads a mesh with Open3D and writes it in another format."""
import sys

import open3d

open3d.io.write_triangle_mesh(sys.argv[2], open3d.io.read_triangle_mesh(sys.argv[1]))
