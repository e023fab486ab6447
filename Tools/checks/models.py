#!/usr/bin/env python3
"""What trimesh finds in model files, as a JSON object by path.

    models.py FILE...

Bounds and areas are those of the scene, node transforms applied. Nothing is merged or mended.
"""
import json
import sys

import numpy as np
import trimesh


def surface(material):
    """What a material of glTF is made of beside its base colour; nothing for others."""
    if not isinstance(material, trimesh.visual.material.PBRMaterial):
        return None
    def first(picture):
        return None if picture is None else list(picture.convert("RGB").getpixel((0, 0)))
    return {
        "metallicRoughness": first(material.metallicRoughnessTexture),
        "occlusion": first(material.occlusionTexture),
        "emissiveTexture": first(material.emissiveTexture),
        "factors": [material.metallicFactor, material.roughnessFactor],
        "emissive": None if material.emissiveFactor is None else material.emissiveFactor.tolist(),
        "alphaMode": material.alphaMode, "alphaCutoff": material.alphaCutoff,
    }


def describe(path):
    scene = trimesh.load_scene(path, process=False, maintain_order=True)
    meshes = []
    for name in scene.graph.nodes_geometry:
        transform, key = scene.graph[name]
        geometry = scene.geometry[key].copy().apply_transform(transform)
        visual = getattr(geometry, "visual", None)
        material = getattr(visual, "material", None)
        picture = None
        for attribute in ("image", "baseColorTexture"):
            picture = picture or getattr(material, attribute, None)
        uv = getattr(visual, "uv", None)
        colors = None
        if visual is not None and visual.kind == "vertex" or not hasattr(geometry, "faces"):
            colors = np.asarray(getattr(geometry, "colors", None) if not hasattr(geometry, "faces") else visual.vertex_colors)
        elif visual is not None and "color" in getattr(visual, "vertex_attributes", {}):
            colors = np.asarray(visual.vertex_attributes["color"])
        faces = getattr(geometry, "faces", None)
        meshes.append({
            "name": key,
            "vertices": len(geometry.vertices),
            "faces": 0 if faces is None else len(faces),
            "area": 0 if faces is None else float(geometry.area),
            "bounds": geometry.bounds.tolist(),
            "material": getattr(material, "name", None),
            "picture": list(picture.size) if picture is not None else None,
            "surface": surface(material),
            "uvBounds": None if uv is None or len(uv) == 0 else [uv.min(0).tolist(), uv.max(0).tolist()],
            "colorMean": None if colors is None or len(colors) == 0 else colors[:, :3].mean(0).tolist(),
            "normalMean": np.asarray(geometry.vertex_normals).mean(0).tolist() if faces is not None else None,
        })
    return {
        "faces": sum(m["faces"] for m in meshes),
        "area": sum(m["area"] for m in meshes),
        "bounds": scene.bounds.tolist(),
        "meshes": meshes,
    }


print(json.dumps({path: describe(path) for path in sys.argv[1:]}, indent=1))
