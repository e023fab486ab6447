import MeshpipeBase
package import MeshpipeScene

/// A part of a stage's work that takes long and does not depend on all options, so that its result is worth keeping for runs
/// with others.
package struct StagePart: Sendable {
  /// What the part makes, for people: `pages`.
  package var name: String
  /// The options of the stage that its result does not depend on.
  package var otherOptions: [String]

  package init(_ name: String, regardlessOf otherOptions: [String]) {
    self.name = name
    self.otherOptions = otherOptions
  }

  /// What a part made, as a scene and JSON.
  package struct Packed: Sendable {
    package var scene: Scene
    /// What the scene does not say.
    package var facts: JSONValue

    package init(_ scene: Scene, facts: JSONValue) {
      self.scene = scene
      self.facts = facts
    }
  }

  /// What a part made and told.
  struct Result: Sendable {
    var packed: Packed
    var warnings: [String]
    var notes: [StageContext.Note]
    var log: [String]
  }
}

/// A stage that has parts whose results are worth keeping.
package protocol PartKeepingStage: Stage {
  /// In the order in which it makes them.
  static var parts: [StagePart] { get }
}

/// A place that keeps the results of parts from run to run.
protocol StagePartStore: Sendable {
  /// A kept result; nil if there is none.
  func recall(_ part: StagePart) -> StagePart.Result?
  /// Whether a result is worth keeping that took some seconds of work and has some bytes.
  func isWorthKeeping(seconds: Double, bytes: Int) -> Bool
  /// Keeps a result.
  func keep(_ result: StagePart.Result, of part: StagePart, seconds: Double) throws
}

extension StageContext {
  /// Makes a part of the stage's result, or takes what an earlier run made and kept of it, with its warnings and figures.
  ///
  /// - Parameters:
  ///   - make: The work.
  ///   - pack: Its result in a form from which it can be unpacked again without loss.
  ///   - unpack: The result; nil if the form is of something else.
  package func part<Value>(
    _ part: StagePart, make: () throws -> Value, pack: (Value) throws -> StagePart.Packed,
    unpack: (StagePart.Packed) throws -> Value?
  ) throws -> Value {
    guard let keeper else { return try make() }
    if let kept = keeper.recall(part), let value = try unpack(kept.packed) {
      try checkCancellation()
      for warning in kept.warnings { warn(warning) }
      for note in kept.notes { self.note(note.key, note.value) }
      for line in kept.log { log(line) }
      return value
    }
    let (warningCount, noteCount, lineCount) = (warnings.count, notes.count, logLines.count)
    let start = MonotonicClock.seconds
    let value = try make()
    let seconds = MonotonicClock.seconds - start
    guard adviceCount == 0, keeper.isWorthKeeping(seconds: seconds, bytes: 0) else { return value }
    let packed = try pack(value)
    guard keeper.isWorthKeeping(seconds: seconds, bytes: packed.scene.byteCount) else {
      return value
    }
    let result = StagePart.Result(
      packed: packed, warnings: Array(warnings.dropFirst(warningCount)),
      notes: Array(notes.dropFirst(noteCount)), log: Array(logLines.dropFirst(lineCount)))
    do {
      try keeper.keep(result, of: part, seconds: seconds)
    } catch {
      advise("\(error.userMessage); no part of this stage is kept")
    }
    return value
  }
}
