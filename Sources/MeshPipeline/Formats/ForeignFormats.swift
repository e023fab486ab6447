/// Formats that are met and not read, with the way to one that is.
public enum ForeignFormats {
  private static let known: [(extensions: [String], name: String, wayOut: String)] = [
    (
      ["usd", "usda", "usdc", "usdz"], "Universal Scene Description",
      "Blender, Reality Converter and the apps that scan save glTF or OBJ as well"
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
    (["las", "laz", "e57", "pts", "xyz"], "a point cloud", "CloudCompare saves it as PLY"),
    (["drc"], "a bare Draco mesh", "draco_decoder makes a PLY or an OBJ of it"),
  ]

  /// What is said of a file of such a format; nil when its name tells none.
  public static func explanation(forPath path: String) -> String? {
    let name = fileExtension(of: path)
    return known.first { $0.extensions.contains(name) }.map { format in
      "'.\(name)' is \(format.name), which is not read: \(format.wayOut)"
    }
  }
}
