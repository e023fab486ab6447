import MeshpipeBase
import MeshpipeScene
import Synchronization

/// Keeps the results of parts of a stage's work for later runs.
final class StagePartKeeper: StagePartStore {
  typealias About = (pipeline: String, input: String, stage: String)

  private let use: CheckpointUse
  private let inputs: CheckpointInputs
  private let keys: PartKeys
  private let about: About
  private let isForced: Bool
  private let damages = Mutex<[String]>([])

  /// - Parameters:
  ///   - about: The pipeline, its input and the stage, for people.
  ///   - isForced: Whether all parts are made again, whatever was kept.
  init(
    _ use: CheckpointUse, _ inputs: CheckpointInputs, _ keys: PartKeys, about: About, isForced: Bool
  ) {
    (self.use, self.inputs, self.keys) = (use, inputs, keys)
    (self.about, self.isForced) = (about, isForced)
  }

  /// Warnings of damaged results, which were made again.
  var warnings: [String] { damages.withLock(\.self) }

  func recall(_ part: StagePart) -> StagePart.Result? {
    let key = keys.name(ofPart: part.name, regardlessOf: part.otherOptions)
    let candidates = use.store.candidates(for: key)
    guard !candidates.isEmpty, let files = try? inputs.hashes() else { return nil }
    for kept in candidates where kept.checkpoint == nil || kept.checkpoint?.files == files {
      do {
        if !isForced, let result = try result(kept, key) { return result }
      } catch {
        let damage = "\(error.userMessage); \(about.stage) makes its \(part.name) again"
        damages.withLock { $0.append(damage) }
      }
      // It is damaged, or the user wants another one.
      kept.discard()
    }
    return nil
  }

  private func result(_ kept: any KeptCheckpoint, _ key: String) throws -> StagePart.Result? {
    let scene = try kept.scene()
    guard let record = kept.checkpoint?.stages.first, record.key == key else { return nil }
    // The first is none that the stage gave.
    let facts = record.notes.first?.value ?? JSONValue(.null)
    return StagePart.Result(
      packed: StagePart.Packed(scene, facts: facts), warnings: record.warnings,
      notes: Array(record.notes.dropFirst()), log: record.log)
  }

  func isWorthKeeping(seconds: Double, bytes: Int) -> Bool {
    use.isWorthKeeping(seconds, bytes + inputs.unhashedBytes)
  }

  func keep(_ result: StagePart.Result, of part: StagePart, seconds: Double) throws {
    guard let files = try inputs.hashes() else { return }
    let key = keys.name(ofPart: part.name, regardlessOf: part.otherOptions)
    let none = RunReport.Counts(Scene())
    let record = Checkpoint.StageRecord(
      key: key, outcome: .done, before: none, after: none, warnings: result.warnings,
      figures: ([.init(key: "facts", value: result.packed.facts)] + result.notes).map {
        .init(key: $0.key, json: $0.value.compactText)
      },
      log: result.log, adviceCount: 0, acts: [])
    let checkpoint = Checkpoint(
      pipeline: about.pipeline, input: about.input, stage: "\(about.stage), \(part.name)",
      seconds: seconds, files: files, stages: [record])
    try use.store.keep(checkpoint, result.packed.scene, for: key)
  }
}
