package import MeshpipeBase
import MeshpipeScene

/// Which results of a run's stages come from those that earlier runs kept, and which the run keeps.
package final class RunCheckpoints {
  /// Where the result of a stage comes from.
  enum Source {
    /// The stage runs.
    case work
    /// Its scene is one that was kept.
    case kept(Scene)
    /// Nothing needs its scene, since a later one was kept.
    case passed
  }

  private let pipeline: ResolvedPipeline
  private let use: CheckpointUse
  private let cancellation: Cancellation
  private let inputs: CheckpointInputs
  private let keys: StageKeys
  /// Where the result of each stage comes from.
  private(set) var sources: [Source]
  /// What each stage told, in this run or in that which kept it.
  private var records: [Checkpoint.StageRecord?]
  /// For each stage, the seconds of work that a run would have to do again for its result.
  private var unkeptSeconds: [Double]
  private var isFailing = false
  /// The stages that run whatever was kept.
  private var forced: Set<Int> = []

  /// Prepares after the input was read.
  ///
  /// - Parameters:
  ///   - sideFiles: All files that the run has read or will read besides those of meshes.
  ///   - start: When the run began.
  ///   - runHashes: Those that a run makes of its files for its provenance.
  /// - Returns: Nil if a file is none that can be known again, or was written since the run began, so that it is unknown
  ///   what was read.
  package init?(
    of pipeline: ResolvedPipeline, _ settings: RunSettings, _ use: CheckpointUse,
    sideFiles: [String], since start: Int64, cancellation: Cancellation,
    _ runHashes: RunHashes = RunHashes()
  ) {
    guard pipeline.input != nil, !pipeline.stages.isEmpty else { return nil }
    // By bytes: two names may differ in the form of an accent alone.
    var known: Set<[UInt8]> = []
    let meshes = pipeline.meshPaths + pipeline.otherInputPaths
    let files = (meshes + sideFiles).filter { known.insert(Array($0.utf8)).inserted }
    guard let inputs = CheckpointInputs(files, runHashes, since: start, cancellation) else {
      return nil
    }
    (self.pipeline, self.use, self.cancellation) = (pipeline, use, cancellation)
    self.inputs = inputs
    keys = StageKeys(of: pipeline, settings, use, inputs)
    let count = pipeline.stages.count
    sources = Array(repeating: .work, count: count)
    records = Array(repeating: nil, count: count)
    unkeptSeconds = Array(repeating: 0, count: count)
    findForced()
  }

  // MARK: Finding

  /// Finds what earlier runs kept.
  ///
  /// - Parameter takesScenes: Whether scenes are read and damaged results removed; a plan changes nothing.
  /// - Returns: Warnings of damaged results, which are made again.
  package func find(takingScenes takesScenes: Bool = true) throws(Cancelled) -> [String] {
    var warnings: [String] = []
    var found = try candidates(&warnings, discarding: takesScenes)
    while !found.isEmpty {
      let choice = choice(of: found)
      var scenes: [Int: Scene] = [:]
      let damaged = choice.kept.first { index in
        do {
          if takesScenes {
            scenes[index] = try found[index]?.scene()
          } else {
            try found[index]?.requireIntact()
            scenes[index] = Scene()
          }
          return false
        } catch {
          warnings.append(warning(of: error, index))
          return true
        }
      }
      if let damaged {
        let kept = found.removeValue(forKey: damaged)
        if takesScenes { kept?.discard() }
        continue
      }
      for (index, scene) in scenes { sources[index] = .kept(scene) }
      for (index, record) in choice.records {
        records[index] = record
        if scenes[index] == nil { sources[index] = .passed }
      }
      break
    }
    return warnings
  }

  private func warning(of damage: any Error, _ index: Int) -> String {
    "\(damage.userMessage); \(pipeline.stages[index].words) runs again"
  }

  /// Kept results of stages, made of the same files.
  private func candidates(
    _ warnings: inout [String], discarding discards: Bool
  ) throws(Cancelled) -> [Int: any KeptCheckpoint] {
    var found: [Int: any KeptCheckpoint] = [:]
    for index in pipeline.stages.indices where !forced.contains(index) {
      let all = use.store.candidates(for: keys.results[index])
      for damaged in all where damaged.checkpoint == nil {
        do { try damaged.requireIntact() } catch { warnings.append(warning(of: error, index)) }
        if discards { damaged.discard() }
      }
      let candidates = all.filter { $0.checkpoint != nil }
      guard !candidates.isEmpty else { continue }
      let files = try? inputs.hashes()
      try cancellation.checkCancellation()
      // A file that can't be read stops the stage that needs it.
      guard let files else { return [:] }
      found[index] = candidates.first { $0.checkpoint?.files == files }
    }
    return found
  }

  /// Finds the stages that the user wants to run again, and those that depend on them.
  private func findForced() {
    for (index, stage) in pipeline.stages.enumerated() {
      let isNamed = use.rerunFrom == stage.id || use.rerunFrom == stage.ownID
      if isNamed || !forced.isDisjoint(with: parents(of: index)) { forced.insert(index) }
    }
  }

  private func parents(of index: Int) -> [Int] {
    let stage = pipeline.stages[index]
    return (stage.inputs + stage.sources.values).compactMap {
      if case .stage(let parent) = $0 { parent } else { nil }
    }
  }

  /// The stages whose results go into that of a stage, and itself, in order.
  private func ancestry(of index: Int) -> [Int] {
    var members: Set<Int> = [index]
    for other in (0...index).reversed() where members.contains(other) {
      members.formUnion(parents(of: other))
    }
    return members.sorted()
  }

  /// The latest kept results that save the most, and what the stages on the way to them told.
  private func choice(
    of found: [Int: any KeptCheckpoint]
  ) -> (kept: [Int], records: [Int: Checkpoint.StageRecord]) {
    var needed: Set<Int> = []
    for output in pipeline.outputs {
      for case .stage(let index) in output.origins { needed.insert(index) }
    }
    var kept: [Int] = []
    var told: [Int: Checkpoint.StageRecord] = [:]
    for index in pipeline.stages.indices.reversed()
    where needed.contains(index) || told[index] == nil {
      guard let checkpoint = found[index]?.checkpoint,
        let records = records(in: checkpoint, ofAncestryOf: index)
      else {
        needed.formUnion(parents(of: index))
        told[index] = nil
        continue
      }
      kept.append(index)
      told.merge(records) { first, _ in first }
    }
    return (kept, told)
  }

  private func records(
    in checkpoint: Checkpoint, ofAncestryOf index: Int
  ) -> [Int: Checkpoint.StageRecord]? {
    var result: [Int: Checkpoint.StageRecord] = [:]
    for member in ancestry(of: index) {
      guard let record = checkpoint.stages.first(where: { $0.key == keys.results[member] }) else {
        return nil
      }
      result[member] = record
    }
    return result
  }

  /// Takes what a stage told in the run that kept its result; nil if it has to run.
  func recall(_ index: Int) -> Checkpoint.StageRecord? {
    if case .work = sources[index] { nil } else { records[index] }
  }

  /// Takes the scene of a stage that does not run; nil if nothing needs it.
  func takeScene(_ index: Int) -> Scene? {
    guard case .kept(let scene) = sources[index] else { return nil }
    sources[index] = .passed
    return scene
  }

  /// The stages that do not run.
  package var recalled: Set<Int> { Set(pipeline.stages.indices.filter { recall($0) != nil }) }

  // MARK: Keeping

  /// Takes note of a stage that ran, and keeps its result if that saves more than it costs.
  ///
  /// - Returns: What went wrong, once in a run; the run goes on without.
  func keep(
    _ scene: Scene, ofStage index: Int, _ report: RunReport.StageReport, ownWarnings: [String],
    adviceCount: Int, acts: [AssumptionWarnings.Act]
  ) -> String? {
    records[index] = Checkpoint.StageRecord(
      key: keys.results[index], report, ownWarnings: ownWarnings, adviceCount: adviceCount,
      acts: acts)
    if forced.contains(index) { discardForerunners(ofStage: index) }
    let seconds = parents(of: index).reduce(report.seconds) { $0 + unkeptSeconds[$1] }
    unkeptSeconds[index] = seconds
    // Files of this run are gone with it.
    guard !isFailing, report.outcome == .done, scene.capture?.usesFilesOfRun != true,
      use.isWorthKeeping(seconds, scene.byteCount + inputs.unhashedBytes)
    else { return nil }
    let ancestors = ancestry(of: index).compactMap { records[$0] }
    // What failed once may not fail again.
    guard ancestors.count == ancestry(of: index).count, !ancestors.contains(where: \.isFailure),
      ancestry(of: index).allSatisfy({ pipeline.stages[$0].definition.isDeterministic })
    else { return nil }
    do {
      guard let files = try inputs.hashes() else { return nil }
      let checkpoint = Checkpoint(
        pipeline: pipeline.file.map(FileSystem.name) ?? "", input: pipeline.input ?? "",
        stage: pipeline.stages[index].words, seconds: seconds, files: files, stages: ancestors)
      try use.store.keep(checkpoint, scene, for: keys.results[index])
      unkeptSeconds[index] = 0
      return nil
    } catch {
      isFailing = true
      return "\(error.userMessage); no results of stages are kept"
    }
  }

  /// Removes what was kept of a stage that had to run again: its result may be another one now.
  private func discardForerunners(ofStage index: Int) {
    let candidates = use.store.candidates(for: keys.results[index])
    guard !candidates.isEmpty, let files = try? inputs.hashes() else { return }
    for kept in candidates where kept.checkpoint?.files == files { kept.discard() }
  }

  /// The parts of the work of stages that run whose results were kept, for a plan: nothing is read.
  package var keptParts: [Int: [StagePart]] {
    var found: [Int: [StagePart]] = [:]
    for index in pipeline.stages.indices where recall(index) == nil && !forced.contains(index) {
      let parts = pipeline.stages[index].definition.parts
      guard !parts.isEmpty, let files = try? inputs.hashes() else { continue }
      found[index] = parts.filter { part in
        let key = keys.parts[index].name(ofPart: part.name, regardlessOf: part.otherOptions)
        return use.store.candidates(for: key).contains { $0.checkpoint?.files == files }
      }
    }
    return found
  }

  /// What keeps parts of a stage's work; nil if the stage may give another result each time.
  func partKeeper(ofStage index: Int) -> StagePartKeeper? {
    let isLasting = ancestry(of: index).allSatisfy {
      pipeline.stages[$0].definition.isDeterministic
        && (records[$0].map { !$0.isFailure } ?? ($0 == index))
    }
    guard isLasting, !isFailing else { return nil }
    return StagePartKeeper(
      use, inputs, keys.parts[index],
      about: (
        pipeline: pipeline.file.map(FileSystem.name) ?? "", input: pipeline.input ?? "",
        stage: pipeline.stages[index].words
      ), isForced: forced.contains(index))
  }
}

extension Checkpoint.StageRecord {
  fileprivate var isFailure: Bool { if case .failed = outcome { true } else { false } }
}

extension Capture {
  /// Whether a stage of this run made depth maps for it.
  fileprivate var usesFilesOfRun: Bool {
    guard let files = CurrentRun.current?.files else { return false }
    return allDepthFrames.contains { files.contains($0.depth.path) }
  }
}
