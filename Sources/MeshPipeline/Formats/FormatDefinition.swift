import MeshpipeBase
import MeshpipeScene

/// A format as a value: its declarations, and how its files are read and written.
///
/// Built-in formats are types (``ReadableFormat``, ``WritableFormat``); those of plugins are
/// created from their manifest.
public struct FormatDefinition: Sendable {
  /// The identifier in pipelines and options, such as `glb`.
  public var id: String
  /// The name for people, such as "glTF binary".
  public var name: String
  /// The file extensions without the dot, lower case; the first is the usual one.
  public var extensions: [String]
  /// Nil if the format can't be read.
  public var reader: FormatReader?
  /// Nil if the format can't be written.
  public var writer: FormatWriter?
  /// The plugin that provides it; nil for built-in formats.
  package var origin: StageOrigin?

  package init(
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

  /// Defines a format by its type.
  public init(_ format: any Format.Type) {
    self.init(
      id: format.id, name: format.name, extensions: format.extensions,
      reader: (format as? any ReadableFormat.Type).map { FormatReader($0) },
      writer: (format as? any WritableFormat.Type).map { FormatWriter($0) })
  }
}

/// The reader of a format.
public struct FormatReader: Sendable {
  /// Reads the file at a path.
  package typealias Read = @Sendable (_ path: String, _ context: ReadingContext) throws -> Scene

  /// The identifier of the format.
  public let id: String
  /// The name of the format.
  public let name: String
  /// The file extensions without the dot, lower case; the first is the usual one.
  public let extensions: [String]
  /// The features that files of this format can contain.
  public let canBring: Set<SceneFeature>
  /// How files specify axes; nil for a format that can only be read and whose reader knows them.
  public let axes: AxisConvention?
  /// The units in which programs take the numbers of such files, in metres, if these say nothing.
  package var unitsInUse: [Double] = [1]
  /// The plugin that provides the reader; nil for built-in formats.
  package let origin: StageOrigin?
  private let readFile: Read
  private let systemOfFile: @Sendable (String) -> CoordinateSystem?
  private let recognizesHead: @Sendable (FileHead) -> Bool

  package init(
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

  /// The reader of a format given as a type.
  public init(_ format: any ReadableFormat.Type) {
    id = format.id
    name = format.name
    extensions = format.extensions
    canBring = format.canBring
    axes = (format as? any WritableFormat.Type)?.axes ?? format.axesInUse
    unitsInUse = format.unitsInUse
    origin = nil
    readFile = { try format.read($0, in: $1) }
    systemOfFile = { format.coordinateSystem(of: $0) }
    recognizesHead = { format.recognizes($0) }
  }

  /// Reads a file.
  ///
  /// - Throws: A ``UserError`` that names the file and the line, byte or element at fault.
  public func read(_ path: String, in context: ReadingContext) throws -> Scene {
    var scene = try readContents(path, context)
    for index in scene.pointClouds.indices {
      guard let remark = scene.pointClouds[index].gatherSplats() else { continue }
      context.stage.warn("\(FileSystem.name(of: path)): \(remark)")
    }
    for index in scene.meshes.indices {
      let (count, first) = scene.meshes[index].mendTextureCoordinates()
      guard count > 0 else { continue }
      context.stage.warn(
        """
        \(FileSystem.name(of: path)): texture coordinates of '\(scene.meshes[index].name)' are not finite or beyond \
        \(JSONValue.text(of: Double(Vector2.largestPlace))) (at \(count) corners, the first of them of face \(first / 3)); \
        0 stands in for them
        """)
    }
    return scene
  }

  /// Reads a file; of one that is plainly something else, the error says what.
  private func readContents(_ path: String, _ context: ReadingContext) throws -> Scene {
    do {
      return try readFile(path, context)
    } catch let error as any UserError where error.exitCode == .data {
      guard let explanation = ForeignContent.explanation(ofFile: path) else {
        throw error
      }
      throw ForeignContentError(path: path, explanation: explanation)
    }
  }

  /// Whether a file probably has this format, by its first bytes.
  public func recognizes(_ head: FileHead) -> Bool { recognizesHead(head) }

  /// The coordinate system of a file, if its first bytes specify it.
  public func coordinateSystem(of path: String) -> CoordinateSystem? { systemOfFile(path) }
}

/// The writer of a format.
public struct FormatWriter: Sendable {
  /// Writes a scene as one or more files.
  package typealias Write =
    @Sendable (
      _ scene: Scene, _ output: OutputSet, _ context: WritingContext
    ) throws -> Void

