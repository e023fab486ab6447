"""What lib3mf finds in 3MF files, as JSON: faces and bounds of all that is built, in the file's unit.

    python threemf.py FILE-OR-FOLDER ... [--strict]

A file that it refuses has none; --strict also counts what is against the specification as refused.
"""
import json
import pathlib
import sys

import lib3mf
import numpy as np


def matrix(transform):
    return np.hstack([np.array([list(row) for row in transform.Fields]), [[0], [0], [0], [1]]])


def corners(model, item, placed):
    """The corners of all faces under an object."""
    if item.IsMeshObject():
        mesh = model.GetMeshObjectByID(item.GetUniqueResourceID())
        if mesh.GetTriangleCount() == 0:
            return []
        vertices = np.array([list(vertex.Coordinates) for vertex in mesh.GetVertices()])
        indices = np.array([list(triangle.Indices) for triangle in mesh.GetTriangleIndices()])
        return [(vertices @ placed[:3, :3] + placed[3, :3])[indices.ravel()]]
    result = []
    parts = model.GetComponentsObjectByID(item.GetUniqueResourceID())
    for number in range(parts.GetComponentCount()):
        part = parts.GetComponent(number)
        own = matrix(part.GetTransform()) if part.HasTransform() else np.eye(4)
        result += corners(model, part.GetObjectResource(), own @ placed)
    return result


def look(path, strict):
    model = lib3mf.get_wrapper().CreateModel()
    reader = model.QueryReader("3mf")
    reader.SetStrictModeActive(strict)
    try:
        reader.ReadFromFile(str(path))
    except Exception as error:
        return {"error": str(error)}
    found = []
    items = model.GetBuildItems()
    while items.MoveNext():
        item = items.GetCurrent()
        own = matrix(item.GetObjectTransform()) if item.HasObjectTransform() else np.eye(4)
        found += corners(model, item.GetObjectResource(), own)
    if not found:
        return {"faces": 0}
    points = np.vstack(found)
    return {
        "faces": len(points) // 3, "low": points.min(0).tolist(), "high": points.max(0).tolist(),
        "textures": model.GetTexture2Ds().Count(), "layers": model.GetMultiPropertyGroups().Count(),
        "materials": model.GetBaseMaterialGroups().Count(),
        "colors": model.GetColorGroups().Count(),
        "warnings": [reader.GetWarning(i)[1] for i in range(reader.GetWarningCount())],
    }


paths = [pathlib.Path(name) for name in sys.argv[1:] if name != "--strict"]
files = [file for path in paths for file in (sorted(path.glob("*.3mf")) if path.is_dir() else [path])]
print(json.dumps({file.name: look(file, "--strict" in sys.argv) for file in files}))
