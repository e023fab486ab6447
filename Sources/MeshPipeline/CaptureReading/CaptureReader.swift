import MeshpipeBase
import MeshpipeScene

/// Finds and reads captures.
public struct CaptureReader: Sendable {
  /// In the order in which a folder is checked.
  package let layouts: [any CaptureLayout.Type]
  private let checking: any FrameChecking.Type
  private let fitting: (any CaptureFitting.Type)?
  let rooms: (any RoomReading.Type)?
  private let isArchive: @Sendable (String) -> Bool

  /// Knows no layout, and so finds no capture.
  public static let none = CaptureReader([], checking: NoFrames.self)

  /// - Parameters:
  ///   - layouts: In the order in which a folder is checked.
  ///   - checking: Checks the frames of all layouts.
  ///   - fitting: Compares the frames with the mesh.
  ///   - rooms: Finds and reads rooms beside scans.
  ///   - isArchive: Whether a name is that of an archive, for messages.
  package init(
    _ layouts: [any CaptureLayout.Type], checking: any FrameChecking.Type,
    fitting: (any CaptureFitting.Type)? = nil, rooms: (any RoomReading.Type)? = nil,
    isArchive: @escaping @Sendable (String) -> Bool = { _ in false }
  ) {
    self.layouts = layouts
    self.checking = checking
    self.fitting = fitting
    self.rooms = rooms
    self.isArchive = isArchive
  }

  /// Where the frames are when the given folder contains only other folders.
  private var usualFolders: [String] {
    layouts.flatMap { $0.usualFolders } + ["capture", "frames", "data"]
  }
  /// The extensions of files that describe captures.
  ///
  /// An image or a mesh stands for the capture in its folder, but data may belong to anything: it stands for one that
  /// has an index, at most.
  private var dataExtensions: Set<String> {
    Set(layouts.flatMap { $0.indexNames }.map(fileExtension(of:))).subtracting([""])
  }
  /// The maximum number of nested folders with a single entry.
  private static let maximumDepth = 3

