/// Finds captures by looking, and reads them.
public struct CaptureReader: Sendable {
  public let layouts: [any CaptureLayout.Type]
  private let fitting: (any CaptureFitting.Type)?
  private let isArchive: @Sendable (String) -> Bool

  /// - Parameters:
  ///   - layouts: In the order in which a folder is tried.
  ///   - fitting: What compares the frames with the mesh.
  ///   - isArchive: Whether a name is that of an archive, for messages.
  public init(
    _ layouts: [any CaptureLayout.Type], fitting: (any CaptureFitting.Type)? = nil,
    isArchive: @escaping @Sendable (String) -> Bool = { _ in false }
  ) {
    self.layouts = layouts
    self.fitting = fitting
    self.isArchive = isArchive
  }

  /// Where the frames lie when the folder that the user named only holds other folders.
  private var usualFolders: [String] {
    layouts.flatMap { $0.usualFolders } + ["capture", "frames", "data"]
  }
  /// How many folders with nothing but one folder in them are gone through.
  private static let maximumDepth = 3

  /// Finds a capture.
  ///
  /// - Parameter path: Its folder, a folder around it, or a file in it that stands for it.
  /// - Throws: When there is nothing at `path`, or nothing that is a capture.
  public func find(_ path: String) throws -> FoundCapture {
    guard let status = try FileSystem.status(of: path) else {
      throw FileError(.read, path, code: Self.noSuchFile)
    }
    let found =
      status.isFolder
      ? try find(inFolder: CaptureFolder(path), depth: 0)
      : try find(byFile: FileSystem.name(of: path), in: FileSystem.folder(of: path))
    if let found { return found }
    let names = layouts.flatMap { $0.indexNames }.joined(separator: ", ")
    let folder = try CaptureFolder(status.isFolder ? path : FileSystem.folder(of: path))
    throw CaptureError(
      path,
      shortcoming(of: folder, isNamed: status.isFolder, depth: 0)
        ?? (status.isFolder
          ? "the folder holds no capture that meshpipe knows ('meshpipe formats' lists them)"
          : "is no file of a capture (\(names)); name the capture's folder, or such a file in it"),
      exitCode: .noInput)
  }

  /// Why there is no capture in a folder that has the makings of one; nil when it has none.
  private func shortcoming(of folder: CaptureFolder, isNamed: Bool, depth: Int) -> String? {
    for layout in layouts {
      guard let missing = layout.missingName(in: folder) else { continue }
      return "looks like a capture (\(layout.id)), but '\(missing)' is missing"
    }
    guard isNamed, let folders = try? folders(in: folder) else { return nil }
    let captures = folders.filter { name in
      (try? CaptureFolder(folder.path(of: name))).flatMap(find(in:)) != nil
    }
    if captures.count > 1 {
      return
        "the folder holds \(captures.count) captures (\(Self.list(captures))), and which one is meant?"
    }
    if folders.count == 1, depth < Self.maximumDepth,
      let inner = try? CaptureFolder(folder.path(of: folders[0])),
      let found = shortcoming(of: inner, isNamed: true, depth: depth + 1)
    {
      return found
    }
    let archives = folder.names.filter(isArchive)
    guard !archives.isEmpty else { return nil }
    return
      "the folder itself is no capture, and archives (\(Self.list(archives))) are not looked into: name "
      + "one by itself, or with --frames beside a mesh"
  }

  private static func list(_ names: [String]) -> String {
    names.prefix(3).map { "'\($0)'" }.joined(separator: ", ") + (names.count > 3 ? ", …" : "")
  }

  /// The capture in whose folder a mesh lies; nil when it lies in none.
  public func find(besideMesh path: String) -> FoundCapture? {
    // A folder that can't be listed has no frames for us.
    guard let folder = try? CaptureFolder(FileSystem.folder(of: path)) else { return nil }
    if let found = find(in: folder) { return found }
    // A reconstruction's own folders; any other may hold anything.
    for name in layouts.flatMap({ $0.usualFolders }) where folder.has(name) {
      guard let inner = try? CaptureFolder(folder.path(of: name)) else { continue }
      if let found = find(in: inner) { return found }
    }
    return nil
  }

  private static var noSuchFile: Int32 { 2 }

  private func find(byFile name: String, in folder: String) throws -> FoundCapture? {
    let folder = try CaptureFolder(folder, fileName: name)
    let isData = ["json", "txt", "bin", "csv"].contains(fileExtension(of: name))
    let layout =
      try layouts.first { $0.indexNames.contains(name) && $0.isPresent(in: folder) }
      // A picture or a mesh of a capture stands for all of it.
      ?? (isData ? nil : find(in: CaptureFolder(folder.path))?.layout)
      // Any other name will do for a file that only one layout can make sense of.
      ?? layouts.first { !$0.indexNames.isEmpty && $0.isPresent(in: folder) }
    return layout.map { FoundCapture(layout: $0, folder: folder, fitting: fitting) }
  }

  private func find(in folder: CaptureFolder) -> FoundCapture? {
    layouts.first { $0.isPresent(in: folder) }.map {
      FoundCapture(layout: $0, folder: folder, fitting: fitting)
    }
  }

