/// The record of a run: per stage and output, with counts, times, memory and warnings.
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

  /// The outcome of a stage.
  public enum Outcome: Sendable, Equatable {
    case done
    /// Skipped, and why: `when 'frames' is false`, `disabled`.
    case skipped(String)
    case failed(String)
  }

  /// The reading of the input.
  public struct InputReport: Sendable {
    public var path: String
    public var format: String
    public var counts: Counts
    /// The features of the scene.
    public var features: [SceneFeature]
    public var seconds: Double
    public var peakMemory: Int
    /// Side files that were read with it: material libraries, textures.
    public var sideFiles: [String]
    /// Missing side files, which could change the result.
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
    /// The peak memory of the process during the stage, in bytes; 0 if the system does not report
    /// it.
    public var peakMemory: Int
    public var warnings: [String]
    public var notes: [StageContext.Note]
    /// The log output of a plugin.
    public var log: [String] = []
  }

  /// A written file.
  public struct FileReport: Sendable, Equatable {
    public var path: String
    public var bytes: Int
    /// Lower-case hexadecimal; empty if not requested.
    public var sha256: String
    /// Whether a file with the same bytes existed and was left alone.
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
  /// Warnings that concern no single step: which stages found no work.
  public var warnings: [String] = []
  public var input: InputReport?
  public var stages: [StageReport] = []
  public var outputs: [OutputReport] = []
  public var seconds = 0.0
  /// The peak memory of the whole run, in bytes.
  public var peakMemory = 0
  /// Why the run ended early; nil if it completed.
  public var failure: String?

  init(pipeline: JSONValue) {
    self.pipeline = pipeline
  }

  /// Every warning of the run, with its origin.
  public var allWarnings: [String] {
    warnings + (input?.warnings.map { "\(input?.path ?? ""): \($0)" } ?? [])
      + stages.flatMap { stage in stage.warnings.map { "\(stage.id): \($0)" } }
      + outputs.flatMap { output in output.warnings.map { "\(output.path): \($0)" } }
  }
}
