/// A file format that meshpipe reads, writes or both.
public protocol Format: Sendable {
  /// The id in pipelines and on the command line: `glb`, `fbx`, `ply`.
  static var id: String { get }
  /// The name for people: `Binary glTF 2.0`.
  static var name: String { get }
  /// The file extensions without the dot, lower case; the first is the usual one.
  static var extensions: [String] { get }
}

/// A format that can be read.
public protocol ReadableFormat: Format {
  /// What a file of this format can bring at all.
  static var canBring: Set<SceneFeature> { get }

  /// Reads a file.
  ///
  /// - Throws: A ``UserError`` that names the file and the line, byte or element at fault.
  static func read(_ path: String, in context: ReadingContext) throws -> Scene

  /// Whether a file is most likely of this format, by how it begins.
  ///
  /// Asked when neither the file's name nor the user tells the format.
  static func recognizes(_ head: FileHead) -> Bool

  /// How the coordinates of a file are to be read, as far as its first bytes say it.
  ///
  /// Nil when they don't, or when only reading the whole will tell.
  static func coordinateSystem(of path: String) -> CoordinateSystem?
}

extension ReadableFormat {
  public static func recognizes(_ head: FileHead) -> Bool { false }

  public static func coordinateSystem(of path: String) -> CoordinateSystem? { nil }
}

/// A format that can be written.
public protocol WritableFormat: Format {
  /// What an output in a pipeline may say about the file, beside its path: `"ascii": true`.
  associatedtype Options: StageParameters = NoParameters

  /// What the format keeps, as found by writing and reading back.
  static var keeps: Set<SceneFeature> { get }
  /// How a program that opens the file with its default settings takes the coordinates.
  static var axes: AxisConvention { get }
  /// What a user should know, in one or two sentences; empty when there is nothing.
  static var remark: String { get }

  /// Writes a scene as a set of files, the main file last.
  ///
  /// The same scene gives the same bytes, on any machine and any number of threads.
  static func write(_ scene: Scene, to output: OutputSet, in context: WritingContext) throws
}

/// How a format says which way is up, and how long a unit is.
public enum AxisConvention: Sendable, Equatable {
  /// The specification fixes axes and unit; a writer adds a root transform for other scenes.
  case fixed(CoordinateSystem)
  /// The file declares its axes and unit, and readers honour it.
  case declared
  /// The file declares nothing that other programs know; they take it as the given system by default.
  case undeclared(usually: CoordinateSystem)
}

/// What reading may ask of, and tell to, the run that it is part of.
public final class ReadingContext: Sendable {
  /// Whether side files outside the folder of the main file may be opened.
  public let allowsExternalFiles: Bool
  public let stage: StageContext
  private let opened = SideFiles()
  private let missing = SideFiles()
  /// Those that another program wrote to while they were read.
  private let changed = SideFiles()

  public init(allowsExternalFiles: Bool = false, stage: StageContext = StageContext()) {
    self.allowsExternalFiles = allowsExternalFiles
    self.stage = stage
  }

  /// Opens the file that is to be read, and makes sure that it was the same until the end.
  ///
  /// - Throws: What `body` throws, unless the file or a side file changed meanwhile: then that is the cause.
  public func reading<Result>(
    _ path: String, _ body: (MappedFile) throws -> Result
  ) throws -> Result {
    let file = try MappedFile(path: path)
    let result: Result
    do {
      result = try body(file)
    } catch let error as Cancelled {
      throw error
    } catch {
      try requireUnchanged(file)
      throw error
    }
    try requireUnchanged(file)
    return result
  }

  private func requireUnchanged(_ file: MappedFile) throws {
    try file.requireUnchanged()
    if let path = changed.paths.first { throw FileError(.read, path, code: FileError.changed) }
  }

  /// Remembers it when a side file changed since it was opened; to be called when all of it was taken.
  public func didFinish(_ file: MappedFile) {
    if file.hasChanged { changed.add(file.path) }
  }

  /// Records a side file that was read (a material library, a texture), for dependency files.
  public func didOpen(_ path: String) { opened.add(path) }

  /// Records a path at which a side file was looked for in vain, for up-to-date checks.
  public func didMiss(_ path: String) { missing.add(path) }

  /// The paths at which side files were looked for in vain, in order, each once.
  public var missingFiles: [String] { missing.paths }

  /// The side files that were read, in order, each once.
  public var openedFiles: [String] { opened.paths }
}
