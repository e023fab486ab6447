#!/usr/bin/env python3
"""What Pixar's library finds in USD files, as a JSON array with an object for each.

    usd.py FILE...        # needs usd-core from PyPI

Names what the compliance checker for ARKit finds fault with, the metadata of the stage, its layer as text (by a
hash), and each mesh and point cloud: counts, box, interpolations, subsets and materials with their textures.
"""
import hashlib
import json
import pathlib
import sys

import numpy as np
from pxr import Kind, Sdf, Sdr, Tf, Usd, UsdGeom, UsdShade, UsdUtils, Vt  # noqa: F401 (Kind loads a library)

# The wheel comes without the definitions of shaders, which the registry misses once, when it is made.
try:
    Sdr.Registry().GetShaderNodeByIdentifier("UsdPreviewSurface")
except Tf.ErrorException:
    pass


def faults(path):
    checker = UsdUtils.ComplianceChecker(
        arkit=True, skipARKitRootLayerCheck=not path.endswith(".usdz"))
    checker.CheckCompliance(path)
    found = checker.GetErrors() + checker.GetFailedChecks() + checker.GetWarnings()
    return [fault for fault in found if "has invalid shader node" not in fault]


def box(prim):
    """The authored extent, and the one that the library computes."""
    boundable = UsdGeom.Boundable(prim)
    found = UsdGeom.Boundable.ComputeExtentFromPlugins(boundable, Usd.TimeCode.Default())
    if prim.IsA(UsdGeom.Points):
        # The plugin wants as many widths as points.
        cloud = UsdGeom.Points(prim)
        places = cloud.GetPointsAttr().Get()
        found = UsdGeom.Points.ComputeExtent(places, list(cloud.GetWidthsAttr().Get()) * len(places))
    return [np.array(boundable.GetExtentAttr().Get()).tolist(), np.array(found).tolist()]


def primvar(prim, name):
    """Interpolation, count of values and the value of each element."""
    found = UsdGeom.PrimvarsAPI(prim).GetPrimvar(name)
    if not found or not found.HasValue():
        return None
    values = found.ComputeFlattened()
    return {
        "interpolation": found.GetInterpolation(), "count": len(found.Get()),
        "values": [str(value) for value in values] if isinstance(values, Vt.StringArray)
        else np.array(values).reshape(len(values), -1).tolist(),
    }


def shader(material):
    """The inputs of a material's surface: a value, or what the connected texture or reader says."""
    surface = material.ComputeSurfaceSource()[0]
    inputs = {}
    for port in surface.GetInputs():
        sources = port.GetConnectedSources()[0]
        if not sources:
            value = port.Get()
            inputs[port.GetBaseName()] = list(value) if hasattr(value, "__len__") else value
            continue
        source = UsdShade.Shader(sources[0].source.GetPrim())
        words = [source.GetShaderId(), sources[0].sourceName]
        for name in ("file", "sourceColorSpace", "varname", "scale", "bias", "fallback"):
            given = source.GetInput(name)
            if given and given.Get() is not None:
                value = given.Get()
                # Within a package the path ends in brackets.
                words.append(pathlib.PurePath(value.resolvedPath).name.split("[")[-1].rstrip("]")
                             if isinstance(value, Sdf.AssetPath) else str(value))
        inputs[port.GetBaseName()] = " ".join(words)
    return inputs


def bound(prim):
    material = UsdShade.MaterialBindingAPI(prim).ComputeBoundMaterial()[0]
    return material.GetPrim().GetName() if material else None


def subset(prim):
    found = UsdGeom.Subset(prim)
    name = prim.GetAttribute("userProperties:classification")
    return {
        "name": prim.GetName(), "family": found.GetFamilyNameAttr().Get(),
        "faces": list(found.GetIndicesAttr().Get()), "material": bound(prim),
        "class": name.Get() if name else None,
    }


def mesh(prim):
    found = UsdGeom.Mesh(prim)
    normals = found.GetNormalsAttr()
    families = UsdGeom.Subset.GetAllGeomSubsetFamilyNames(found)
    return {
        "name": prim.GetName(), "box": box(prim), "points": len(found.GetPointsAttr().Get()),
        "faces": found.GetFaceCount(), "corners": len(found.GetFaceVertexIndicesAttr().Get()),
        "isValid": UsdGeom.Mesh.ValidateTopology(
            found.GetFaceVertexIndicesAttr().Get(), found.GetFaceVertexCountsAttr().Get(),
            len(found.GetPointsAttr().Get()))[0]
        and all(UsdGeom.Subset.ValidateFamily(found, "face", name)[0] for name in families),
        "subdivision": found.GetSubdivisionSchemeAttr().Get(),
        "isDoubleSided": found.GetDoubleSidedAttr().Get(),
        "normals": [len(normals.Get() or []), found.GetNormalsInterpolation()],
        "st": primvar(prim, "st"), "st1": primvar(prim, "st1"),
        "colors": primvar(prim, "displayColor"), "opacities": primvar(prim, "displayOpacity"),
        "material": bound(prim),
        "subsets": [subset(child) for child in prim.GetChildren() if child.IsA(UsdGeom.Subset)],
    }


def points(prim):
    found = UsdGeom.Points(prim)
    return {
        "name": prim.GetName(), "box": box(prim), "points": len(found.GetPointsAttr().Get()),
        "width": found.GetWidthsAttr().Get()[0], "colors": primvar(prim, "displayColor"),
        "classes": primvar(prim, "classification"),
    }


def describe(path):
    stage = Usd.Stage.Open(path)
    prims = list(stage.Traverse())
    cache = UsdGeom.BBoxCache(Usd.TimeCode.Default(), ["default"])
    world = cache.ComputeWorldBound(stage.GetPseudoRoot()).ComputeAlignedRange()
    text = stage.GetRootLayer().ExportToString()
    return {
        "faults": faults(path), "digest": hashlib.sha256(text.encode()).hexdigest(),
        "root": stage.GetDefaultPrim().GetName(), "upAxis": UsdGeom.GetStageUpAxis(stage),
        "unit": UsdGeom.GetStageMetersPerUnit(stage),
        "low": list(world.GetMin()), "high": list(world.GetMax()),
        "meshes": [mesh(prim) for prim in prims if prim.IsA(UsdGeom.Mesh)],
        "points": [points(prim) for prim in prims if prim.IsA(UsdGeom.Points)],
        "materials": {prim.GetName(): shader(UsdShade.Material(prim))
                      for prim in prims if prim.IsA(UsdShade.Material)},
    }


print(json.dumps([describe(path) for path in sys.argv[1:]]))
