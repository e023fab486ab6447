import MeshpipeBase
import MeshpipeScene

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
  /// The features that files of this format can contain.
  static var canBring: Set<SceneFeature> { get }

  /// Reads a file.
  ///
  /// - Throws: A ``UserError`` that names the file and the line, byte or element at fault.
  static func read(_ path: String, in context: ReadingContext) throws -> Scene

  /// The units in which programs take the numbers of such files, in metres, if these say nothing.
  static var unitsInUse: [Double] { get }

  /// How programs take the axes of such files; nil, as by default, if the reader knows them, or if the format is written
  /// and has ``WritableFormat/axes``.
  static var axesInUse: AxisConvention? { get }

  /// Whether a file probably has this format, by its first bytes.
  ///
  /// Called if neither the file's name nor the user specifies the format.
  static func recognizes(_ head: FileHead) -> Bool

  /// The coordinate system of a file, if its first bytes specify it.
  ///
  /// Nil if they don't, or if the whole file must be read to find out.
  static func coordinateSystem(of path: String) -> CoordinateSystem?
}

extension ReadableFormat {
  /// Metres, as scanners write.
  public static var unitsInUse: [Double] { [1] }

  /// Leaves axes to the reader or the writer.
  public static var axesInUse: AxisConvention? { nil }

  /// Recognizes no file.
  public static func recognizes(_ head: FileHead) -> Bool { false }

  /// Knows no coordinate system.
  public static func coordinateSystem(of path: String) -> CoordinateSystem? { nil }
}

/// A format that can be written.
public protocol WritableFormat: Format {
  /// The options that an output in a pipeline may have: `"ascii": true`.
  associatedtype Options: StageParameters = NoParameters

  /// The features that a file keeps, verified by writing and reading back.
  static var keeps: Set<SceneFeature> { get }
  /// How programs with default settings interpret the coordinates of a file.
  static var axes: AxisConvention { get }
  /// What a user should know, in one or two sentences; empty if there is nothing.
  static var remark: String { get }
  /// The name of the main file in the folder that an output's path names; nil for a format of files.
  static var mainFileName: String? { get }

  /// Whether files have colours of faces; by default not, and vertices are split where faces of different colours meet.
  static var holdsFaceColors: Bool { get }
  /// Whether files have the scene's origin in their coordinates; by default not, and a place on a map is lost.
  static var addsOrigin: Bool { get }
  /// How much of what made it a file can say; by default nothing.
  static var holdsProvenance: Provenance.Extent { get }
  /// Whether a file can hold several levels of detail of a scene; by default not.
  static var holdsLevels: Bool { get }
  /// The options of smaller files of the same scene, the largest first, for outputs with
  /// `maximumBytes`; by default none.
  static var smallerForms: [[String: JSONValue]] { get }
  /// The options of files that are smaller still, the largest first, which not every reader of the format can open;
  /// by default none.
  ///
  /// Tried where a pipeline leaves the choice to its user, otherwise named when an output is too large.
  static var smallestForms: [[String: JSONValue]] { get }

  /// What the options need and this machine lacks, with the way out; nil if nothing.
  ///
  /// Asked before a run; ``write(_:to:in:)`` throws the same.
  static func missing(for options: Options) -> (any UserError)?

  /// Writes a scene as a set of files, the main file last.
  ///
  /// The same scene gives the same bytes, on any machine and any number of threads.
  static func write(_ scene: Scene, to output: OutputSet, in context: WritingContext) throws
}

extension WritableFormat {
  /// Files.
  public static var mainFileName: String? { nil }

  /// Colours of vertices alone.
  public static var holdsFaceColors: Bool { false }

  /// Coordinates relative to the origin.
  public static var addsOrigin: Bool { false }

  /// Nothing.
  public static var holdsProvenance: Provenance.Extent { .none }

  /// One.
  public static var holdsLevels: Bool { false }

  /// None.
  public static var smallerForms: [[String: JSONValue]] { [] }

  /// None.
  public static var smallestForms: [[String: JSONValue]] { [] }

  /// Needs nothing.
  public static func missing(for options: Options) -> (any UserError)? { nil }
}

/// How a format specifies the up axis and the unit.
public enum AxisConvention: Sendable, Equatable {
  /// The specification fixes axes and unit; a writer adds a root transform for other scenes.
  case fixed(CoordinateSystem)
  /// The file specifies its axes and unit, and readers honour it.
  case declared
  /// The file specifies nothing that other programs understand; they assume the given system.
  case undeclared(usually: CoordinateSystem)
}

extension AxisConvention {
  /// The warning that programs will assume another up axis than the scene's.
  ///
  /// - Parameter wayOut: What turns the scene before, in words; nil if nothing does.
  static func warning(
    of up: SignedAxis, in format: String, assumed usual: SignedAxis, turning wayOut: String?
  ) -> String {
    let (up, usual) = (up.rawValue.uppercased(), usual.rawValue.uppercased())
    let turning = wayOut.map { "\($0), or " } ?? ""
    return "the scene is \(up) up, but \(format) does not specify it and programs such as Blender "
      + "assume \(usual) up; \(turning)choose the axes on import"
  }
}

/// The context of reading within a run.
public final class ReadingContext: Sendable {
  /// Whether side files outside the folder of the main file may be opened.
  public let allowsExternalFiles: Bool
  /// Warnings, cancellation and the report of the run.
  public let stage: StageContext
  /// The length of a unit of the file in metres as the user says it, whatever the file says.
  public let metersPerUnit: Double?
  private let opened: SideFiles
  private let missing: SideFiles
  /// Files that another program wrote to while they were read.
  private let changed: SideFiles

  /// Creates a context, for reading outside a run; ``stage`` then keeps the warnings.
  public init(allowsExternalFiles: Bool = false, stage: StageContext = StageContext()) {
    self.allowsExternalFiles = allowsExternalFiles
    self.stage = stage
    metersPerUnit = nil
    (opened, missing, changed) = (SideFiles(), SideFiles(), SideFiles())
  }

  private init(_ other: ReadingContext, metersPerUnit: Double?) {
    (allowsExternalFiles, stage) = (other.allowsExternalFiles, other.stage)
    self.metersPerUnit = metersPerUnit
    (opened, missing, changed) = (other.opened, other.missing, other.changed)
  }

  /// The same context for a file whose unit the user says, or does not say.
  package func reading(metersPerUnit: Double?) -> ReadingContext {
    ReadingContext(self, metersPerUnit: metersPerUnit)
  }

  /// Opens the file, and verifies that it was not changed before the end.
  ///
  /// - Throws: What `body` throws, unless the file or a side file changed meanwhile, which is then
  ///   the cause.
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

  /// Records whether a side file has changed since it was opened; call it after reading all of it.
  public func didFinish(_ file: MappedFile) {
    if file.hasChanged { changed.add(file.path) }
  }

  /// Records a side file that was read (a material library, a texture), for dependency files.
  public func didOpen(_ path: String) { opened.add(path) }

  /// Records the path of a missing side file, for up-to-date checks.
  public func didMiss(_ path: String) { missing.add(path) }

  /// The paths of missing side files, in order, each once.
  public var missingFiles: [String] { missing.paths }

  /// The side files that were read, in order, each once.
  public var openedFiles: [String] { opened.paths }
}
