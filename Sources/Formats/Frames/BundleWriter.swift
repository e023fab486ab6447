import Captures
import MeshPipeline
internal import NativeLibraries

/// Writes a capture as a bundle: files first, then the lines that name them.
struct BundleWriter {
  private let scene: Scene
  private let output: OutputSet
  private let wantsVideo: Bool
  private let origin: Capture.Origin?
  private let manifest: FramesBundleManifest
  private let isOfBundle: Bool
  private let entries: [BundleEntry]

  /// - Parameter scene: With a capture, in ARKit's axes and unit.
  init(_ scene: Scene, _ output: OutputSet, keepsVideo: Bool) {
    self.scene = scene
    self.output = output
    wantsVideo = keepsVideo
    origin = scene.capture?.origin
    isOfBundle = origin?.isBundle == true
    manifest = FramesBundleManifest(writing: isOfBundle ? origin?.manifest : nil)
    // Only the cameras: the mesh of a bundle is read as ARKit's, whatever its world.
    var cameras = Scene(capture: scene.capture, coordinateSystem: scene.coordinateSystem)
    cameras.convert(to: manifest.coordinateSystem)
    entries = cameras.capture.map(BundleEntry.all) ?? []
  }

  func write(in context: WritingContext) throws {
    var files = BundleFiles(output, context)
    var contents = FramesBundleContents()
    let entries = try writeFrames(&files, &contents)
    try writeMesh(&files, &contents, context)
    for name in origin?.attachments ?? [] {
      guard let path = path(inSource: name) else { continue }
      try files.write(.copy(path), as: files.name(name, or: name, for: path))
    }
    contents.frameCount = entries.count
    contents.depthMapsAlone = entries.count { !$0.hasImage }
    contents.hasDepth = entries.contains { $0.line.depthName != nil }
    contents.hasConfidence = entries.contains { $0.line.confidenceName != nil }
    try files.write(.bytes(Array(manifest.text(of: contents).utf8)), as: FramesBundleManifest.name)
    let notes = BundleNotes(entries, contents, manifest, attachments: origin?.attachments ?? [])
    try files.write(.bytes(Array(notes.text.utf8)), as: "README.md")
    try writeLines(entries, in: context)
    try files.requireNoOthers()
    try writeHashes(&files, in: context)
  }

  private func path(inSource name: String) -> String? {
    origin.map { $0.folder == "." ? name : "\($0.folder)/\(name)" }
  }

  // MARK: Frames

  /// Writes images, depth maps and confidences.
  ///
  /// - Returns: The frames with the names of their files.
  private func writeFrames(
    _ files: inout BundleFiles, _ contents: inout FramesBundleContents
  ) throws -> [BundleEntry] {
    contents.video = try video()
    if let video = contents.video, let path = videoPath {
      try files.write(.copy(path), as: files.name(video.name, or: video.name, for: path))
    }
    var entries = entries
    for index in entries.indices {
      try writeImage(of: &entries[index], keepsVideo: contents.video != nil, &files)
      try writeMask(of: entries[index], &files)
      try writeDepth(of: &entries[index], &files)
    }
    return entries
  }

  private func writeImage(
    of entry: inout BundleEntry, keepsVideo: Bool, _ files: inout BundleFiles
  ) throws {
    guard entry.hasImage else { return }
    switch entry.frame.image {
    case .video where keepsVideo: break
    case .file, .video:
      let (file, ending) = try entry.frame.imageFile(isPrivate: files.isPrivate)
      let source = if case .copy(let path) = file { path } else { "" }
      let name = files.name(
        entry.line.record?.imageName, or: "images/\(entry.stem).\(ending)", for: source)
      try files.write(file, as: name)
      entry.line.imageName = name
    }
  }

  /// Writes the frame's mask, which is found by the name of the image.
  private func writeMask(of entry: BundleEntry, _ files: inout BundleFiles) throws {
    guard entry.hasImage, let mask = try entry.frame.maskFile() else { return }
    let source = if case .copy(let path) = mask { path } else { "" }
    let name = Self.maskName(ofImage: entry.line.imageName ?? entry.stem)
    try files.write(mask, as: files.name(nil, or: name, for: source))
  }

  /// Where a reader finds the mask of an image, apart from those of images with its name in other folders.
  private static func maskName(ofImage name: String) -> String {
    if name.hasPrefix("images/") { return "masks/\(name.dropFirst("images/".count)).png" }
    var parts = name.split(separator: "/").map(String.init)
    parts.insert("masks", at: max(parts.count - 2, 0))
    return parts.joined(separator: "/") + ".png"
  }

  private func writeDepth(of entry: inout BundleEntry, _ files: inout BundleFiles) throws {
    guard let depth = entry.frame.depth else { return }
    let form = FramePictures.Depths(
      metersPerUnit: manifest.metersPerDepthUnit, keepsConfidences: true)
    let (map, confidence) = try depth.files(as: form)
    guard let map else { return }
    func write(_ file: FrameFile, _ wanted: String?, _ folder: String) throws -> String {
      let source = if case .copy(let path) = file { path } else { "" }
      let isPNG = wanted.map { fileExtension(of: $0) == "png" } ?? false
      let name = files.name(
        isPNG ? wanted : nil, or: "\(folder)/\(entry.stem).png", for: source)
      try files.write(file, as: name)
      return name
    }
    let record = entry.line.record
    let name = try write(map, record?.depthName, "depth")
    entry.line.depthName = name
    if let confidence {
      let usual = "confidence/\(FileSystem.name(of: name))"
      entry.line.confidenceName = try write(
        confidence, record.map { $0.confidenceName ?? usual }, "confidence")
    }
  }

