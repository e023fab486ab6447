/// What a run did: per stage and output, with counts, times, memory and warnings.
public struct RunReport: Sendable {
  /// The version of ``json``.
  public static let formatVersion = 1

  /// The size of a scene.
  public struct Counts: Sendable, Equatable {
    public var faces: Int
    public var vertices: Int
    public var points: Int

    public init(_ scene: borrowing Scene) {
      faces = scene.faceCount
      vertices = scene.vertexCount
      points = scene.pointCount
    }
  }

  /// How a stage ended.
  public enum Outcome: Sendable, Equatable {
    case done
    /// Passed over, and why: `when 'frames' does not hold`, `disabled`.
    case skipped(String)
    case failed(String)
  }

  /// The reading of the input.
  public struct InputReport: Sendable {
    public var path: String
    public var format: String
    public var counts: Counts
    /// The features that the scene has.
    public var features: [SceneFeature]
    public var seconds: Double
    public var peakMemory: Int
    /// Side files that were read with it: material libraries, textures.
    public var sideFiles: [String]
    /// Side files that were looked for in vain: with them the result might be another.
    public var missingFiles: [String]
    public var warnings: [String]
    public var notes: [StageContext.Note]
  }

  /// The work of a stage.
  public struct StageReport: Sendable {
    public var id: String
    public var name: String
    public var outcome: Outcome
    public var before: Counts
    public var after: Counts
    public var seconds: Double
    /// The highest memory of the process during the stage, in bytes; 0 where the system does not tell.
    public var peakMemory: Int
    public var warnings: [String]
    public var notes: [StageContext.Note]
    /// What a plugin said beside its work.
    public var log: [String] = []
  }

  /// A file that was written.
  public struct FileReport: Sendable, Equatable {
    public var path: String
    public var bytes: Int
    /// Lower-case hexadecimal; empty when not asked for.
    public var sha256: String
    /// Whether a file with the same bytes was there already and was left alone.
    public var isUnchanged: Bool
  }

  /// An output with its files, the main file first.
  public struct OutputReport: Sendable {
    public var path: String
    public var format: String
    public var from: String
    public var outcome: Outcome
    public var counts: Counts
    public var files: [FileReport]
    public var seconds: Double
    public var warnings: [String]
    public var notes: [StageContext.Note]
  }

  public var pipeline: JSONValue
  /// Warnings of no single step: which stages found no work.
  public var warnings: [String] = []
  public var input: InputReport?
  public var stages: [StageReport] = []
  public var outputs: [OutputReport] = []
  public var seconds = 0.0
  /// The highest memory of the whole run, in bytes.
  public var peakMemory = 0
  /// Why the run ended early; nil when it came to its end.
  public var failure: String?

  init(pipeline: JSONValue) {
    self.pipeline = pipeline
  }

  /// Every warning of the run, with what it came from.
  public var allWarnings: [String] {
    warnings + (input?.warnings.map { "\(input?.path ?? ""): \($0)" } ?? [])
      + stages.flatMap { stage in stage.warnings.map { "\(stage.id): \($0)" } }
      + outputs.flatMap { output in output.warnings.map { "\(output.path): \($0)" } }
  }
}
