/// A format as the pipeline knows it: what it declares, and how its files are read and written.
///
/// The formats of the program are types (``ReadableFormat``, ``WritableFormat``); those of a plugin are made of what
/// its manifest says.
public struct FormatDefinition: Sendable {
  public var id: String
  public var name: String
  /// The file extensions without the dot, lower case; the first is the usual one.
  public var extensions: [String]
  /// Nil when it is not read.
  public var reader: FormatReader?
  /// Nil when it is not written.
  public var writer: FormatWriter?
  /// The plugin that it comes from; nil for one of the program's own.
  public var origin: StageOrigin?

  public init(
    id: String, name: String, extensions: [String], reader: FormatReader?, writer: FormatWriter?,
    origin: StageOrigin? = nil
  ) {
    self.id = id
    self.name = name
    self.extensions = extensions
    self.reader = reader
    self.writer = writer
    self.origin = origin
  }

  public init(_ format: any Format.Type) {
    self.init(
      id: format.id, name: format.name, extensions: format.extensions,
      reader: (format as? any ReadableFormat.Type).map { FormatReader($0) },
      writer: (format as? any WritableFormat.Type).map { FormatWriter($0) })
  }
}

/// How files of a format are read.
public struct FormatReader: Sendable {
  public typealias Read = @Sendable (_ path: String, _ context: ReadingContext) throws -> Scene

  public let id: String
  public let name: String
  /// The file extensions without the dot, lower case; the first is the usual one.
  public let extensions: [String]
  /// What a file of this format can bring at all.
  public let canBring: Set<SceneFeature>
  /// How files that are written say which way is up; nil for a format that is only read.
  public let axes: AxisConvention?
  /// The plugin that reads; nil for one of the program's own formats.
  public let origin: StageOrigin?
  private let readFile: Read
  private let systemOfFile: @Sendable (String) -> CoordinateSystem?
  private let recognizesHead: @Sendable (FileHead) -> Bool

  public init(
    id: String, name: String, extensions: [String], canBring: Set<SceneFeature>,
    axes: AxisConvention?, origin: StageOrigin? = nil, read: @escaping Read
  ) {
    self.id = id
    self.name = name
    self.extensions = extensions
    self.canBring = canBring
    self.axes = axes
    self.origin = origin
    readFile = read
    systemOfFile = { _ in nil }
    recognizesHead = { _ in false }
  }

  public init(_ format: any ReadableFormat.Type) {
    id = format.id
    name = format.name
    extensions = format.extensions
    canBring = format.canBring
    axes = (format as? any WritableFormat.Type)?.axes
    origin = nil
    readFile = { try format.read($0, in: $1) }
    systemOfFile = { format.coordinateSystem(of: $0) }
    recognizesHead = { format.recognizes($0) }
  }

  /// Reads a file.
  ///
  /// - Throws: A ``UserError`` that names the file and the line, byte or element at fault.
  public func read(_ path: String, in context: ReadingContext) throws -> Scene {
    try readFile(path, context)
  }

  /// Whether a file is most likely of this format, by how it begins.
  public func recognizes(_ head: FileHead) -> Bool { recognizesHead(head) }

  /// How the coordinates of a file are to be read, as far as its first bytes say it.
  public func coordinateSystem(of path: String) -> CoordinateSystem? { systemOfFile(path) }
}

/// How files of a format are written.
public struct FormatWriter: Sendable {
  public typealias Write =
    @Sendable (
      _ scene: Scene, _ output: OutputSet, _ context: WritingContext
    ) throws -> Void

  public let id: String
  public let name: String
  /// The file extensions without the dot, lower case; the first is the usual one.
  public let extensions: [String]
  /// What the format keeps.
  public let keeps: Set<SceneFeature>
  /// How a program that opens the file with its default settings takes the coordinates.
  public let axes: AxisConvention
  /// What a user should know, in one or two sentences; empty when there is nothing.
  public let remark: String
  /// What an output in a pipeline may say about the file, beside its path.
  public let options: [ParameterDeclaration]
  /// The plugin that writes; nil for one of the program's own formats.
  public let origin: StageOrigin?
  private let writeFiles: Write
  private let check: @Sendable ([JSONValue.Member], StageDefinition.FaultReport) -> Void

  /// Creates the writer of a format without options.
  public init(
    id: String, name: String, extensions: [String], keeps: Set<SceneFeature>,
    axes: AxisConvention, remark: String, origin: StageOrigin? = nil, write: @escaping Write
  ) {
    self.id = id
    self.name = name
    self.extensions = extensions
    self.keeps = keeps
    self.axes = axes
    self.remark = remark
    options = []
    self.origin = origin
    writeFiles = write
    check = { _ = NoParameters.decode($0, report: $1) }
  }

  public init(_ format: any WritableFormat.Type) {
    id = format.id
    name = format.name
    extensions = format.extensions
    keeps = format.keeps
    axes = format.axes
    remark = format.remark
    options = format.optionDeclarations
    origin = nil
    writeFiles = { try format.write($0, to: $1, in: $2) }
    check = { format.checkOptions($0, report: $1) }
  }

  /// Writes a scene as a set of files, the main file last.
  public func write(_ scene: Scene, to output: OutputSet, in context: WritingContext) throws {
    try writeFiles(scene, output, context)
  }

  /// Decodes options for the sake of their faults.
  func checkOptions(_ members: [JSONValue.Member], report: StageDefinition.FaultReport) {
    check(members, report)
  }
}

extension WritableFormat {
  /// The declared options, for code that knows the format only as a value.
  fileprivate static var optionDeclarations: [ParameterDeclaration] { Options.declarations }

  /// Decodes options for the sake of their faults.
  fileprivate static func checkOptions(
    _ members: [JSONValue.Member], report: StageDefinition.FaultReport
  ) {
    _ = Options.decode(members, report: report)
  }
}
