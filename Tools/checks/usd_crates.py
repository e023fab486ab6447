#!/usr/bin/env python3
"""Writes a stage as text and as a crate of a version, with Pixar's library.

    usd_crates.py FOLDER VERSION        # needs usd-core from PyPI

It has inlined and compressed values of many types: half, double and whole arrays, tables, matrices, time samples,
variants, references and payloads.
"""
import os
import sys

folder, version = sys.argv[1:]
os.environ["USD_WRITE_NEW_USDC_FILES_AS_VERSION"] = version

from pxr import Gf, Sdf, Usd, UsdGeom, UsdShade, Vt  # noqa: E402

stage = Usd.Stage.CreateNew(folder + "/a.usda")
UsdGeom.SetStageUpAxis(stage, "Z")
UsdGeom.SetStageMetersPerUnit(stage, 0.5)
root = UsdGeom.Xform.Define(stage, "/model")
root.AddTranslateOp().Set(Gf.Vec3d(1, 2, 3))
root.AddOrientOp(UsdGeom.XformOp.PrecisionHalf).Set(Gf.Quath(0.5, 0.5, 0.5, 0.5))
root.AddScaleOp().Set(Gf.Vec3f(2, 2, 2))
stage.SetDefaultPrim(root.GetPrim())

side = 15
grid = UsdGeom.Mesh.Define(stage, "/model/grid")
grid.CreatePointsAttr([Gf.Vec3f(x * 0.1, y * 0.3, (x * y) % 7) for y in range(side) for x in range(side)])
quads = [(y * side + x) for y in range(side - 1) for x in range(side - 1)]
grid.CreateFaceVertexCountsAttr([4] * len(quads))
grid.CreateFaceVertexIndicesAttr([i for q in quads for i in (q, q + 1, q + side + 1, q + side)])
grid.CreateSubdivisionSchemeAttr("none")
primvars = UsdGeom.PrimvarsAPI(grid)
primvars.CreatePrimvar("st", Sdf.ValueTypeNames.TexCoord2hArray, "vertex").Set(
    Vt.Vec2hArray([Gf.Vec2h(x / 16, y / 16) for y in range(side) for x in range(side)]))
primvars.CreatePrimvar("displayColor", Sdf.ValueTypeNames.Color3fArray, "vertex").Set(
    [Gf.Vec3f(x / 20, y / 20, 0.5) for y in range(side) for x in range(side)])
# Whole numbers are coded as integers, and few different ones as a table.
primvars.CreatePrimvar("confidence", Sdf.ValueTypeNames.FloatArray, "vertex").Set(
    [float(place % 3) for place in range(side * side)])
primvars.CreatePrimvar("displayOpacity", Sdf.ValueTypeNames.FloatArray, "vertex").Set(
    [(place % 2 + 1) / 3 for place in range(side * side)])

box = UsdGeom.Cube.Define(stage, "/model/box")
box.AddTransformOp().Set(Gf.Matrix4d(2, 0, 0, 0, 0, 3, 0, 0, 0, 0, 4, 0, 0, 0, 0, 1))
box.CreateSizeAttr(0.1)
box.CreateDoubleSidedAttr(True)

moving = UsdGeom.Mesh.Define(stage, "/model/moving")
moving.CreateFaceVertexCountsAttr([3, 3])
moving.CreateFaceVertexIndicesAttr([0, 1, 2, 0, 2, 3])
moving.CreateSubdivisionSchemeAttr("none")
for time in (3, 1, 7):
    moving.GetPointsAttr().Set([Gf.Vec3f(time, 0, 0), Gf.Vec3f(1, 0, 0), Gf.Vec3f(1, 1, 0), Gf.Vec3f(0, 1, 0)], time)

material = UsdShade.Material.Define(stage, "/model/red")
surface = UsdShade.Shader.Define(stage, "/model/red/surface")
surface.CreateIdAttr("UsdPreviewSurface")
surface.CreateInput("diffuseColor", Sdf.ValueTypeNames.Color3f).Set(Gf.Vec3f(1, 0, 0.25))
surface.CreateInput("roughness", Sdf.ValueTypeNames.Float).Set(0.25)
surface.CreateInput("opacity", Sdf.ValueTypeNames.Float).Set(0.5)
material.CreateSurfaceOutput().ConnectToSource(surface.ConnectableAPI(), "surface")
UsdShade.MaterialBindingAPI(grid).Bind(material)

library = UsdGeom.Mesh.Define(stage, "/library")
library.CreateFaceVertexCountsAttr([4])
library.CreateFaceVertexIndicesAttr([0, 1, 2, 3])
library.CreatePointsAttr([(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0)])
library.CreateSubdivisionSchemeAttr("none")
for name in ("first", "second"):
    prim = stage.DefinePrim("/model/" + name)
    prim.GetReferences().SetReferences(
        [Sdf.Reference("", "/library", customData={"a": 1.5, "b": {"c": "text"}})])
    UsdGeom.Xformable(prim).AddRotateXYZOp().Set(Gf.Vec3f(10, 20, 30))
third = stage.DefinePrim("/model/third")
if tuple(map(int, version.split("."))) < (0, 8):
    # The library makes lists of payloads, which need version 0.8.
    third.GetReferences().SetReferences([Sdf.Reference("", "/library")])
else:
    third.GetPayloads().AddPayload(Sdf.Payload("", "/library"))
choosing = stage.DefinePrim("/model/choices", "Xform")
choices = choosing.GetVariantSets().AddVariantSet("shape")
# Old versions know no list that is put before another.
choosing.SetMetadata("variantSetNames", Sdf.StringListOp.CreateExplicit(["shape"]))
for name in ("a", "b"):
    choices.AddVariant(name)
    choices.SetVariantSelection(name)
    with choices.GetVariantEditContext():
        inner = UsdGeom.Mesh.Define(stage, "/model/choices/" + name)
        inner.CreateFaceVertexCountsAttr([3, 3, 3, 3])
        inner.CreateFaceVertexIndicesAttr([0, 1, 2] * 4)
        inner.CreatePointsAttr([(0, 0, 0), (1, 0, 0), (1, 1, 0)])
        inner.CreateSubdivisionSchemeAttr("none")

points = UsdGeom.Points.Define(stage, "/model/points")
points.CreatePointsAttr([(place, place % 3, -place) for place in range(40)])
classes = UsdGeom.PrimvarsAPI(points).CreatePrimvar("classification", Sdf.ValueTypeNames.StringArray, "vertex")
classes.Set(["wall", "sofa"])
classes.SetIndices([place % 2 for place in range(40)])

stage.GetRootLayer().Save()
stage.GetRootLayer().Export(folder + "/a.usdc")

# The box of all vertices in the world, at the first time.
cache, world = UsdGeom.XformCache(1), []
for prim in stage.Traverse():
    places = UsdGeom.PointBased(prim).GetPointsAttr().Get(1) if prim.IsA(UsdGeom.PointBased) else []
    if prim.IsA(UsdGeom.Cube):
        half = UsdGeom.Cube(prim).GetSizeAttr().Get() / 2
        places = [Gf.Vec3d(x, y, z) for x in (-half, half) for y in (-half, half) for z in (-half, half)]
    world += [cache.GetLocalToWorldTransform(prim).Transform(Gf.Vec3d(place)) for place in places]
print(*[min(place[axis] for place in world) for axis in range(3)], *[max(place[axis] for place in world) for axis in range(3)])
