import Formats
import MeshPipeline
import NativeLibraries

extension FuzzTarget {
  /// One for each format that is read natively.
  static let files =
    builtInFormats.compactMap { $0 as? any (ReadableFormat & WritableFormat).Type }
    .filter { !($0 is any AssimpReadableFormat.Type) }
    .map { $0.id == ThreeMF.id ? package : file($0) }

  private static func file(_ format: any (ReadableFormat & WritableFormat).Type) -> FuzzTarget {
    let name = "x." + format.extensions[0]
    return FuzzTarget(name: format.id) {
      // A format need not hold points.
      FuzzScenes.all.compactMap { try? written($0, as: format, name).input }
    } read: { input in
      try FileBundle(input, main: name).withFolder { folder in
        try format.read(folder + "/" + name, in: ReadingContext()).requireValid()
      }
    }
  }

  private static func written(
    _ scene: Scene, as format: any WritableFormat.Type, _ name: String
  ) throws -> FileBundle {
    try FileBundle([]).withFolder { folder in
      try format.write(
        scene, to: OutputSet(folder: folder, mainFileName: name), in: WritingContext())
      return FileBundle(
        try FileSystem.names(inFolder: folder).sorted { $0 == name || ($1 != name && $0 < $1) }.map
        {
          ($0, try FileSystem.contents(of: folder + "/" + $0))
        })
    }
  }

  /// The files of a 3MF package, so that the damage is in them and not in what packs them.
  private static let package = FuzzTarget(name: "3mf") {
    try FuzzScenes.all.filter { !$0.meshes.isEmpty }.map { scene in
      let packed = try written(scene, as: ThreeMF.self, "x.3mf")
      return try packed.withFolder { folder in
        let archive = try ArchiveReader(folder + "/x.3mf")
        var parts = FileBundle([])
        while let entry = try archive.next() {
          var bytes: [UInt8] = []
          try archive.forEachBlock { bytes += $0 }
          // A line that holds a bracket would not be a name.
          parts.files.append((entry.name.replacing("[", with: "").replacing("]", with: ""), bytes))
        }
        return parts.input
      }
    }
  } read: { input in
    try FileBundle([]).withFolder { folder in
      let path = folder + "/x.3mf"
      let archive = try ArchiveWriter(creating: path, named: "x.zip")
      for file in FileBundle(input, main: "3D/3dmodel.model").files.prefix(16) {
        try archive.add(file.name, file.bytes)
      }
      try archive.finish()
      try ThreeMF.read(path, in: ReadingContext()).requireValid()
    }
  }
}
