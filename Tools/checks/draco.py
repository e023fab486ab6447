#!/usr/bin/env python3
"""What DracoPy finds in the compressed primitives of GLB files, as a JSON list with an entry for each primitive.

    draco.py FILE...
"""
import json
import struct
import sys

import DracoPy


def describe(path):
    with open(path, "rb") as file:
        data = file.read()
    length = struct.unpack_from("<I", data, 12)[0]
    document = json.loads(data[20:20 + length])
    binary = data[28 + length:]
    for primitive in [one for mesh in document["meshes"] for one in mesh["primitives"]]:
        packed = primitive["extensions"]["KHR_draco_mesh_compression"]
        view = document["bufferViews"][packed["bufferView"]]
        start = view.get("byteOffset", 0)
        mesh = DracoPy.decode(binary[start:start + view["byteLength"]])
        found = {one["unique_id"]: one["data"] for one in mesh.attributes}
        accessors = {name: document["accessors"][number] for name, number in primitive["attributes"].items()}
        yield {
            "faces": mesh.faces.tolist(),
            "counts": sorted({accessor["count"] for accessor in accessors.values()}),
            "indices": document["accessors"][primitive["indices"]]["count"],
            "low": accessors["POSITION"]["min"],
            "high": accessors["POSITION"]["max"],
            "attributes": {name: found[number].tolist() for name, number in packed["attributes"].items()},
        }


print(json.dumps([entry for path in sys.argv[1:] for entry in describe(path)]))