  // MARK: Video

  /// The only video of the frames; nil if there is none, or several.
  private var videoPath: String? {
    let paths = Set(
      entries.filter { $0.hasImage && $0.frame.image.videoIndex != nil }.map(\.frame.image.path))
    return paths.count == 1 ? paths.first : nil
  }

  /// The video, if the bundle keeps it.
  ///
  /// It would show the frames that were removed, so that it is kept only if none was, and if each
  /// line finds its own image in it.
  private func video() throws -> (name: String, size: SIMD2<Int>, isByNumber: Bool)? {
    let count = entries.count { $0.hasImage }
    guard wantsVideo, let origin, count == origin.frameCount, let path = videoPath else {
      return nil
    }
    let video = try VideoReader.shared(path)
    let isByNumber = entries.allSatisfy { entry in
      !entry.hasImage || entry.frame.image.videoIndex ?? entry.line.number == entry.line.number
    }
    let ending = fileExtension(of: path)
    let name = isOfBundle ? manifest.videoName : ending == "mov" ? "video.mov" : "video.\(ending)"
    let lines = entries.map { entry in
      var line = entry.line
      // Files get their names later; here it counts only whether there are any.
      line.imageName = entry.hasImage && entry.frame.image.videoIndex == nil ? "image" : nil
      line.depthName = entry.frame.depth.map { _ in "depth" }
      return (line.text(manifest), entry.hasImage ? entry.frame.image.videoIndex : nil)
    }
    let isFound = FramesBundlePictures.finds(
      lines, inVideoAt: video.times,
      isByNumber: manifest.text == nil ? isByNumber : manifest.isVideoByNumber)
    return isFound ? (name, video.size, isByNumber) : nil
  }

  // MARK: Mesh

  private func writeMesh(
    _ files: inout BundleFiles, _ contents: inout FramesBundleContents, _ context: WritingContext
  ) throws {
    let names = origin?.meshFiles ?? []
    let hasMesh = scene.faceCount > 0 || scene.pointCount > 0
    if hasMesh, let first = names.first, isUnchanged(first) {
      contents.keepsMesh = isOfBundle
      contents.meshName = first
      for name in names {
        guard let path = path(inSource: name), try FileSystem.status(of: path) != nil else {
          continue
        }
        try files.write(.copy(path), as: files.name(name, or: name, for: path))
      }
      // The file has all of the mesh, whatever other formats hold.
      let rest = Scene(capture: scene.capture, coordinateSystem: scene.coordinateSystem)
      return context.warnOfLosses(of: rest, in: CaptureBundle.self)
    }
    context.warnOfLosses(of: scene, in: CaptureBundle.self)
    guard hasMesh else { return }
    var model = scene
    model.capture = nil
    contents.meshName = files.name("mesh.ply", or: "mesh.ply", for: "")
    let part = OutputSet(folder: output.folder, mainFileName: "mesh.ply")
    var writing = context
    writing.options = [:]
    writing.warnsOfAxes = false
    try PLY.write(model, to: part, in: writing)
  }

  /// Those of the meshes that a bundle may have.
  private static let meshFormats = FormatRegistry([OBJ.self, PLY.self, GLB.self])

  /// Whether the scene's mesh is that of the source's file, which a reader of the bundle would find.
  private func isUnchanged(_ name: String) -> Bool {
    guard let path = path(inSource: name), let folder = origin?.folder,
      (try? CaptureFolder(folder)).map({ FramesBundle.meshPaths(in: $0).contains(path) }) == true,
      let reader = Self.meshFormats.reader(forPath: path),
      var read = try? reader.read(path, in: ReadingContext(allowsExternalFiles: true)),
      read.meshes.count == scene.meshes.count
    else { return false }
    // What the user said of the file's axes would be lost.
    guard read.coordinateSystem == .arkit else { return false }
    for index in read.meshes.indices { read.meshes[index].name = scene.meshes[index].name }
    return read.meshes == scene.meshes && read.pointClouds == scene.pointClouds
      && read.materials == scene.materials && read.textures == scene.textures
  }

  // MARK: Descriptions

  private func writeLines(_ entries: [BundleEntry], in context: WritingContext) throws {
    let writer = try FileWriter(creating: output.mainPath, in: context.stage)
    for entry in entries { try writer.write(entry.line.text(manifest) + "\n") }
    try writer.finish()
  }

  private func writeHashes(_ files: inout BundleFiles, in context: WritingContext) throws {
    let names = try files.written()
    let hashes = try Parallel.map(count: names.count) { index in
      Result { try SHA256.hexadecimal(ofFile: output.sidePath(names[index])) }
    }.map { try $0.get() }
    try context.stage.checkCancellation()
    let members = zip(names, hashes).map { name, hash in
      let shown = name == output.mainFileName ? FramesBundle.index : name
      return JSONValue.Member(shown, JSONValue(.string(hash)))
    }
    let json: JSONValue = ["algorithm": "sha256", "files": JSONValue(.object(members))]
    try files.write(.bytes(Array(json.prettyText.utf8)), as: FramesBundleChecksums.name)
  }
}
