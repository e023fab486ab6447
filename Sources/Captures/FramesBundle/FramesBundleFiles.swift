import MeshPipeline

/// The files of a bundle that belong to no frame: those that its descriptions name, and the usual ones.
struct FramesBundleFiles {
  private let folder: CaptureFolder
  private let manifest: FramesBundleManifest
  /// The folders and files of the frames.
  private var ofFrames: Set<String>

  private let hashed: [String]

  /// - Parameter hashed: The names in `manifest.sha256.json`.
  init(
    _ folder: CaptureFolder, _ manifest: FramesBundleManifest, _ records: [FramesBundleRecord],
    hashed: [String]
  ) {
    self.folder = folder
    self.manifest = manifest
    self.hashed = hashed
    ofFrames = [
      FramesBundle.index, FramesBundleManifest.name, FramesBundleChecksums.name, "README.md",
      "images", "depth", "confidence", "masks", manifest.videoName, "video.mov",
    ]
    for record in records {
      for name in record.fileNames {
        // Pictures of frames that are left out must not come back as something else.
        ofFrames.insert(name)
        if let slash = name.lastIndex(of: "/") { ofFrames.insert(String(name[..<slash])) }
      }
    }
  }

  /// The origin of the bundle's capture, with all files that are there.
  var origin: Capture.Origin {
    var origin = Capture.Origin(folder: folder.path, layout: FramesBundle.id)
    origin.manifest = manifest.text
    origin.locks = manifest.locks
    let meshes = Set(Self.texts(in: manifest.json["mesh"] ?? [:]))
    var names = Set(hashed + Self.texts(in: manifest.json))
    names.formUnion(folder.names.filter(Self.isUsual))
    for name in Set(names.flatMap(files)).sorted() {
      if meshes.contains(name) || Self.meshExtensions.contains(fileExtension(of: name)) {
        origin.meshFiles.append(name)
      } else {
        origin.attachments.append(name)
      }
    }
    return origin
  }

  private static let meshExtensions: Set<String> = [
    "obj", "mtl", "ply", "glb", "gltf", "stl", "usdz", "usd", "usda", "usdc", "dae", "fbx",
  ]

  /// Whether apps store a file or folder of this name beside the frames without naming it.
  private static func isUsual(_ name: String) -> Bool {
    if ["refs", "sensors"].contains(name) { return true }
    let sensors = [
      "imu", "motion", "accelerometer", "gyroscope", "magnetometer", "gps", "location", "gnss",
      "barometer", "altimeter", "pressure", "heading", "audio", "light",
    ]
    let stem = FileSystem.stem(of: name).lowercased()
    return sensors.contains(stem)
      && ["jsonl", "json", "csv", "txt", "bin", "wav", "m4a", "aac"].contains(
        fileExtension(of: name))
  }

  /// All texts of a value that may be paths inside the folder.
  private static func texts(in json: JSONValue) -> [String] {
    switch json.content {
    case .string(let text):
      let isInside =
        !text.isEmpty && text.utf8.count < 256 && !text.hasPrefix("/")
        && !text.utf8.contains(0)
        && text.split(separator: "/").allSatisfy { $0 != ".." && $0 != "." }
      return isInside ? [text.hasSuffix("/") ? String(text.dropLast()) : text] : []
    case .array(let elements): return elements.flatMap(texts)
    case .object(let members): return members.flatMap { texts(in: $0.value) }
    case .null, .bool, .number: return []
    }
  }

  /// Whether a name, or a folder in it, is that of a frame's files.
  private func isOfFrames(_ name: String) -> Bool {
    var part = name[...]
    while !ofFrames.contains(String(part)) {
      guard let slash = part.lastIndex(of: "/") else { return false }
      part = part[..<slash]
    }
    return true
  }

  /// The file of a name, or those in its folder; none of frames, and none that links lead away to.
  private func files(_ name: String) -> [String] {
    guard !isOfFrames(name), name.split(separator: "/").count <= 4,
      let status = try? FileSystem.status(of: folder.path(of: name)),
      folder.isInside(folder.path(of: name))
    else { return [] }
    if status.isRegularFile { return [name] }
    guard status.isFolder,
      let names = try? FileSystem.names(inFolder: folder.path(of: name)).sorted()
    else { return [] }
    return names.flatMap { files("\(name)/\($0)") }
  }
}

extension FramesBundleRecord {
  /// The files that the line names.
  var fileNames: [String] { [imageName, depthName, confidenceName].compactMap(\.self) }
}
