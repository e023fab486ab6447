/// Known formats that can't be read, with the way to one that can.
public enum ForeignFormats {
  private static let known: [(extensions: [String], name: String, wayOut: String)] = [
    (
      ["usd", "usda", "usdc", "usdz"], "Universal Scene Description",
      "Blender, Reality Converter and scanning apps also save glTF or OBJ"
    ),
    (["max"], "a scene of 3ds Max", "export it there as FBX or OBJ"),
    (["c4d"], "a scene of Cinema 4D", "export it there as FBX or OBJ"),
    (["ma", "mb"], "a scene of Maya", "export it there as FBX or OBJ"),
    (["skp"], "a model of SketchUp", "export it there as glTF, COLLADA or OBJ"),
    (["rvt", "rfa"], "a model of Revit", "export it there as IFC or FBX"),
    (["dwg"], "a drawing of AutoCAD", "save it there as DXF"),
    (["sldprt", "sldasm"], "a part of SolidWorks", "save it there as STL or 3MF"),
    (["3dm"], "a model of Rhino", "export it there as OBJ, PLY or glTF"),
    (
      ["f3d", "ipt", "iam"], "a design of Autodesk's CAD programs", "export it there as STL or 3MF"
    ),
    (["step", "stp", "iges", "igs"], "CAD surfaces", "FreeCAD exports them as STL, OBJ or glTF"),
    (["las", "laz", "e57", "pts", "xyz"], "a point cloud", "convert it to PLY with CloudCompare"),
    (["drc"], "a bare Draco mesh", "convert it to PLY or OBJ with draco_decoder"),
  ]

  /// The advice for a file of such a format; nil if its extension is not one of them.
  public static func explanation(forPath path: String) -> String? {
    let name = fileExtension(of: path)
    return known.first { $0.extensions.contains(name) }.map { format in
      "'.\(name)' is \(format.name), which is not supported: \(format.wayOut)"
    }
  }
}