  /// Finds a capture.
  ///
  /// - Parameter path: Its folder, a parent folder, or a file in it that identifies it.
  /// - Throws: When there is nothing at `path`, or no capture.
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
          ? "the folder is not a known capture layout ('meshpipe formats' lists them)"
          : "is not a file of a capture (\(names)); name the capture's folder, or such a file in it"),
      exitCode: .noInput)
  }

  /// Whether a path has the name of a file that identifies a capture.
  package func hasIndexName(_ path: String) -> Bool {
    let name = FileSystem.name(of: path)
    return layouts.contains { $0.indexNames.contains(name) }
  }

  /// Whether a file stands for the capture in its folder.
  package func isIndex(_ path: String) -> Bool {
    hasIndexName(path) && (try? FileSystem.status(of: path))?.isRegularFile == true
      && (try? find(path)) != nil
  }

  /// Whether a folder is a capture, resembles one, or holds several.
  package func mayBeMeant(byFolder path: String) -> Bool {
    guard let folder = try? CaptureFolder(path) else { return true }
    return (try? find(path)) != nil || shortcoming(of: folder, isNamed: true, depth: 0) != nil
  }

  /// Why a folder that resembles a capture is not one; nil if it does not resemble one.
  private func shortcoming(of folder: CaptureFolder, isNamed: Bool, depth: Int) -> String? {
    for layout in layouts {
      guard let missing = layout.missingName(in: folder) else { continue }
      return "looks like a capture (\(layout.id)), but '\(missing)' is missing"
    }
    guard isNamed, let folders = try? folders(in: folder) else { return nil }
    if folder.names.isEmpty { return "the folder is empty" }
    let captures = folders.filter { name in
      (try? CaptureFolder(folder.path(of: name))).flatMap(find(in:)) != nil
    }
    if captures.count > 1 {
      return
        "the folder contains \(captures.count) captures (\(Self.list(captures))); name one of them"
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
      "the folder is not a capture, and archives in it (\(Self.list(archives))) are not opened: name "
      + "one as the input, or with --frames and a mesh"
  }

  private static func list(_ names: [String]) -> String {
    names.prefix(3).map { "'\($0)'" }.joined(separator: ", ") + (names.count > 3 ? ", …" : "")
  }

  /// The capture whose folder contains a mesh; nil if there is none.
  public func find(besideMesh path: String) -> FoundCapture? {
    // Frames in a folder that can't be listed are ignored.
    guard let folder = try? CaptureFolder(FileSystem.folder(of: path)) else { return nil }
    if let found = find(in: folder) { return found }
    // A reconstruction's own folders; any other folder may contain anything.
    for name in layouts.flatMap({ $0.usualFolders }) where folder.has(name) {
      guard let inner = try? CaptureFolder(folder.path(of: name)) else { continue }
      if let found = find(in: inner) { return found }
    }
    return nil
  }

  private static var noSuchFile: Int32 { 2 }

  private func find(byFile name: String, in folder: String) throws -> FoundCapture? {
    let folder = try CaptureFolder(folder, fileName: name)
    let isData = dataExtensions.contains(fileExtension(of: name))
    let layout =
      try layouts.first { $0.indexNames.contains(name) && $0.isPresent(in: folder) }
      // An image or a mesh of a capture identifies all of it.
      ?? (isData ? nil : find(in: CaptureFolder(folder.path))?.layout)
      // Any other name identifies a capture only if it is specific to one layout.
      ?? layouts.first { !$0.indexNames.isEmpty && $0.isPresent(in: folder) }
    return layout.map { found($0, in: folder) }
  }

  private func find(in folder: CaptureFolder) -> FoundCapture? {
    layouts.first { $0.isPresent(in: folder) && mayBe($0, in: folder) }
      .map { found($0, in: folder) }
  }

  /// Whether images without poses are not those of another capture, in or around them, of which a file is missing.
  private func mayBe(_ layout: any CaptureLayout.Type, in folder: CaptureFolder) -> Bool {
    layout.brings.contains(.frames) || !layouts.contains { $0.missingName(in: folder) != nil }
  }

  private func found(_ layout: any CaptureLayout.Type, in folder: CaptureFolder) -> FoundCapture {
    FoundCapture(layout: layout, folder: folder, checking: checking, fitting: fitting)
  }

  private func find(inFolder folder: CaptureFolder, depth: Int) throws -> FoundCapture? {
    if let found = find(in: folder) { return found }
    for name in usualFolders where folder.has(name) {
      if let found = find(in: try CaptureFolder(folder.path(of: name))) { return found }
    }
    let folders = try folders(in: folder)
    guard folders.count == 1, depth < Self.maximumDepth else { return nil }
    let inner = try find(inFolder: CaptureFolder(folder.path(of: folders[0])), depth: depth + 1)
    guard let inner, mayBe(inner.layout, in: folder) else { return nil }
    return inner
  }

  private func folders(in folder: CaptureFolder) throws -> [String] {
    try folder.names.filter { name in
      guard !name.hasPrefix("."), !name.hasPrefix("__") else { return false }
      return try FileSystem.status(of: folder.path(of: name))?.isFolder == true
    }
  }
}

/// A capture that was found but not yet read.
public struct FoundCapture: Sendable {
  /// The layout that recognises the folder.
  package let layout: any CaptureLayout.Type
  /// The folder, or an archive's contents.
  package let folder: CaptureFolder
  let checking: any FrameChecking.Type
  let fitting: (any CaptureFitting.Type)?
  /// The pose convention given by the user.
  public var reading = PoseReading()
  /// Whether the user named the capture; one that was only found beside the scan never makes a run fail.
  package var isNamed = true

  /// The path of the scan's own mesh: the one that the user names, or the first; nil if there is none.
  public var meshPath: String? {
    guard let name = reading.mesh else { return ownMeshPaths.first }
    return ownMeshPaths.first { FileSystem.name(of: $0) == name }
      ?? (!name.contains("/") && folder.has(name) ? folder.path(of: name) : nil)
  }

