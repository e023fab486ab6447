import MeshPipeline
import NativeLibraries

extension FuzzTarget {
  static let picture = FuzzTarget(name: "picture") {
    let image = Image(
      width: 5, height: 3, pixels: (0..<45).map { UInt8($0 * 5) })
    let stored = Array("bvx-".utf8) + [2, 0, 0, 0, 7, 9] + Array("bvx$".utf8)
    return [
      try PNG.encode(image), try JPEG.encode(image, quality: 80),
      try PNG.encodeGray16([0, 1, 2, 3, 500, 65535], width: 3, height: 2), stored,
    ]
  } read: { input in
    if LZFSE.isPresent(in: input) {
      _ = try LZFSE.decode(input, limit: 1 << 20, path: "depth")
      return
    }
    // What is sound and large takes long, and is no defect.
    guard let size = PictureHeader(input).size, size.x < (1 << 20) / max(size.y, 1) else { return }
    let image = try Image.decoded(from: input, path: "a.png")
    guard image.width > 0, image.height > 0 else { fatalError("a picture is empty") }
  }

  static let archive = FuzzTarget(name: "archive") {
    try ["a.zip", "a.tar", "a.tar.gz", "a.tar.zst", "a.7z"].map { name in
      try FileBundle([]).withFolder { folder in
        let archive = try ArchiveWriter(creating: folder + "/" + name)
        try archive.add("a/a.obj", Array("v 0 0 0\n".utf8))
        try archive.add("wood.png", Array(repeating: 7, count: 500))
        try archive.finish()
        return try FileSystem.contents(of: folder + "/" + name)
      }
    }
  } read: { input in
    try FileBundle([("a.zip", input)]).withFolder { folder in
      var limits = ArchiveReader.Limits()
      limits.bytes = 1 << 22
      let archive = try ArchiveReader(folder + "/a.zip", limits: limits)
      while let entry = try archive.next() {
        if entry.kind == .file, entry.name.isEmpty, entry.refusal == nil {
          fatalError("a file has no name")
        }
        var count = 0
        try? archive.forEachBlock { count += $0.count }
        if count > limits.bytes { fatalError("more came out than may") }
      }
    }
  }
}
