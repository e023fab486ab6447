package import MeshpipeBase
package import MeshpipeScene

/// What is known of a stage's result that is kept for later runs, besides its scene.
package struct Checkpoint: Sendable, Equatable, Codable {
  /// A file that the run read or will read: the scan, its side files, the images of its frames.
  package struct File: Sendable, Equatable, Codable {
    package var path: String
    package var size: Int
    package var sha256: String

    package init(path: String, size: Int, sha256: String) {
      self.path = path
      self.size = size
      self.sha256 = sha256
    }
  }

  /// What a stage told, for the report of a run that does not run it.
  package struct StageRecord: Sendable, Equatable, Codable {
    /// A figure, as JSON text.
    package struct Figure: Sendable, Equatable, Codable {
      package var key: String
      package var json: String
    }

    /// The name of its result: see ``StageKeys``.
    package var key: String
    package var outcome: RunReport.Outcome
    package var before: RunReport.Counts
    package var after: RunReport.Counts
    /// Without those of ``acts``, which depend on what was warned of before.
    package var warnings: [String]
    package var figures: [Figure]
    package var log: [String]
    /// How many of the warnings are limitations of the host.
    package var adviceCount: Int
    /// What it did with a doubtful input.
    var acts: [AssumptionWarnings.Act]
  }

  /// The pipeline, the scan and the stage, for people.
  package var pipeline: String
  package var input: String
  package var stage: String
  /// The time of the work that it saves, wall clock.
  package var seconds: Double
  /// All files that the run reads.
  package var files: [File]
  /// The stage and all whose results went into its own.
  package var stages: [StageRecord]

  package init(
    pipeline: String, input: String, stage: String, seconds: Double, files: [File],
    stages: [StageRecord]
  ) {
    self.pipeline = pipeline
    self.input = input
    self.stage = stage
    self.seconds = seconds
    self.files = files
    self.stages = stages
  }
}

/// A place that keeps checkpoints from run to run; other runs may use it at the same time.
package protocol CheckpointStore: Sendable {
  /// The kept results of this name, of runs on files of the same sizes.
  func candidates(for key: String) -> [any KeptCheckpoint]

  /// Keeps a result, and makes room for it.
  ///
  /// - Throws: When it can't; nothing is left of it.
  func keep(_ checkpoint: Checkpoint, _ scene: Scene, for key: String) throws
}

/// A result in a store.
package protocol KeptCheckpoint: Sendable {
  /// What is known of it; nil if it is damaged.
  var checkpoint: Checkpoint? { get }
  /// Throws if it is not as it was written.
  func requireIntact() throws
  /// Reads its scene, if it is intact.
  func scene() throws -> Scene
  /// Removes it.
  func discard()
}

/// How a run uses checkpoints.
package struct CheckpointUse: Sendable {
  package var store: any CheckpointStore
  /// A text that is another one for each program that may make other results.
  package var program: String
  /// Private files and folders, which have another path in each run.
  package var places: ShownPaths
  /// The id of the stage that runs again with all that follows it; nil if none must.
  package var rerunFrom: String?
  /// Whether a result is worth keeping that took some seconds of work, where some bytes have to be written or hashed.
  package var isWorthKeeping: @Sendable (_ seconds: Double, _ bytes: Int) -> Bool = savesMore

  package init(
    store: any CheckpointStore, program: String, places: ShownPaths, rerunFrom: String? = nil
  ) {
    self.store = store
    self.program = program
    self.places = places
    self.rerunFrom = rerunFrom
  }

  /// Whether keeping costs about a thirtieth of the work, where a gigabyte is written and hashed in a second.
  package static let savesMore: @Sendable (_ seconds: Double, _ bytes: Int) -> Bool = {
    // Work of less time is not worth a file, whatever its size.
    $0 >= 1 && $0 * 33e6 >= Double($1)
  }
}

extension Checkpoint.StageRecord {
  /// Records the report of a stage that ran.
  init(
    key: String, _ report: RunReport.StageReport, ownWarnings: [String], adviceCount: Int,
    acts: [AssumptionWarnings.Act]
  ) {
    self.key = key
    outcome = report.outcome
    before = report.before
    after = report.after
    warnings = ownWarnings
    figures = report.notes.map { Figure(key: $0.key, json: $0.value.compactText) }
    log = report.log
    self.adviceCount = adviceCount
    self.acts = acts
  }

  /// The figures as the stage gave them.
  var notes: [StageContext.Note] {
    figures.map { figure in
      let json = JSONReader.read(Array(figure.json.utf8)).value ?? JSONValue(.null)
      return StageContext.Note(key: figure.key, value: json.withoutPositions)
    }
  }
}
