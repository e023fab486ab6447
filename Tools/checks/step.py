#!/usr/bin/env python3
"""Opens a STEP file with OpenCASCADE and says what it finds, as JSON.

    step.py FILE

For each part its name, what it is made of, whether OpenCASCADE's analyser takes it for valid, its volume, area and bounds in
millimetres, the greatest tolerance that OpenCASCADE had to give to an edge or vertex, and its colours in sRGB with the number of
faces of each.
"""
import json
import sys

from OCP.Bnd import Bnd_Box
from OCP.BRep import BRep_Tool
from OCP.BRepBndLib import BRepBndLib
from OCP.BRepCheck import BRepCheck_Analyzer
from OCP.BRepGProp import BRepGProp
from OCP.GProp import GProp_GProps
from OCP.IFSelect import IFSelect_ReturnStatus
from OCP.Quantity import Quantity_Color, Quantity_TypeOfColor
from OCP.STEPCAFControl import STEPCAFControl_Reader
from OCP.TCollection import TCollection_ExtendedString
from OCP.TDataStd import TDataStd_Name
from OCP.TDF import TDF_LabelSequence
from OCP.TDocStd import TDocStd_Document
from OCP.TopAbs import TopAbs_ShapeEnum as Kind
from OCP.TopExp import TopExp, TopExp_Explorer
from OCP.TopoDS import TopoDS
from OCP.XCAFDoc import XCAFDoc_ColorType, XCAFDoc_DocumentTool, XCAFDoc_ShapeTool

try:
    from OCP.TopTools import TopTools_IndexedMapOfShape as ShapeMap
except ImportError:
    from OCP.collections import TopTools_IndexedMapOfShape as ShapeMap


def parts_of(shape, kind):
    """The different parts of a kind, such as the edges that faces share."""
    found = ShapeMap()
    TopExp.MapShapes_s(shape, kind, found)
    return [found.FindKey(index + 1) for index in range(found.Extent())]


def tolerance(shape):
    edges = [BRep_Tool.Tolerance_s(TopoDS.Edge_s(edge)) for edge in parts_of(shape, Kind.TopAbs_EDGE)]
    vertices = [
        BRep_Tool.Tolerance_s(TopoDS.Vertex_s(vertex)) for vertex in parts_of(shape, Kind.TopAbs_VERTEX)
    ]
    return max(edges + vertices, default=0)


def open_edges(shape):
    """The number of edges with a face on one side alone."""
    uses = {}
    explorer = TopExp_Explorer(shape, Kind.TopAbs_FACE)
    found = ShapeMap()
    TopExp.MapShapes_s(shape, Kind.TopAbs_EDGE, found)
    while explorer.More():
        edges = TopExp_Explorer(explorer.Current(), Kind.TopAbs_EDGE)
        while edges.More():
            number = found.FindIndex(edges.Current())
            uses[number] = uses.get(number, 0) + 1
            edges.Next()
        explorer.Next()
    return sum(1 for count in uses.values() if count != 2)


def name_of(label):
    name = TDataStd_Name()
    found = label.FindAttribute(TDataStd_Name.GetID_s(), name)
    return name.Get().ToExtString() if found else None


def color_of(tool, label, shape):
    color = Quantity_Color()
    for kind in (XCAFDoc_ColorType.XCAFDoc_ColorSurf, XCAFDoc_ColorType.XCAFDoc_ColorGen):
        if tool.GetColor(shape, kind, color):
            values = color.Values(Quantity_TypeOfColor.Quantity_TOC_sRGB)
            return " ".join(f"{value:.3f}" for value in values)
    return None


def examined(label, colors):
    shape = XCAFDoc_ShapeTool.GetShape_s(label)
    volume, area = GProp_GProps(), GProp_GProps()
    BRepGProp.VolumeProperties_s(shape, volume)
    BRepGProp.SurfaceProperties_s(shape, area)
    box = Bnd_Box()
    BRepBndLib.AddOptimal_s(shape, box, False, False)
    bounds = box.Get() if not box.IsVoid() else ()
    whole = color_of(colors, label, shape)
    looks = {}
    for solid in parts_of(shape, Kind.TopAbs_SOLID) + parts_of(shape, Kind.TopAbs_SHELL):
        whole = whole or color_of(colors, label, solid)
    for face in parts_of(shape, Kind.TopAbs_FACE):
        look = color_of(colors, label, face) or whole
        if look:
            looks[look] = looks.get(look, 0) + 1
    return {
        "name": name_of(label),
        "solids": len(parts_of(shape, Kind.TopAbs_SOLID)),
        "shells": len(parts_of(shape, Kind.TopAbs_SHELL)),
        "faces": len(parts_of(shape, Kind.TopAbs_FACE)),
        "edges": len(parts_of(shape, Kind.TopAbs_EDGE)),
        "vertices": len(parts_of(shape, Kind.TopAbs_VERTEX)),
        "openEdges": open_edges(shape),
        "isValid": BRepCheck_Analyzer(shape).IsValid(),
        "volume": volume.Mass(),
        "area": area.Mass(),
        "bounds": list(bounds),
        "tolerance": tolerance(shape),
        "colors": looks,
    }


def main():
    document = TDocStd_Document(TCollection_ExtendedString("step"))
    reader = STEPCAFControl_Reader()
    reader.SetColorMode(True)
    reader.SetNameMode(True)
    if reader.ReadFile(sys.argv[1]) != IFSelect_ReturnStatus.IFSelect_RetDone:
        sys.exit(f"{sys.argv[1]}: OpenCASCADE can't read it")
    if not reader.Transfer(document):
        sys.exit(f"{sys.argv[1]}: OpenCASCADE can't make shapes of it")
    shapes = XCAFDoc_DocumentTool.ShapeTool_s(document.Main())
    colors = XCAFDoc_DocumentTool.ColorTool_s(document.Main())
    labels, roots = TDF_LabelSequence(), TDF_LabelSequence()
    shapes.GetShapes(labels)
    shapes.GetFreeShapes(roots)
    found = [labels.Value(index + 1) for index in range(labels.Length())]
    json.dump(
        {
            "roots": [name_of(roots.Value(index + 1)) for index in range(roots.Length())],
            "parts": [
                examined(label, colors) for label in found if not XCAFDoc_ShapeTool.IsAssembly_s(label)
            ],
        },
        sys.stdout,
    )


main()
