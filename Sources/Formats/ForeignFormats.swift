public import MeshPipeline

/// Known formats that can't be read, with the way to one that can.
public let foreignFormats: [ForeignFormat] = [
  ForeignFormat(["max"], "a scene of 3ds Max", wayOut: "export it there as FBX or OBJ"),
  ForeignFormat(["c4d"], "a scene of Cinema 4D", wayOut: "export it there as FBX or OBJ"),
  ForeignFormat(["ma", "mb"], "a scene of Maya", wayOut: "export it there as FBX or OBJ"),
  ForeignFormat(["skp"], "a model of SketchUp", wayOut: "export it there as glTF, COLLADA or OBJ"),
  ForeignFormat(["rvt", "rfa"], "a model of Revit", wayOut: "export it there as IFC or FBX"),
  ForeignFormat(["dwg"], "a drawing of AutoCAD", wayOut: "save it there as DXF"),
  ForeignFormat(
    ["sldprt", "sldasm"], "a part of SolidWorks",
    wayOut: "save it there as STL or 3MF"),
  ForeignFormat(["3dm"], "a model of Rhino", wayOut: "export it there as OBJ, PLY or glTF"),
  ForeignFormat(
    ["f3d", "ipt", "iam"], "a design of Autodesk's CAD programs",
    wayOut: "export it there as STL or 3MF"),
  ForeignFormat(
    ["step", "stp", "iges", "igs"], "CAD surfaces",
    wayOut: "FreeCAD exports them as STL, OBJ or glTF"),
  ForeignFormat(
    ["laz"], "a compressed point cloud",
    wayOut: "decompress it to LAS with 'laszip', 'pdal translate' or CloudCompare"),
  ForeignFormat(["e57"], "a point cloud", wayOut: "convert it to PLY or LAS with CloudCompare"),
  ForeignFormat(
    ["wrl", "vrml", "wrz"], "a VRML model", wayOut: "convert it to PLY or OBJ with MeshLab"),
  ForeignFormat(
    ["splat", "ksplat", "spz", "sog"], "Gaussian splats in a form for viewers",
    wayOut: "convert them to PLY with SuperSplat or 'splat-transform'"),
  ForeignFormat(
    ["fls", "fws", "zfs", "rcp", "rcs", "lsproj"], "scans of a scanner's own program",
    wayOut: "export them there as LAS, PTS or PTX"),
]
