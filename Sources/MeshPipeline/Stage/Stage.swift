import MeshpipeBase
import MeshpipeScene

/// A step of a pipeline: takes a scene and returns one.
///
/// One stage is one file, in a fixed order: summary, parameters, choices, failures, `run`,
/// private helpers. The name in pipelines is derived from the type: `ComputeNormals` is
/// `compute-normals`. Stages never call one another; only the pipeline combines them.
public protocol Stage: PreparedStage {
  /// The options of the stage.
  associatedtype Parameters: StageParameters

  /// The name in pipelines; by default the type's name in lower case with hyphens.
  static var name: String { get }
  /// Names of the operation in other programs, for a hint when a pipeline uses one of them.
  static var otherNames: [String] { get }
  /// What the stage does, in one sentence of at most 150 characters.
  static var summary: String { get }
  /// How the stage works, as plain Markdown.
  ///
  /// The first paragraph is the method, in two sentences. The others are notes (limits, what to run
  /// first), which pages show after the parameters and the example.
  static var discussion: String { get }
  /// An entry of a pipeline's `stages` that shows typical use, as JSON.
  static var example: String { get }
  /// What the stage needs, adds and removes; by default nothing.
  static var dataFlow: StageDataFlow { get }
  /// The time that the stage takes relative to most stages, for the progress bar.
  static var relativeCost: Double { get }
  /// The stage with the options that correct a fault, as on the command line: `convert-axes up=y`;
  /// nil if it does not correct it.
  static func remedy(for fault: SceneFault) -> String?

  /// What pipelines use the stage for by themselves; by default nothing.
  static var role: StageRole? { get }

  /// The figures it notes that its `expect` can ask for; by default none.
  static var figures: [SceneMeasure] { get }

  /// Creates the stage with its options.
  ///
  /// A pipeline has checked their ranges and their combination (``StageParameters/faults()``).
  init(_ parameters: Parameters)
}

/// A stage with its parameters, ready for scenes.
public protocol PreparedStage: Sendable {
  /// Runs the stage.
  ///
  /// - Throws: A ``UserError`` when the scan is at fault, ``Cancelled`` when cancelled. Data that
  ///   is suspicious but usable is a warning to `context`; it is never passed on unprocessed.
  func run(_ scene: consuming Scene, in context: StageContext) throws -> Scene

  /// The coordinate system of the result, given that of the input; by default the same.
  ///
  /// Lets a pipeline be checked against the conventions of its formats before any input is opened.
  func outputCoordinateSystem(for input: CoordinateSystem) -> CoordinateSystem

  /// An estimate of the number of faces of the result, for plans; by default that of the input.
  func expectedFaceCount(from faces: Int) -> Int

  /// An estimate of the bytes that the stage works with besides the scene and its result, for plans; by
  /// default none.
  func expectedMemory(for scene: PlannedScene) -> Int

  /// Why the stage can't work on Gaussian splats, as a sentence without its end; by default nil, since it can.
  ///
  /// A stage that chooses among points, moves or names them can: their sizes, directions and colours go along. One that
  /// makes new points of them, or a surface, can't.
  var objectionToSplats: String? { get }

  /// The maps beside the model that the stage makes, for checks of outputs; by default none.
  var surfaceMaps: Set<SurfaceMap.Kind> { get }

  /// The textures that all faces get, made from something else than those of the scene; by default none.
  ///
  /// A stage that drops textures does not warn of those that come again.
  var renewedTextures: Set<TextureRole> { get }
}

extension Stage {
  /// The type's name in lower case with hyphens.
  public static var name: String {
    var name = ""
    for character in String(describing: Self.self) {
      if character.isUppercase, !name.isEmpty { name.append("-") }
      name += character.lowercased()
    }
    return name
  }

  /// No other names.
  public static var otherNames: [String] { [] }

  /// Needs, adds and removes nothing.
  public static var dataFlow: StageDataFlow { StageDataFlow() }

  /// The cost of most stages.
  public static var relativeCost: Double { 1 }

  /// No role.
  public static var role: StageRole? { nil }

  /// None.
  public static var figures: [SceneMeasure] { [] }

  /// Corrects no fault.
  public static func remedy(for fault: SceneFault) -> String? { nil }
}

/// What pipelines use a stage for without naming it.
public enum StageRole: Sendable, Equatable {
  /// Places a further input: the options of its `transform` are those of the stage.
  case placesInputs
  /// Makes textures smaller for an output with `maximumBytes`, by its options `maximumSize` and
  /// `quality`.
  case limitsTextures
  /// Stands in what editors insert for a new stage, to be replaced.
  case standsInSnippets
}

extension PreparedStage {
  /// The system of the input.
  public func outputCoordinateSystem(for input: CoordinateSystem) -> CoordinateSystem { input }

  /// The number of faces of the input.
  public func expectedFaceCount(from faces: Int) -> Int { faces }

  /// No memory worth mentioning.
  public func expectedMemory(for scene: PlannedScene) -> Int { 0 }

  /// None.
  public var objectionToSplats: String? { nil }

  /// None.
  public var surfaceMaps: Set<SurfaceMap.Kind> { [] }

  /// None.
  public var renewedTextures: Set<TextureRole> { [] }
}

/// What a stage does to the features of a scene, for checking a pipeline before any input is opened.
public struct StageDataFlow: Sendable, Equatable {
  /// What the scene must have, or the stage fails.
  public var needs: Set<SceneFeature>
  /// What the stage uses if the scene has it.
  public var uses: Set<SceneFeature>
  /// What the scene has afterwards, whether it had it before or not.
  public var makes: Set<SceneFeature>
  /// What the scene no longer has afterwards.
  public var removes: Set<SceneFeature>

  /// Creates a declaration; by default nothing is needed, added or removed.
  public init(
    needs: Set<SceneFeature> = [], uses: Set<SceneFeature> = [], makes: Set<SceneFeature> = [],
    removes: Set<SceneFeature> = []
  ) {
    self.needs = needs
    self.uses = uses
    self.makes = makes
    self.removes = removes
  }

  /// What of a scene makes a difference to the stage.
  var readFeatures: Set<SceneFeature> { needs.union(uses) }

  /// Whether the stage makes a surface, points or figures of a capture that has no mesh.
  package var worksWithoutMesh: Bool {
    !needs.isEmpty && needs.isSubset(of: SceneFeature.ofCaptures)
      && !makes.isDisjoint(with: [.faces, .points, .gates])
  }
}

/// An error of a stage about its scan; the runner adds the stage's name.
public protocol StageFailure: UserError {}

extension StageFailure {
  /// ``ExitCode/data``.
  public var exitCode: ExitCode { .data }
}
