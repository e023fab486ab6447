public import MeshPipeline

// Formats that Assimp reads and meshpipe does not write: one declaration for each format of scans,
// and one for those of games and animation.

/// AutoCAD drawings; only faces, no lines.
public enum DXF: AssimpReadableFormat {
  public static let id = "dxf"
  public static let name = "Drawing Exchange Format"
  public static let extensions = ["dxf"]
  public static let canBring: Set<SceneFeature> = [.faces, .colors, .classification]
  public static let fixedSystem: CoordinateSystem? = .blender
}

/// Additive Manufacturing File Format.
public enum AMF: AssimpReadableFormat {
  public static let id = "amf"
  public static let name = "Additive Manufacturing File"
  public static let extensions = ["amf"]
  /// Assimp does not report the unit; the format's default is the millimetre.
  public static let fixedSystem: CoordinateSystem? = CoordinateSystem(
    up: .z, forward: .y, metersPerUnit: 0.001)
}

/// Industry Foundation Classes: buildings.
public enum IFC: AssimpReadableFormat {
  public static let id = "ifc"
  public static let name = "Industry Foundation Classes"
  // Some are compressed.
  public static let memoryPerByte = 128
  public static let extensions = ["ifc", "ifczip"]
}

/// LightWave objects and scenes.
public enum LightWave: AssimpReadableFormat {
  public static let id = "lwo"
  public static let name = "LightWave"
  public static let extensions = ["lwo", "lws", "lxo"]
}

/// The ASCII export format of 3ds Max.
public enum ASE: AssimpReadableFormat {
  public static let id = "ase"
  public static let name = "3ds Max ASCII scene export"
  public static let extensions = ["ase", "ask"]
}

/// AC3D, used by flight simulators.
public enum AC3D: AssimpReadableFormat {
  public static let id = "ac"
  public static let name = "AC3D"
  public static let extensions = ["ac", "acc", "ac3d"]
}

/// Formats of games, animation and obsolete programs, as far as Assimp supports them.
public enum OtherModels: AssimpReadableFormat {
  public static let id = "other"
  public static let name = "Further models"
  // Some are compressed.
  public static let memoryPerByte = 128
  public static let extensions = [
    "3d", "b3d", "blend", "bsp", "bvh", "cob", "csm", "enff", "hmp", "iqm", "irr", "irrmesh", "md2",
    "md3", "md5anim", "md5camera", "md5mesh", "mdc", "mdl", "mesh", "mot", "ms3d", "ndo", "nff",
    "ogex", "pk3", "pmx", "prj", "q3o", "q3s", "raw", "scn", "sib", "smd", "ter", "uc", "vta",
    "x3db", "xgl", "xml", "zae", "zgl",
  ]
}
