package import MeshPipeline

// Formats that Assimp reads and meshpipe does not write: one declaration for each format of scans,
// and one for those of games and animation.

/// AutoCAD drawings; only faces, no lines.
package enum DXF: AssimpReadableFormat {
  package static let id = "dxf"
  package static let name = "Drawing Exchange Format"
  package static let extensions = ["dxf"]
  package static let canBring: Set<SceneFeature> = [.faces, .colors, .classification]
  package static let fixedSystem: CoordinateSystem? = .blender
}

/// Additive Manufacturing File Format.
package enum AMF: AssimpReadableFormat {
  package static let id = "amf"
  package static let name = "Additive Manufacturing File"
  package static let extensions = ["amf"]
  /// Assimp does not report the unit; the format's default is the millimetre.
  package static let fixedSystem: CoordinateSystem? = CoordinateSystem(
    up: .z, forward: .y, metersPerUnit: 0.001)
}

/// Industry Foundation Classes: buildings.
package enum IFC: AssimpReadableFormat {
  package static let id = "ifc"
  package static let name = "Industry Foundation Classes"
  // Some are compressed.
  package static let memoryPerByte = 128
  package static let extensions = ["ifc", "ifczip"]
}

/// LightWave objects and scenes.
package enum LightWave: AssimpReadableFormat {
  package static let id = "lwo"
  package static let name = "LightWave"
  package static let extensions = ["lwo", "lws", "lxo"]
}

/// The ASCII export format of 3ds Max.
package enum ASE: AssimpReadableFormat {
  package static let id = "ase"
  package static let name = "3ds Max ASCII scene export"
  package static let extensions = ["ase", "ask"]
}

/// AC3D, used by flight simulators.
package enum AC3D: AssimpReadableFormat {
  package static let id = "ac"
  package static let name = "AC3D"
  package static let extensions = ["ac", "acc", "ac3d"]
}

/// Formats of games, animation and obsolete programs, as far as Assimp supports them.
package enum OtherModels: AssimpReadableFormat {
  package static let id = "other"
  package static let name = "Further models"
  // Some are compressed.
  package static let memoryPerByte = 128
  package static let extensions = [
    "3d", "b3d", "blend", "bsp", "bvh", "cob", "csm", "enff", "hmp", "iqm", "irr", "irrmesh", "md2",
    "md3", "md5anim", "md5camera", "md5mesh", "mdc", "mdl", "mesh", "mot", "ms3d", "ndo", "nff",
    "ogex", "pk3", "pmx", "prj", "q3o", "q3s", "raw", "scn", "sib", "smd", "ter", "uc", "vta",
    "x3db", "xgl", "xml", "zae", "zgl",
  ]
}