  /// The paths of the scan's own meshes that are usual in the layout.
  package var ownMeshPaths: [String] { layout.meshPaths(in: folder) }

  /// Whether a file is one of ``ownMeshPaths``, however its path is written.
  func isOwnMesh(_ path: String) -> Bool {
    let wanted = FileSystem.canonicalPath(of: path)
    return ownMeshPaths.contains { FileSystem.canonicalPath(of: $0) == wanted }
  }

  /// Rejects the name of a mesh that the capture does not have.
  package func checkMesh() throws(CaptureError) {
    guard let name = reading.mesh, meshPath == nil else { return }
    let hint = nameHint(name, among: ownMeshPaths.map(FileSystem.name))
    throw CaptureError(
      folder.path, "the capture has no mesh '\(name)'\(hint)", exitCode: .noInput)
  }

  /// Whether a frame seems to have a depth map, judged by the names of files.
  package var hasDepth: Bool {
    (try? layout.read(folder, in: CaptureReadingContext { _ in }))?.capture.hasDepth == true
  }

  /// Reads cameras and file names, no pixels.
  ///
  /// Unusable frames are skipped, with a warning for each reason.
  /// - Throws: A ``UserError`` when the capture has no usable frame.
  package func read(in context: CaptureReadingContext) throws -> CapturedScan {
    var scan = try layout.read(folder, in: context)
    if let convention = reading.convention { scan.reread(as: convention) }
    try check(&scan, in: context)
    if reading.ignoresMasks {
      for index in scan.capture.frames.indices { scan.capture.frames[index].masks = [] }
    } else {
      checking.addMasks(to: &scan.capture, of: folder, in: context)
    }
    let (frames, depths) = (scan.capture.frames, scan.capture.allDepthFrames.map(\.depth))
    let photographs = scan.capture.photographs
    guard !frames.isEmpty || !depths.isEmpty || !photographs.isEmpty else {
      throw CaptureError(
        folder.path,
        (["the capture (\(layout.id)) has no usable frame"] + context.faultSentences)
          .joined(separator: "; "))
    }
    for sentence in context.faultSentences { context.warn("\(folder.path): \(sentence)") }
    if frames.isEmpty, photographs.isEmpty {
      context.warn("\(folder.path): no frame has an image; only depth maps are used")
    }
    for frame in frames {
      context.didOpen(frame.image.path)
      for mask in frame.masks where mask.path != frame.image.path { context.didOpen(mask.path) }
    }
    for photograph in photographs { context.didOpen(photograph.path) }
    for depth in depths {
      context.didOpen(depth.path)
      if let confidence = depth.confidence { context.didOpen(confidence.path) }
    }
    var origin =
      scan.capture.origin ?? Capture.Origin(folder: folder.path, layout: layout.id)
    origin.frameCount = frames.count
    origin.unreadDepthCount = context.unreadDepthCount
    for name in origin.attachments { context.didOpen(folder.path(of: name)) }
    scan.capture.origin = origin
    return scan
  }

  /// Leaves out unusable frames.
  private func check(_ scan: inout CapturedScan, in context: CaptureReadingContext) throws {
    var frames: [Capture.Frame] = []
    for frame in scan.capture.frames {
      try context.checkCancellation()
      do throws(FrameFault) {
        frames.append(try checking.checked(frame, videoSizes: scan.videoSizes, in: context))
        noteOrder(ofFrame: frame.name, scan, in: context)
      } catch {
        context.leaveOut(frame.name, because: error.reason, at: error.path)
        context.didMiss(frame.image.path)
      }
    }
    var depthFrames: [Capture.DepthFrame] = []
    for frame in scan.capture.depthFrames {
      try context.checkCancellation()
      do throws(FrameFault) {
        depthFrames.append(try checking.checked(frame, in: context))
        noteOrder(ofFrame: frame.name, scan, in: context)
      } catch {
        context.leaveOut(frame.name, because: error.reason, at: error.path)
      }
    }
    scan.capture.frames = frames
    scan.capture.depthFrames = depthFrames
  }

