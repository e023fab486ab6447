public import MeshPipeline
internal import NativeLibraries

/// Names the pictures and depth maps of frames as seen from an output's folder, or copies them there.
public struct FramePictures {
  /// What happens to the pictures of frames.
  public enum Choice: String, CaseIterable, ParameterValue {
    case refer, copy
  }

  private let output: OutputSet
  private let choice: Choice
  /// The final folder of the output, with links resolved; nil for standard output.
  private let folder: String?
  private var usedNames: Set<String> = []

  init(_ output: OutputSet, choice: Choice) {
    self.output = output
    self.choice = choice
    folder = output.finalFolder.flatMap { FileSystem.canonicalPath(of: $0) }
  }

  mutating func entry(for frame: Capture.Frame, index: Int) throws -> FrameExport.Entry {
    var stem = "\(output.stem)_\(Self.fileName(of: frame.name, index: index))"
    if !usedNames.insert(stem).inserted { stem += "_\(index)" }
    var entry = FrameExport.Entry(frame: frame, imageName: "")
    switch frame.image {
    case .file(let path): entry.imageName = try name(of: path, copiedAs: stem)
    case .video:
      // A picture inside a video has no name of its own.
      entry.imageName = "\(stem).jpg"
      try write(JPEG.encode(frame.loadImage(), quality: 95), as: entry.imageName)
    }
    if let depth = frame.depth, case .png16 = depth.encoding {
      entry.depthName = try name(of: depth.path, copiedAs: "\(stem)_depth")
      if let confidence = depth.confidence {
        entry.confidenceName = try name(of: confidence.path, copiedAs: "\(stem)_confidence")
      }
    }
    return entry
  }

  private func name(of path: String, copiedAs stem: String) throws -> String {
    // What was unpacked from an archive is gone after the run.
    guard choice == .copy || FileSystem.willPass(path) else { return relativePath(of: path) }
    let name = "\(stem).\(fileExtension(of: path))"
    try write(FileSystem.contents(of: path), as: name)
    return name
  }

  private func write(_ bytes: [UInt8], as name: String) throws {
    let writer = try FileWriter(creating: output.sidePath(name))
    try writer.write(bytes)
    try writer.finish()
  }

  /// The way from the output's folder to a file.
  private func relativePath(of path: String) -> String {
    guard let target = FileSystem.canonicalPath(of: path) else { return path }
    guard let folder else { return target }
    let (from, to) = (folder.split(separator: "/"), target.split(separator: "/"))
    let shared = zip(from, to).prefix { $0 == $1 }.count
    return (Array(repeating: "..", count: from.count - shared) + to.dropFirst(shared))
      .joined(separator: "/")
  }

  /// A frame's name as the name of a file, unique by its number where letters had to go.
  private static func fileName(of name: String, index: Int) -> String {
    let stem = FileSystem.stem(of: name)
    let isPlain =
      !name.contains("/") && stem.utf8.count <= 100
      && stem.unicodeScalars.allSatisfy {
        $0.properties.isAlphabetic || ("0"..."9").contains($0) || "-_".unicodeScalars.contains($0)
      }
    return isPlain && !stem.isEmpty ? stem : "frame_\(index)"
  }
}
