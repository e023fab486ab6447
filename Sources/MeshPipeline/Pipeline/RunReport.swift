import MeshpipeBase
import MeshpipeScene

/// The record of a run: per stage and output, with counts, times, memory and warnings.
public struct RunReport: Sendable {
  /// The version of ``json``.
  public static let formatVersion = 1

  /// The size of a scene.
  public struct Counts: Sendable, Equatable, Codable {
    /// Of all meshes.
    public var faces: Int
    /// Of all meshes.
    public var vertices: Int
    /// Of all point clouds.
    public var points: Int

    package init(_ scene: borrowing Scene) {
      faces = scene.faceCount
      vertices = scene.vertexCount
      points = scene.pointCount
    }
  }

  /// The outcome of a stage.
  public enum Outcome: Sendable, Equatable, Codable {
    /// Completed.
    case done
    /// Skipped, and why: `there are no frames`, `ruled out by variables`, `disabled`.
    case skipped(String)
    /// Failed, and why; the run ended here unless the pipeline allows the failure.
    case failed(String)
  }

  /// The reading of the input.
  public struct InputReport: Sendable {
    /// The file that was read.
    public var path: String
    /// The id of its format.
    public var format: String
    /// The size of the scene that was read.
    public var counts: Counts
    /// The features of the scene.
    public var features: [SceneFeature]
    /// How the file was interpreted where it leaves a choice.
    public var interpretation = Interpretation()
    /// The time of reading, wall clock.
    public var seconds: Double
    /// The peak memory of the process so far, in bytes.
    public var peakMemory: Int
    /// Side files that were read with it: material libraries, textures.
    public var sideFiles: [String]
    /// Missing side files, which could change the result.
    public var missingFiles: [String]
    /// In the order in which they occurred.
    public var warnings: [String]
    /// Figures that the reader reported.
    public var notes: [StageContext.Note]
  }

  /// The work of a stage.
  public struct StageReport: Sendable {
    /// The stage's id in the pipeline.
    public var id: String
    /// The level in which it ran; nil if it ran once for all.
    public var level: String?
    /// The stage's name.
    public var name: String
    /// Done, skipped or failed.
    public var outcome: Outcome
    /// The size of its input.
    public var before: Counts
    /// The size of its result.
    public var after: Counts
    /// The time of the stage, wall clock.
    public var seconds: Double
    /// The peak memory of the process during the stage, in bytes; 0 if the system does not report
    /// it.
    public var peakMemory: Int
    /// In the order in which they occurred.
    public var warnings: [String]
    /// Figures that the stage reported.
    public var notes: [StageContext.Note]
    /// The log output of a plugin.
    public var log: [String] = []
    /// Whether its result is that of an earlier run, from the cache, and with it all of this but the time.
    public var isRecalled = false
  }

  /// A written file.
  public struct FileReport: Sendable, Equatable {
    /// The file's path.
    public var path: String
    /// The file's size.
    public var bytes: Int
    /// Lower-case hexadecimal; empty if not requested.
    public var sha256: String
    /// Whether a file with the same bytes existed and was left alone.
    public var isUnchanged: Bool
  }

  /// An output with its files, the main file first.
  public struct OutputReport: Sendable {
    /// The main file.
    public var path: String
    /// The level that it belongs to; nil if it was written once.
    public var level: String?
    /// The id of its format.
    public var format: String
    /// The id of the stage whose scene was written, or `input`.
    public var from: String
    /// Done, skipped or failed.
    public var outcome: Outcome
    /// The size of the scene that was written.
    public var counts: Counts
    /// The main file first; empty if nothing was written.
    public var files: [FileReport]
    /// The time of writing, wall clock.
    public var seconds: Double
    /// In the order in which they occurred.
    public var warnings: [String]
    /// Figures that the writer reported.
    public var notes: [StageContext.Note]
  }

  /// The pipeline as it was run, with all defaults filled in.
  public var pipeline: JSONValue
  /// Warnings that concern no single step: which stages found no work.
  public var warnings: [String] = []
  /// Nil until the input was read.
  public var input: InputReport?
  /// In the order of the pipeline.
  public var stages: [StageReport] = []
  /// In the order of the pipeline.
  public var outputs: [OutputReport] = []
  /// The time of the whole run, wall clock.
  public var seconds = 0.0
  /// The peak memory of the whole run, in bytes.
  public var peakMemory = 0
  /// What made the first output that says it; nil if none does.
  package var provenance: Provenance?
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
