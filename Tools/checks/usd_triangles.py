#!/usr/bin/env python3
"""Prints what Pixar's library shows of stages: the corners of all triangles, one line for each stage.

    usd_triangles.py FILE...        # needs usd-core from PyPI

A line has nine numbers for each triangle, in the axes and the unit of the stage, corners counterclockwise from the
front. What is invisible, a guide or a proxy, a hole, or switched off in an instancer is not there. Each stage is also
saved as a crate beside it (FILE with the ending .usdc).
"""
import sys

import numpy as np
from pxr import Gf, Usd, UsdGeom

time = Usd.TimeCode.EarliestTime()


def is_shown(prim):
    imageable = UsdGeom.Imageable(prim)
    if not imageable:
        return True
    return (imageable.ComputeVisibility(time) != UsdGeom.Tokens.invisible
            and imageable.ComputePurpose() in (UsdGeom.Tokens.default_, UsdGeom.Tokens.render))


class Stage:
    def __init__(self, path):
        self.stage = Usd.Stage.Open(path)
        self.places = UsdGeom.XformCache(time)
        self.triangles = []

    def add(self, prim, place):
        """The triangles of a prim, if it is a mesh."""
        if prim.GetTypeName() != "Mesh" or not is_shown(prim):
            return
        mesh = UsdGeom.Mesh(prim)
        points = mesh.GetPointsAttr().Get(time) or []
        indices = np.array(mesh.GetFaceVertexIndicesAttr().Get(time) or []).reshape(-1, 3)
        holes = set(mesh.GetHoleIndicesAttr().Get(time) or [])
        is_left = mesh.GetOrientationAttr().Get() == UsdGeom.Tokens.leftHanded
        if is_left != (place.GetDeterminant3() < 0):
            indices = indices[:, ::-1]
        corners = [place.Transform(Gf.Vec3d(point)) for point in points]
        self.triangles += [[corners[i] for i in face] for n, face in enumerate(indices) if n not in holes]

    def add_instances(self, prim):
        instancer = UsdGeom.PointInstancer(prim)
        places = instancer.ComputeInstanceTransformsAtTime(
            time, time, UsdGeom.PointInstancer.IncludeProtoXform, UsdGeom.PointInstancer.IgnoreMask)
        mask = instancer.ComputeMaskAtTime(time) or [True] * len(places)
        prototypes = instancer.GetPrototypesRel().GetForwardedTargets()
        base = self.places.GetLocalToWorldTransform(prim)
        for index, place, shown in zip(instancer.GetProtoIndicesAttr().Get(time), places, mask):
            root = self.stage.GetPrimAtPath(prototypes[index])
            home = self.places.GetLocalToWorldTransform(root).GetInverse()
            # Patterns count here, too, and what merely adds to other prims.
            for below in Usd.PrimRange(root, Usd.PrimIsActive & Usd.PrimIsLoaded) if shown else ():
                self.add(below, self.places.GetLocalToWorldTransform(below) * home * place * base)

    def read(self):
        prims = iter(Usd.PrimRange.Stage(self.stage, Usd.TraverseInstanceProxies()))
        for prim in prims:
            if prim.IsA(UsdGeom.PointInstancer):
                prims.PruneChildren()
                if is_shown(prim):
                    self.add_instances(prim)
            else:
                self.add(prim, self.places.GetLocalToWorldTransform(prim))
        return np.array(self.triangles, dtype=float).ravel()


for path in sys.argv[1:]:
    stage = Stage(path)
    print(*(format(number, ".9g") for number in stage.read()))
    stage.stage.GetRootLayer().Export(path.removesuffix(".usda") + ".usdc")
