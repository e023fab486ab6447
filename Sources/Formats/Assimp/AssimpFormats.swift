public import MeshPipeline

// Formats that Assimp reads and writes.

/// Autodesk FBX; written as binary, read as binary and ASCII.
public enum FBX: AssimpReadableFormat, AssimpWritableFormat {
  public static let id = "fbx"
  public static let name = "Autodesk FBX"
  public static let extensions = ["fbx"]
  public static func recognizes(_ head: FileHead) -> Bool {
    head.begins(with: "Kaydara FBX Binary") || head.body.hasPrefix("; FBX")
  }
  public static let exporter = AssimpExporter("fbx", pictures: .embedded, axes: .declared)
  // Arrays are compressed, and each number in text becomes an object: factors of 70 and 50 were
  // measured.
  public static let memoryPerByte = 128
  public static let keeps: Set<SceneFeature> = [
    .faces, .normals, .colors, .textureCoordinates, .materials, .textures, .classification,
  ]
  public static let axes = AxisConvention.declared
  public static let remark = """
    Binary FBX 7.5 with embedded textures. Classes are objects and materials by name; axes and \
    unit are declared in the file.
    """
}

/// COLLADA, the digital asset exchange of the Khronos Group.
public enum COLLADA: AssimpReadableFormat, AssimpWritableFormat {
  public static let id = "dae"
  public static let name = "COLLADA"
  public static let extensions = ["dae"]
  public static func recognizes(_ head: FileHead) -> Bool {
    head.body.hasPrefix("<") && head.text?.contains("<COLLADA") == true
  }
  public static let exporter = AssimpExporter("collada", pictures: .beside, axes: .root)
  public static let keeps: Set<SceneFeature> = [
    .faces, .normals, .colors, .textureCoordinates, .materials, .textures, .classification,
  ]
  public static let axes = AxisConvention.fixed(.arkit)
  public static let remark = """
    Textures are separate files. Classes are objects and materials by name; the file declares Y up \
    and metres, and its root node converts other scenes.
    """
}

/// Extensible 3D, the web's format before glTF.
public enum X3D: AssimpReadableFormat, AssimpWritableFormat {
  public static let id = "x3d"
  public static let name = "Extensible 3D"
  public static let extensions = ["x3d"]
  public static func recognizes(_ head: FileHead) -> Bool {
    head.body.hasPrefix("<") && head.text?.contains("<X3D") == true
  }
  public static let exporter = AssimpExporter(
    "x3d", pictures: .beside, axes: .root, namesArePlain: true)
  public static let keeps: Set<SceneFeature> = [
    .faces, .normals, .colors, .textureCoordinates, .materials, .textures,
  ]
  public static let axes = AxisConvention.fixed(.arkit)
  public static let remark = """
    Textures are separate files. Classes are names of shapes (`DEF`), which few programs show; the \
    root group converts scenes that are not Y up in metres. Six decimals.
    """
}

/// 3D Studio's mesh file.
public enum ThreeDS: AssimpReadableFormat, AssimpWritableFormat {
  public static let id = "3ds"
  public static let name = "3D Studio"
  public static let extensions = ["3ds"]
  public static let canBring: Set<SceneFeature> = [
    .faces, .textureCoordinates, .materials, .textures, .classification,
  ]
  public static let exporter = AssimpExporter("3ds", pictures: .beside, axes: .baked(.blender))
  public static let keeps: Set<SceneFeature> = [
    .faces, .textureCoordinates, .materials, .textures, .classification,
  ]
  public static let axes = AxisConvention.fixed(.blender)
  public static let remark = """
    Z up, metres. Textures are separate files. Classes are objects and materials by name, with \
    numbers; a mesh is split into objects of at most 65,535 vertices.
    """
}

/// DirectX's retained mode file; read only, since Assimp's writer inverts its normals.
public enum DirectX: AssimpReadableFormat {
  public static let id = "x"
  public static let name = "DirectX X"
  public static let extensions = ["x"]
}

/// Assimp's own binary dump.
public enum Assbin: AssimpReadableFormat, AssimpWritableFormat {
  public static let id = "assbin"
  public static let name = "Assimp binary"
  public static let extensions = ["assbin"]
  public static let exporter = AssimpExporter("assbin", pictures: .embedded, axes: .root)
  public static let keeps: Set<SceneFeature> = [
    .faces, .points, .normals, .colors, .textureCoordinates, .materials, .textures,
    .classification,
  ]
  public static let axes = AxisConvention.fixed(.arkit)
  public static let remark = """
    Only for programs based on Assimp. Textures are embedded; classes are objects and materials by \
    name.
    """
}

/// STEP, the exchange format of CAD.
public enum STEP: AssimpWritableFormat {
  public static let id = "step"
  public static let name = "STEP"
  public static let extensions = ["step", "stp"]
  public static let exporter = AssimpExporter(
    "stp", pictures: .nowhere, axes: .baked(.blender), isReadable: false,
    // The whole text, in parts: a factor of 212 was measured.
    memoryPerByte: 320)
  public static let keeps: Set<SceneFeature> = [.faces]
  public static let axes = AxisConvention.fixed(.blender)
  public static let remark = """
    Every triangle is a separate planar face; Z up, metres. For a few thousand faces, since each takes \
    more than a kilobyte.
    """
}