  private func find(inFolder folder: CaptureFolder, depth: Int) throws -> FoundCapture? {
    if let found = find(in: folder) { return found }
    for name in usualFolders where folder.has(name) {
      if let found = find(in: try CaptureFolder(folder.path(of: name))) { return found }
    }
    let folders = try folders(in: folder)
    guard folders.count == 1, depth < Self.maximumDepth else { return nil }
    return try find(inFolder: CaptureFolder(folder.path(of: folders[0])), depth: depth + 1)
  }

  private func folders(in folder: CaptureFolder) throws -> [String] {
    try folder.names.filter { name in
      guard !name.hasPrefix("."), !name.hasPrefix("__") else { return false }
      return try FileSystem.status(of: folder.path(of: name))?.isFolder == true
    }
  }
}

/// A capture that was found and not read yet.
public struct FoundCapture: Sendable {
  public let layout: any CaptureLayout.Type
  public let folder: CaptureFolder
  let fitting: (any CaptureFitting.Type)?
  /// How the poses are meant, when the user says it.
  public var reading = PoseReading()

  /// The path of the scan's own mesh; nil when there is none.
  public var meshPath: String? { layout.meshPath(in: folder) }

  /// Reads cameras and names of files; no pixels.
  ///
  /// Frames that are no use are left out, with a warning for each reason.
  /// - Throws: A ``UserError`` when the capture has no frame that can be used.
  public func read(in context: CaptureReadingContext) throws -> CapturedScan {
    var scan = try layout.read(folder, in: context)
    if let convention = reading.convention { scan.reread(as: convention) }
    let check = FrameCheck(context: context, videoSizes: scan.videoSizes)
    var frames: [Capture.Frame] = []
    for frame in scan.capture.frames {
      try context.checkCancellation()
      do throws(FrameCheck.Fault) {
        frames.append(try check.checked(frame))
        if reading.convention == nil, scan.framesByColumns.contains(frame.name) {
          var order = scan.convention
          order.isByColumns = true
          context.note(
            frame.name,
            "the pose is written by columns, as its numbers show, and is read so; "
              + "--frames-convention \(order.text) says it")
        }
      } catch {
        context.leaveOut(frame.name, because: error.reason)
        context.didMiss(frame.image.path)
      }
    }
    scan.capture.frames = frames
    guard !frames.isEmpty else {
      throw CaptureError(
        folder.path,
        (["the capture (\(layout.id)) has no frame that can be used"] + context.faultSentences)
          .joined(separator: "; "))
    }
    for sentence in context.faultSentences { context.warn("\(folder.path): \(sentence)") }
    for frame in frames {
      context.didOpen(frame.image.path)
      if let depth = frame.depth {
        context.didOpen(depth.path)
        if let confidence = depth.confidence { context.didOpen(confidence.path) }
      }
    }
    return scan
  }

  /// Reads the capture into a scene whose mesh it belongs to.
  func read(into scene: inout Scene, in context: CaptureReadingContext) throws {
    var scan = try read(in: context)
    scan.capture.saysUp = scan.coordinateSystem != nil || reading.up != nil
    scan.place(in: scene.coordinateSystem, as: reading)
    try fitting?.fit(
      &scan, to: scene, path: folder.path, keepsMisfits: reading.keepsMisfits, in: context)
    scene.capture = scan.capture
  }
}

/// A scan that is to be read: the file of its mesh, and the frames that belong to it.
public struct ScanSource: Sendable {
  public var path: String
  public var format: FormatReader
  public var frames: FoundCapture?
  /// The axis that points up in the mesh, whatever its format says or leaves open.
  public var up: SignedAxis?
  /// The unit of the numbers in the mesh, whatever its format says or leaves open.
  public var metersPerUnit: Double?
  /// What the scan is called; nil for the name of its file.
  public var name: String?

  public init(
    path: String, format: FormatReader, frames: FoundCapture? = nil,
    up: SignedAxis? = nil, metersPerUnit: Double? = nil, name: String? = nil
  ) {
    self.name = name
    self.path = path
    self.format = format
    self.frames = frames
    self.up = up
    self.metersPerUnit = metersPerUnit
  }

  public init(
    path: String, format: any ReadableFormat.Type, frames: FoundCapture? = nil,
    up: SignedAxis? = nil, metersPerUnit: Double? = nil, name: String? = nil
  ) {
    self.init(
      path: path, format: FormatReader(format), frames: frames, up: up,
      metersPerUnit: metersPerUnit, name: name)
  }

  /// Reads the mesh and the frames into one scene.
  public func read(in context: ReadingContext) throws -> Scene {
    var scene = try format.read(path, in: context)
    if let name { scene.rename(from: FileSystem.title(of: path), to: name) }
    scene.coordinateSystem = scene.coordinateSystem.reread(up: up, metersPerUnit: metersPerUnit)
    guard let frames else { return scene }
    try frames.read(into: &scene, in: CaptureReadingContext(context))
    if up != nil { scene.capture?.saysUp = true }
    return scene
  }
}
