import MeshpipeBase
import MeshpipeScene

/// A scan to read: the file of its mesh, and its frames.
public struct ScanSource: Sendable {
  /// The mesh's file, or the folder of a capture without a mesh.
  public var path: String
  /// The reader of the mesh; nil for a capture without one.
  public var format: FormatReader?
  /// The capture; nil if there is none.
  public var frames: FoundCapture?
  /// The file of the room that the scan shows; nil if there is none.
  package var room: FoundRoom?
  /// What the user says of the mesh, overriding its file.
  public var reading: InputReading
  /// The name of the scan; nil for the name of its file.
  public var name: String?
  /// Other meshes of the same scan, from which ``withBestMesh(in:)`` chooses.
  package var alternatives: [CaptureMesh] = []

  /// Creates a source whose mesh, if any, is read by a registered format.
  public init(
    path: String, format: FormatReader?, frames: FoundCapture? = nil,
    reading: InputReading = InputReading(), name: String? = nil
  ) {
    self.name = name
    self.path = path
    self.format = format
    self.frames = frames
    self.reading = reading
  }

  /// Creates a source whose mesh is read by a format.
  public init(
    path: String, format: any ReadableFormat.Type, frames: FoundCapture? = nil,
    reading: InputReading = InputReading(), name: String? = nil
  ) {
    self.init(
      path: path, format: FormatReader(format), frames: frames, reading: reading, name: name)
  }

  /// Reads the mesh, the frames and the room into one scene.
  public func read(in context: ReadingContext) throws -> Scene {
    var scene = try readScan(in: context)
    guard let room else { return scene }
    scene.room = try room.read(in: context)
    // Like ARKit's frames it is in metres, with y up.
    scene.room?.apply(CoordinateSystem.arkit.transform(to: scene.coordinateSystem))
    return scene
  }

  private func readScan(in context: ReadingContext) throws -> Scene {
    guard let format else { return try readCapture(in: context) }
    var scene = try format.read(
      path, in: context.reading(metersPerUnit: reading.metersPerUnit))
    context.warn(ofUnseenPointsIn: scene, from: path)
    if let name { scene.rename(from: FileSystem.title(of: path), to: name) }
    let facts = FileFacts(path: path, format: format, isPartOfCapture: frames != nil || room != nil)
    scene.interpret(facts, as: reading)
    guard let frames else { return scene }
    let meshFiles = [path] + context.openedFiles
    do {
      try frames.read(into: &scene, in: CaptureReadingContext(context))
    } catch let error as CaptureError where !frames.isNamed {
      context.stage.warn("the frames beside the scan are left out: \(error.message)")
      return scene
    }
    if reading.up != nil { scene.capture?.saysUp = true }
    if scene.capture?.saysUp == true, scene.interpretation.isAssumed(.axes) {
      scene.interpretation.set(
        .axes, scene.coordinateSystem.up.words, .declared, because: "by the poses of its capture")
    }
    scene.capture?.origin?.addMesh(meshFiles)
    scene.capture?.origin?.hasOwnMesh = frames.isOwnMesh(path)
    for other in alternatives { context.didOpen(other.path) }
    return scene
  }

  private func readCapture(in context: ReadingContext) throws -> Scene {
    guard var frames else {
      throw CaptureError(path, "has neither a mesh nor frames", exitCode: .noInput)
    }
    // What is said of the input is said of its poses.
    frames.reading.up = frames.reading.up ?? reading.up
    frames.reading.metersPerUnit = frames.reading.metersPerUnit ?? reading.metersPerUnit
    var scene = try frames.readAlone(in: CaptureReadingContext(context))
    scene.name = name ?? FileSystem.title(of: path)
    return scene
  }
}

extension ReadingContext {
  /// Warns of points at exactly 0 0 0, which scanners write where they saw nothing.
  fileprivate func warn(ofUnseenPointsIn scene: borrowing Scene, from path: String) {
    let count = scene.unseenPointCount
    guard count > 0 else { return }
    stage.warn(
      "\(FileSystem.name(of: path)): points at exactly 0 0 0 beside a cloud that is elsewhere "
        + "(\(NumberText.grouped(count))) are what scanners write where they saw nothing; filters of points remove them"
    )
  }
}

extension Capture.Origin {
  /// Notes the files of the mesh that was read, if it is the capture's own.
  fileprivate mutating func addMesh(_ paths: [String]) {
    let prefix = folder == "." ? "" : folder + "/"
    let names = paths.map { prefix.isEmpty && $0.hasPrefix("./") ? String($0.dropFirst(2)) : $0 }
    guard names.allSatisfy({ prefix.isEmpty ? !$0.hasPrefix("/") : $0.hasPrefix(prefix) }) else {
      meshFiles = []
      return
    }
    var known: Set<String> = []
    meshFiles = (names.map { String($0.dropFirst(prefix.utf8.count)) } + meshFiles)
      .filter { known.insert($0).inserted }
  }
}
