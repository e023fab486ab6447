public import MeshPipeline
internal import NativeLibraries

/// Names the pictures and depth maps of frames as seen from an output's folder, or copies them there.
public struct FramePictures {
  /// What happens to the pictures of frames.
  public enum Choice: String, CaseIterable, ParameterValue {
    /// Those in the file's folder stay, others are copied beside it.
    case auto
    case refer, copy
  }

  /// What a format can say of depth maps.
  struct Depths {
    /// A depth map is a 16-bit PNG with so many metres for 1.
    var metersPerUnit = 0.001
    /// Whether there is a word for a PNG of confidences, 0 to 2.
    var keepsConfidences = false
  }

  private let output: OutputSet
  private let choice: Choice
  private let depths: Depths?
  /// The final folder of the output, with links resolved; nil for standard output.
  private let folder: String?
  private var usedNames: Set<String> = []

  /// - Parameter depths: Nil for a format that has none.
  init(_ output: OutputSet, choice: Choice, depths: Depths?) {
    self.output = output
    self.choice = choice
    self.depths = depths
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
      entry.imageName = try write(
        JPEG.encode(frame.loadImage(), quality: 95), as: "\(stem).jpg")
    }
    if let depths { try add(depths, of: frame, named: stem, to: &entry) }
    return entry
  }

  /// Names a depth map and its confidences where the format knows them as they are, or writes them anew.
  private func add(
    _ depths: Depths, of frame: Capture.Frame, named stem: String,
    to entry: inout FrameExport.Entry
  ) throws {
    guard let depth = frame.depth else { return }
    let keepsDepth = depth.encoding == .png16(metersPerUnit: depths.metersPerUnit)
    let confidence = depths.keepsConfidences ? depth.confidence : nil
    // A PNG of depths comes with one of confidences.
    let keepsConfidence = keepsDepth && confidence?.highest == 2
    let isAllKept = keepsDepth && (confidence == nil || keepsConfidence)
    let map = isAllKept ? nil : frame.readableDepth().map
    if keepsDepth {
      entry.depthName = try name(of: depth.path, copiedAs: "\(stem)_depth")
    } else if let map {
      let samples = map.meters.map { meters in
        // What is too far for 16 bits counts as not measured.
        UInt16(exactly: (Double(meters) / depths.metersPerUnit).rounded()) ?? 0
      }
      let png = try PNG.encodeGray16(samples, width: map.width, height: map.height)
      entry.depthName = try write(png, as: "\(stem)_depth.png")
    }
    guard let confidence else { return }
    if keepsConfidence {
      entry.confidenceName = try name(of: confidence.path, copiedAs: "\(stem)_confidence")
    } else if let map, let values = map.confidences {
      let png = try PNG.encodeGray8(values, width: map.width, height: map.height)
      entry.confidenceName = try write(png, as: "\(stem)_confidence.png")
    }
  }

  private func name(of path: String, copiedAs stem: String) throws -> String {
    // What was unpacked from an archive is gone after the run.
    guard choice == .copy || FileSystem.willPass(path) || choice == .auto && !isBeside(path) else {
      return relativePath(of: path)
    }
    return try write(FileSystem.contents(of: path), as: "\(stem).\(fileExtension(of: path))")
  }

  /// Whether a file lies in the output's folder.
  private func isBeside(_ path: String) -> Bool {
    guard let folder, let target = FileSystem.canonicalPath(of: path) else { return false }
    return target.hasPrefix(folder + "/")
  }

  /// Writes a file beside the output, and returns its name.
  private func write(_ bytes: [UInt8], as name: String) throws -> String {
    let writer = try FileWriter(creating: output.sidePath(name))
    try writer.write(bytes)
    try writer.finish()
    return name
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
