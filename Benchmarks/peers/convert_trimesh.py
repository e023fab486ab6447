"""Reads a mesh with trimesh and writes it in another format, without tearing it at groups."""
import sys

import trimesh

trimesh.load(sys.argv[1], process=False, force="mesh").export(sys.argv[2])
