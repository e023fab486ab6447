/// A step of a pipeline: takes a scene and returns one.
///
/// One stage is one file, read in a fixed order: summary, parameters, choices, failures, `run`,
/// private helpers. The name in pipelines is derived from the type: `ComputeNormals` is
/// `compute-normals`. Stages never call one another; they meet in the pipeline.
public protocol Stage: PreparedStage {
  associatedtype Parameters: StageParameters

  /// The name in pipelines; by default the type's name in lower case with hyphens.
  static var name: String { get }
  /// What other programs call it, for a hint when a pipeline uses one of these names.
  static var otherNames: [String] { get }
  /// What the stage does, in one sentence of at most 150 characters.
  static var summary: String { get }
  /// The method, its limits, and what to run before it; plain Markdown paragraphs.
  static var discussion: String { get }
  /// An entry of a pipeline's `stages` that shows typical use, as JSON.
  static var example: String { get }
  static var dataFlow: StageDataFlow { get }
  /// The time that the stage takes as a multiple of what most stages do, for progress and time left.
  static var relativeCost: Double { get }
  /// The stage with the options that mend a fault, as on the command line: `convert-axes up=y`; nil when it does not.
  static func remedy(for fault: SceneFault) -> String?

  init(_ parameters: Parameters)
}

/// A stage with its parameters, ready for scenes.
public protocol PreparedStage: Sendable {
  /// Does the work.
  ///
  /// - Throws: A ``UserError`` when the scan is at fault, ``Cancelled`` when told to stop. Data that
  ///   is suspicious but usable is a warning to `context`; it is never passed on unprocessed.
  func run(_ scene: consuming Scene, in context: StageContext) throws -> Scene

  /// How the coordinates of the result are to be read, given how those of the input are.
  ///
  /// The same unless the stage says otherwise. Lets a pipeline be checked against the conventions of
  /// its formats before any input is opened.
  func outputCoordinateSystem(for input: CoordinateSystem) -> CoordinateSystem

  /// About how many faces the result will have, for plans; as many as come in unless the stage says
  /// otherwise.
  func expectedFaceCount(from faces: Int) -> Int
}

extension Stage {
  public static var name: String {
    var name = ""
    for character in String(describing: Self.self) {
      if character.isUppercase, !name.isEmpty { name.append("-") }
      name += character.lowercased()
    }
    return name
  }

  public static var otherNames: [String] { [] }

  public static var dataFlow: StageDataFlow { StageDataFlow() }

  public static var relativeCost: Double { 1 }

  public static func remedy(for fault: SceneFault) -> String? { nil }
}

extension PreparedStage {
  public func outputCoordinateSystem(for input: CoordinateSystem) -> CoordinateSystem { input }

  public func expectedFaceCount(from faces: Int) -> Int { faces }
}

/// What a stage does to the features of a scene, for checking a pipeline before any input is opened.
public struct StageDataFlow: Sendable, Equatable {
  /// What the scene must have, or the stage fails.
  public var needs: Set<SceneFeature>
  /// What the scene has afterwards whether it had it before or not.
  public var makes: Set<SceneFeature>
  /// What the scene has no more afterwards.
  public var removes: Set<SceneFeature>

  public init(
    needs: Set<SceneFeature> = [], makes: Set<SceneFeature> = [], removes: Set<SceneFeature> = []
  ) {
    self.needs = needs
    self.makes = makes
    self.removes = removes
  }
}

/// An error of a stage about the scan that it was given; the runner adds which stage it was.
public protocol StageFailure: UserError {}

extension StageFailure {
  public var exitCode: ExitCode { .data }
}
