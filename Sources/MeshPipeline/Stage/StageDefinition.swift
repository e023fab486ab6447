/// A stage that pipelines can use: what it declares, and how it is made from options.
///
/// A stage in Swift is defined by its type, one of a plugin by its manifest; checker, schema,
/// documentation and runs see no difference.
public struct StageDefinition: Sendable {
  /// Called with each fault of an option: its name (nil for the whole), its place and a message.
  public typealias FaultReport = (
    _ name: String?, _ position: SourcePosition, _ message: String
  ) -> Void

  public var name: String
  /// What other programs call it.
  public var otherNames: [String] = []
  public var summary: String
  public var discussion: String
  public var example: String
  public var dataFlow: StageDataFlow
  public var relativeCost: Double
  /// Where the stage comes from; nil for those that came with the program.
  public var origin: StageOrigin?
  /// How the stage mends a fault, as on the command line; nil when it does not.
  public var remedy: @Sendable (SceneFault) -> String? = { _ in nil }

  private let declare: @Sendable () -> [ParameterDeclaration]
  private let prepare: @Sendable ([JSONValue.Member], FaultReport) -> any PreparedStage

  /// Defines a stage by its type.
  public init<S: Stage>(_ stage: S.Type) {
    name = S.name
    otherNames = S.otherNames
    summary = S.summary
    discussion = S.discussion
    example = S.example
    dataFlow = S.dataFlow
    relativeCost = S.relativeCost
    remedy = { S.remedy(for: $0) }
    declare = { S.Parameters.declarations }
    prepare = { members, report in S(S.Parameters.decode(members, report: report)) }
  }

  /// Defines a stage that is no type of its own.
  ///
  /// - Parameter prepare: Makes the stage of the members of `with`, whose variables are substituted and
  ///   whose names are known, and reports each fault of a value.
  public init(
    name: String, summary: String, discussion: String, example: String,
    parameters: [ParameterDeclaration], dataFlow: StageDataFlow, relativeCost: Double = 1,
    origin: StageOrigin?,
    prepare: @escaping @Sendable ([JSONValue.Member], FaultReport) -> any PreparedStage
  ) {
    self.name = name
    self.summary = summary
    self.discussion = discussion
    self.example = example
    self.dataFlow = dataFlow
    self.relativeCost = relativeCost
    self.origin = origin
    declare = { parameters }
    self.prepare = prepare
  }

  /// The declared options, in order.
  public var parameters: [ParameterDeclaration] { declare() }

  /// Makes the stage from the members of a stage's `with`.
  public func prepared(
    with options: [JSONValue.Member], report: FaultReport
  ) -> any PreparedStage {
    prepare(options, report)
  }
}

/// Who brought a stage along that is not of this program.
public struct StageOrigin: Sendable, Equatable {
  /// The plugin's name and version.
  public var plugin: String
  public var version: String
  /// The file that declares it.
  public var path: String
  /// The program or library that does the work.
  public var program: String

  public init(plugin: String, version: String, path: String, program: String) {
    self.plugin = plugin
    self.version = version
    self.path = path
    self.program = program
  }

  /// A text that changes whenever what the stage does may have changed; it reads both files.
  public var fingerprint: String {
    let hashes = [path, program].map { (try? SHA256.hexadecimal(ofFile: $0)) ?? "" }
    return String(SHA256.hexadecimal(of: Array(hashes.joined().utf8)).prefix(16))
  }
}
