import MeshpipeBase

/// A stage as a value: its declarations, and how it is created from options.
///
/// A stage in Swift is defined by its type, one of a plugin by its manifest; checker, schema,
/// documentation and runs treat both alike.
public struct StageDefinition: Sendable {
  /// Called with each fault of an option: its name (nil for the options as a whole), its path and a
  /// message.
  package typealias FaultReport = (
    _ name: String?, _ position: SourcePosition, _ message: String
  ) -> Void

  /// The name in pipelines, in kebab case.
  public var name: String
  /// Names of the operation in other programs.
  public var otherNames: [String] = []
  /// One line for lists.
  public var summary: String
  /// The method, limits and notes, in Markdown.
  public var discussion: String
  /// An example of its use in a pipeline.
  public var example: String
  /// The features that it needs, adds and removes.
  public var dataFlow: StageDataFlow
  /// Run time relative to other stages, for progress.
  public var relativeCost: Double
  /// The plugin that provides the stage; nil for built-in stages.
  package var origin: StageOrigin?
  /// Whether it gives the same result each time, so that one may stand for another.
  package var isDeterministic = true
  /// Parts of its work whose results are kept by themselves.
  package var parts: [StagePart] = []
  /// What pipelines use the stage for by themselves.
  package var role: StageRole?
  /// The names of options that were given up, each with what holds now.
  package var formerOptions: [String: String] = [:]
  /// The figures it notes that its `expect` can ask for.
  package var figures: [SceneMeasure] = []
  /// How the stage corrects a fault, as on the command line; nil if it does not.
  package var remedy: @Sendable (SceneFault) -> String? = { _ in nil }

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
    role = S.role
    figures = S.figures
    parts = (S.self as? any PartKeepingStage.Type)?.parts ?? []
    remedy = { S.remedy(for: $0) }
    formerOptions = S.Parameters.formerOptions
    declare = { S.Parameters.declarations }
    prepare = { members, report in S(S.Parameters.decode(members, report: report)) }
  }

  /// Defines a stage that is not a type.
  ///
  /// - Parameter prepare: Creates the stage from the members of `with`, whose variables are
  ///   substituted and whose names are known, and reports each fault of a value.
  package init(
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

  /// Creates the stage from the members of a stage's `with`.
  package func prepared(
    with options: [JSONValue.Member], report: FaultReport
  ) -> any PreparedStage {
    prepare(options, report)
  }
}

/// The origin of a stage that is not built in.
package struct StageOrigin: Sendable, Equatable {
  /// The plugin's name and version.
  package var plugin: String
  /// The plugin's version.
  package var version: String
  /// The file that declares it.
  package var path: String
  /// The program or library that does the work.
  package var program: String
  /// What the user grants it, with the values.
  package var grants: [String]

  package init(
    plugin: String, version: String, path: String, program: String, grants: [String] = []
  ) {
    self.plugin = plugin
    self.version = version
    self.path = path
    self.program = program
    self.grants = grants
  }

  /// A text that changes whenever the stage's behaviour may have changed: it hashes both files, and what is granted.
  package var fingerprint: String {
    let files = [path, program].map { (try? SHA256.hexadecimal(ofFile: $0)) ?? "" }
    let hashes = files + grants.map { SHA256.hexadecimal(of: Array($0.utf8)) }
    return String(SHA256.hexadecimal(of: Array(hashes.joined().utf8)).prefix(16))
  }
}