  /// The identifier of the format.
  public let id: String
  /// The name of the format.
  public let name: String
  /// The file extensions without the dot, lower case; the first is the usual one.
  public let extensions: [String]
  /// The features that a file keeps.
  public let keeps: Set<SceneFeature>
  /// How programs with default settings interpret the coordinates of a file.
  public let axes: AxisConvention
  /// What a user should know, in one or two sentences; empty if there is nothing.
  public let remark: String
  /// The name of the main file in the folder that an output's path names; nil for a format of files.
  public let mainFileName: String?
  /// Whether a file can hold several levels of detail of a scene.
  package let holdsLevels: Bool
  /// Whether files have colours of faces.
  package let holdsFaceColors: Bool
  /// How much of what made it a file can say.
  package let holdsProvenance: Provenance.Extent
  /// The options of smaller files of the same scene, the largest first.
  package let smallerForms: [[String: JSONValue]]
  /// The options of files that are smaller still, which not every reader of the format can open.
  package let smallestForms: [[String: JSONValue]]
  /// The options that an output in a pipeline may have.
  public let options: [ParameterDeclaration]
  /// The plugin that provides the writer; nil for built-in formats.
  package let origin: StageOrigin?
  private let writeFiles: Write
  private let check: @Sendable ([JSONValue.Member], StageDefinition.FaultReport) -> (any UserError)?

  /// Creates the writer of a format without options.
  package init(
    id: String, name: String, extensions: [String], keeps: Set<SceneFeature>,
    axes: AxisConvention, remark: String, origin: StageOrigin? = nil, write: @escaping Write
  ) {
    self.id = id
    self.name = name
    self.extensions = extensions
    self.keeps = keeps
    self.axes = axes
    self.remark = remark
    mainFileName = nil
    holdsLevels = false
    holdsFaceColors = false
    holdsProvenance = .none
    smallerForms = []
    smallestForms = []
    options = []
    self.origin = origin
    writeFiles = write
    check = {
      _ = NoParameters.decode($0, report: $1)
      return nil
    }
  }

  /// The writer of a format given as a type.
  public init(_ format: any WritableFormat.Type) {
    id = format.id
    name = format.name
    extensions = format.extensions
    keeps = format.keeps
    axes = format.axes
    remark = format.remark
    mainFileName = format.mainFileName
    holdsLevels = format.holdsLevels
    holdsFaceColors = format.holdsFaceColors
    holdsProvenance = format.holdsProvenance
    smallerForms = format.smallerForms
    smallestForms = format.smallestForms
    options = format.optionDeclarations
    origin = nil
    writeFiles = { try format.write($0, to: $1, in: $2) }
    check = { format.checkOptions($0, report: $1) }
  }

  /// Writes a scene as a set of files, the main file last.
  ///
  /// In a format that can't hold Gaussian splats they are points with their colours.
  public func write(_ scene: Scene, to output: OutputSet, in context: WritingContext) throws {
    var (scene, context) = (scene, context)
    if !keeps.contains(.splats) { makeSplatsPlain(&scene, &context) }
    // Formats of points alone take the mean colour of each vertex.
    if !holdsFaceColors, keeps.isSuperset(of: [.faces, .colors]) {
      context.lighterLevels = context.lighterLevels.map { $0.splitAtFaceColors() }
      scene = scene.splitAtFaceColors()
    }
    try writeFiles(scene, output, context)
  }

  private func makeSplatsPlain(_ scene: inout Scene, _ context: inout WritingContext) {
    let count = scene.splatCount
    guard count > 0 else { return }
    scene.makeSplatsPlain()
    for level in context.lighterLevels.indices { context.lighterLevels[level].makeSplatsPlain() }
    guard keeps.contains(.points), !context.expectedLosses.contains(.splats) else { return }
    context.stage.warn(
      "\(name) can't hold Gaussian splats: \(NumberText.grouped(count)) splats become plain points with "
        + "their colours, without size, direction and opacity; PLY keeps them")
  }

  /// Decodes options in order to report their faults.
  ///
  /// - Returns: What the options need and this machine lacks.
  func checkOptions(
    _ members: [JSONValue.Member], report: StageDefinition.FaultReport
  ) -> (any UserError)? {
    check(members, report)
  }
}

extension WritableFormat {
  /// The declared options, for code that knows the format only as a value.
  fileprivate static var optionDeclarations: [ParameterDeclaration] { Options.declarations }

  /// Decodes options in order to report their faults.
  ///
  /// - Returns: What the options need and this machine lacks.
  fileprivate static func checkOptions(
    _ members: [JSONValue.Member], report: StageDefinition.FaultReport
  ) -> (any UserError)? {
    missing(for: Options.decode(members, report: report))
  }
}