  /// Reports a pose whose numbers were found to be in another order than the layout's.
  private func noteOrder(
    ofFrame name: String, _ scan: CapturedScan, in context: CaptureReadingContext
  ) {
    guard reading.convention == nil, scan.framesByColumns.contains(name) else { return }
    var order = scan.convention
    order.isByColumns = true
    context.note(
      name,
      "the pose is stored column by column, as its numbers show, and is read accordingly; "
        + "to specify it, use --frames-convention \(order.text)")
  }

  /// Adds the capture to the scene of its mesh.
  func read(into scene: inout Scene, in context: CaptureReadingContext) throws {
    var scan = try read(in: context)
    scan.capture.saysUp = scan.coordinateSystem != nil || reading.up != nil
    scan.place(in: scene.coordinateSystem, as: reading)
    // Poses are in the coordinates of the mesh's file.
    if scene.origin != .zero { scan.move(by: Transform(translation: -scene.origin)) }
    try fitting?.fit(
      &scan, to: scene, path: folder.path, misfits: reading.misfits, in: context)
    scene.capture = scan.capture
    describe(scan, in: &scene.interpretation)
  }

  /// Says how poses were read, where they were found to be, and what masks hide.
  private func describe(_ scan: CapturedScan, in interpretation: inout Interpretation) {
    guard layout.brings.contains(.frames) else { return }
    if let world = scan.settledWorld {
      interpretation.set(
        .cameras, "in the world \(world.name)", world.reason == nil ? .declared : .numbers,
        because: world.reason ?? "", option: "--frames-up")
    } else {
      interpretation.set(
        .cameras, scan.convention.text, reading.convention == nil ? .format : .option,
        because: "poses of \(layout.id)", option: "--frames-convention")
    }
    let (masked, count) = (
      scan.capture.frames.count { !$0.masks.isEmpty }, scan.capture.frames.count
    )
    if reading.ignoresMasks {
      interpretation.set(.masks, "ignored", .option, option: "--masks")
    } else if masked > 0 {
      interpretation.set(
        .masks, "in \(masked) of \(count) frames", .declared, option: "--masks ignore")
    }
  }

  /// Reads the capture as a scene without a mesh, in the axes and unit of its poses.
  package func readAlone(in context: CaptureReadingContext) throws -> Scene {
    var scan = try read(in: context)
    // There is no mesh that shows where it is: what the files declare counts.
    if reading.up == nil, let world = scan.worlds.first(where: { $0.declared == .original }) {
      scan.move(by: world.transform)
      scan.settledWorld = .init(name: world.name, reason: nil)
      context.report("framesWorld", JSONValue(.string(world.name)))
    }
    var scene = Scene(capture: scan.capture)
    let known = scan.coordinateSystem ?? .arkit
    scene.coordinateSystem = reading.coordinateSystem(otherwise: known) ?? known
    let saysUp = scan.coordinateSystem != nil || reading.up != nil
    scene.capture?.saysUp = saysUp
    describe(scan, in: &scene.interpretation)
    scene.interpretation.set(
      .axes, scene.coordinateSystem.up.words,
      reading.up != nil ? .option : saysUp ? .format : .assumed,
      because: saysUp ? "" : "\(layout.id) does not say which way is up", option: "--frames-up",
      isDoubtful: !saysUp)
    scene.interpretation.set(
      .unit, scene.coordinateSystem.unitWords,
      reading.metersPerUnit != nil ? .option : saysUp ? .format : .assumed, option: "--frames-unit")
    return scene
  }
}

/// For a reader that finds no frames.
private enum NoFrames: FrameChecking {
  static func checked(
    _ frame: Capture.Frame, videoSizes: [String: SIMD2<Int>], in context: CaptureReadingContext
  ) -> Capture.Frame { frame }

  static func checked(
    _ frame: Capture.DepthFrame, in context: CaptureReadingContext
  ) -> Capture.DepthFrame { frame }

  static func addMasks(
    to capture: inout Capture, of folder: CaptureFolder, in context: CaptureReadingContext
  ) {}
}
