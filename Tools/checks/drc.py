#!/usr/bin/env python3
"""Encodes a Draco file with DracoPy from a JSON file, which has `points` and any of `faces`, `normals`, `colors`,
`tex_coord`, `generic` (a number for each point), `level` (0 to 10) and `keep` (whether to keep the order).

    drc.py JSON DRC
"""
import json
import sys

import DracoPy
import numpy

with open(sys.argv[1], encoding="utf-8") as file:
    given = json.load(file)


def array(name, kind):
    return numpy.array(given[name], dtype=kind) if name in given else None


more = {}
if "generic" in given:
    more["generic_attributes"] = {"weight": array("generic", numpy.float32).reshape(-1, 1)}
data = DracoPy.encode(
    array("points", numpy.float32), array("faces", numpy.uint32), quantization_bits=given.get("bits", 24),
    compression_level=given["level"], preserve_order=given["keep"], colors=array("colors", numpy.uint8),
    tex_coord=array("tex_coord", float), normals=array("normals", float), **more)
with open(sys.argv[2], "wb") as file:
    file.write(data)
