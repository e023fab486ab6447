package import MeshPipeline

// Formats that Assimp reads and writes.

/// Autodesk FBX; written as binary, read as binary and ASCII.
package enum FBX: AssimpReadableFormat, AssimpWritableFormat {
  package static let id = "fbx"
  package static let name = "Autodesk FBX"
  package static let extensions = ["fbx"]
  package static func recognizes(_ head: FileHead) -> Bool {
    head.begins(with: "Kaydara FBX Binary") || head.body.hasPrefix("; FBX")
  }
  package static let holdsProvenance = Provenance.Extent.full
  package static let exporter = AssimpExporter("fbx", pictures: .embedded, axes: .declared)
  // Arrays are compressed, and each number in text becomes an object: factors of 70 and 50 were
  // measured.
  package static let memoryPerByte = 128
  package static let keeps: Set<SceneFeature> = [
    .faces, .normals, .colors, .textureCoordinates, .materials, .textures, .emissiveMaps,
    .classification,
  ]
  package static let axes = AxisConvention.declared
  package static let remark = """
    Binary FBX 7.5 with embedded textures. Classes are objects and materials by name; axes and \
    unit are declared in the file. Levels of detail in one file are objects whose names end with `_LOD0`, `_LOD1`, which \
    Unity makes a group; FBX's own groups, which Unreal reads, can't be written.
    """
  package static let holdsLevels = true
}

/// COLLADA, the digital asset exchange of the Khronos Group.
package enum COLLADA: AssimpReadableFormat, AssimpWritableFormat {
  package static let id = "dae"
  package static let name = "COLLADA"
  package static let extensions = ["dae"]
  package static func recognizes(_ head: FileHead) -> Bool {
    head.body.hasPrefix("<") && head.text?.contains("<COLLADA") == true
  }
  package static let holdsProvenance = Provenance.Extent.short
  package static let exporter = AssimpExporter("collada", pictures: .beside, axes: .root)
  package static let keeps: Set<SceneFeature> = [
    .faces, .normals, .colors, .textureCoordinates, .materials, .textures, .emissiveMaps,
    .classification,
  ]
  package static let axes = AxisConvention.fixed(.arkit)
  package static let remark = """
    Textures are separate files. Classes are objects and materials by name; the file declares Y up \
    and metres, and its root node converts other scenes.
    """
}

/// Extensible 3D, the web's format before glTF.
package enum X3D: AssimpReadableFormat, AssimpWritableFormat {
  package static let id = "x3d"
  package static let name = "Extensible 3D"
  package static let extensions = ["x3d"]
  package static func recognizes(_ head: FileHead) -> Bool {
    head.body.hasPrefix("<") && head.text?.contains("<X3D") == true
  }
  package static let holdsProvenance = Provenance.Extent.short
  package static let exporter = AssimpExporter(
    "x3d", pictures: .beside, axes: .root, namesArePlain: true)
  package static let keeps: Set<SceneFeature> = [
    .faces, .normals, .colors, .textureCoordinates, .materials, .textures,
  ]
  package static let axes = AxisConvention.fixed(.arkit)
  package static let remark = """
    Textures are separate files. Classes are names of shapes (`DEF`), which few programs show; the \
    root group converts scenes that are not Y up in metres. Six decimals.
    """
}

/// 3D Studio's mesh file.
package enum ThreeDS: AssimpReadableFormat, AssimpWritableFormat {
  package static let id = "3ds"
  package static let name = "3D Studio"
  package static let extensions = ["3ds"]
  package static let canBring: Set<SceneFeature> = [
    .faces, .textureCoordinates, .materials, .textures, .classification,
  ]
  package static let exporter = AssimpExporter("3ds", pictures: .beside, axes: .baked(.blender))
  package static let keeps: Set<SceneFeature> = [
    .faces, .textureCoordinates, .materials, .textures, .classification,
  ]
  package static let axes = AxisConvention.fixed(.blender)
  package static let remark = """
    Z up, metres. Textures are separate files. Classes are objects and materials by name, with \
    numbers; a mesh is split into objects of at most 65,535 vertices.
    """
}

/// DirectX's retained mode file; read only, since Assimp's writer inverts its normals.
package enum DirectX: AssimpReadableFormat {
  package static let id = "x"
  package static let name = "DirectX X"
  package static let extensions = ["x"]
}

/// Assimp's own binary dump.
package enum Assbin: AssimpReadableFormat, AssimpWritableFormat {
  package static let id = "assbin"
  package static let name = "Assimp binary"
  package static let extensions = ["assbin"]
  package static let holdsProvenance = Provenance.Extent.short
  package static let exporter = AssimpExporter("assbin", pictures: .embedded, axes: .root)
  package static let keeps: Set<SceneFeature> = [
    .faces, .points, .normals, .colors, .textureCoordinates, .materials, .textures,
    .emissiveMaps, .classification,
  ]
  package static let axes = AxisConvention.fixed(.arkit)
  package static let remark = """
    Only for programs based on Assimp. Textures are embedded; classes are objects and materials by \
    name.
    """
}
