import MeshPipeline
internal import NativeLibraries

/// Refers to the images and depth maps of frames from an output's folder, or copies them there.
package struct FramePictures {
  /// The treatment of the frames' images.
  package enum Choice: String, CaseIterable, ParameterValue {
    /// Those in the file's folder stay, others are copied next to it.
    case auto
    case refer, copy
  }

  /// The depth maps that a format supports.
  struct Depths {
    /// A depth map is a 16-bit PNG; 1 is this many metres.
    var metersPerUnit = 0.001
    /// Whether confidences can be stored, as a PNG with values 0 to 2.
    var keepsConfidences = false
  }

  private let output: OutputSet
  private let choice: Choice
  private let depths: Depths?
  /// Whether pictures are copied without what they say beside their pixels.
  private let isPrivate: Bool
  /// The destination folder of the output, with links resolved; nil for standard output.
  private let folder: String?
  private var usedNames: Set<String> = []

  /// - Parameter depths: Nil for a format without depth maps.
  init(_ output: OutputSet, choice: Choice, depths: Depths?, isPrivate: Bool = false) {
    self.output = output
    self.choice = isPrivate ? .copy : choice
    self.isPrivate = isPrivate
    self.depths = depths
    folder = output.finalFolder.flatMap { FileSystem.canonicalPath(of: $0) }
  }

  mutating func entry(for frame: Capture.Frame, index: Int) throws -> FrameExport.Entry {
    var stem = "\(output.stem)_\(Self.fileName(of: frame.name, index: index))"
    if !usedNames.insert(stem).inserted { stem += "_\(index)" }
    var entry = FrameExport.Entry(frame: frame, imageName: "")
    switch frame.image {
    case .file(let path) where !isPrivate:
      entry.imageName = try name(of: path, copiedAs: stem)
    case .file, .video:
      // An image inside a video has no name of its own.
      let (file, ending) = try frame.imageFile(isPrivate: isPrivate)
      entry.imageName = try write(file, as: "\(stem).\(ending)")
    }
    // With the name of an image that is copied, it is found beside it.
    entry.maskName = try frame.maskFile().map { try name(of: $0, as: "\(stem)_mask") }
    if let depths { try add(depths, of: frame, named: stem, to: &entry) }
    return entry
  }

  /// Refers to a depth map and its confidences if the format supports them, or converts them.
  private func add(
    _ depths: Depths, of frame: Capture.Frame, named stem: String,
    to entry: inout FrameExport.Entry
  ) throws {
    guard let depth = frame.depth else { return }
    let files = try depth.files(as: depths)
    entry.depthName = try files.depth.map { try name(of: $0, as: "\(stem)_depth") }
    entry.confidenceName = try files.confidence.map { try name(of: $0, as: "\(stem)_confidence") }
  }

  private func name(of file: FrameFile, as stem: String) throws -> String {
    switch file {
    case .copy(let path): try name(of: path, copiedAs: stem)
    case .bytes: try write(file, as: "\(stem).png")
    }
  }

  private func name(of path: String, copiedAs stem: String) throws -> String {
    // Unpacked files are removed after the run.
    guard choice == .copy || FileSystem.isTemporary(path) || choice == .auto && !isBeside(path)
    else {
      return relativePath(of: path)
    }
    return try write(.copy(path), as: "\(stem).\(fileExtension(of: path))")
  }

  /// Whether a file is in the output's folder.
  private func isBeside(_ path: String) -> Bool {
    guard let folder, let target = FileSystem.canonicalPath(of: path) else { return false }
    return target.hasPrefix(folder + "/")
  }

  /// Writes a file next to the output, and returns its name.
  private func write(_ file: FrameFile, as name: String) throws -> String {
    try (isPrivate ? file.withoutMetadata : file).write(to: output.sidePath(name))
    return name
  }

  /// The relative path from the output's folder to a file.
  private func relativePath(of path: String) -> String {
    guard let target = FileSystem.canonicalPath(of: path) else { return path }
    guard let folder else { return target }
    let (from, to) = (folder.split(separator: "/"), target.split(separator: "/"))
    let shared = zip(from, to).prefix { $0 == $1 }.count
    return (Array(repeating: "..", count: from.count - shared) + to.dropFirst(shared))
      .joined(separator: "/")
  }

  /// A frame's name as a file name, made unique by its number if characters were replaced.
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
