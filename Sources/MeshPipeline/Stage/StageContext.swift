public import MeshpipeBase
public import MeshpipeScene
import Synchronization

/// The context of a stage within a run.
public final class StageContext: Cancellable {
  private let cancellation: Cancellation
  private let onProgress: @Sendable (Double) -> Void
  /// The images that stages of the run share.
  package let frameStore: FrameStore
  private let record = Mutex(Record())

  private struct Record {
    var warnings: [String] = []
    var advice = 0
    var notes: [Note] = []
    var log: [String] = []
    var scenes: [SceneReference: Scene] = [:]
    var renewedTextures: Set<TextureRole> = []
    var keeper: (any StagePartStore)?
  }

  /// A figure for the report, such as the error reached by a decimation.
  public struct Note: Sendable, Equatable {
    /// The name in the report, in camel case.
    public var key: String
    /// A number, text or other JSON value.
    public var value: JSONValue
  }

  /// Creates a context, for a stage that is run alone.
  ///
  /// - Parameters:
  ///   - cancellation: Stops the stage when another thread requests it.
  ///   - onProgress: Receives the share of the work done, from 0 to 1, on any thread.
  public convenience init(
    cancellation: Cancellation = Cancellation(),
    onProgress: @escaping @Sendable (Double) -> Void = { _ in }
  ) {
    self.init(
      cancellation: cancellation, frameStore: FrameStore(capacity: 0), onProgress: onProgress)
  }

  package init(
    cancellation: Cancellation, frameStore: FrameStore,
    onProgress: @escaping @Sendable (Double) -> Void
  ) {
    self.cancellation = cancellation
    self.frameStore = frameStore
    self.onProgress = onProgress
  }

  /// A context whose warnings and figures are not this one's, for work that may be discarded.
  package var apart: StageContext { StageContext(cancellation: cancellation) }

  /// Reports progress from 0 to 1, and throws ``Cancelled`` if the run is cancelled.
  ///
  /// Cheap enough to be called every few thousand faces.
  public func progress(_ fraction: Double) throws(Cancelled) {
    try checkCancellation()
    onProgress(fraction)
  }

  /// Whether the run is cancelled; for threads that can't throw.
  public var isCancelled: Bool { cancellation.isRequested }

  /// Throws if the run is cancelled.
  public func checkCancellation() throws(Cancelled) {
    try cancellation.checkCancellation()
  }

  /// Warns the user of something suspicious that did not stop the stage.
  public func warn(_ message: String) {
    record.withLock { $0.warnings.append(message) }
  }

  /// Reports a limitation of the host that neither scan nor pipeline can fix; `--strict` ignores
  /// it.
  public func advise(_ message: String) {
    record.withLock {
      $0.warnings.append(message)
      $0.advice += 1
    }
  }

  /// Adds a line to the report that is irrelevant as long as nothing fails.
  public func log(_ line: String) {
    record.withLock { $0.log.append(line) }
  }

  /// Adds a figure to the report.
  public func note(_ key: String, _ value: JSONValue) {
    record.withLock { $0.notes.append(Note(key: key, value: value)) }
  }

  /// The scene of an option's reference; nil for a stage that is run alone, whose own scene is all
  /// that was read.
  public func scene(of reference: SceneReference) -> Scene? {
    record.withLock { $0.scenes[reference] }
  }

  /// Gives the stage the scenes that its options refer to.
  package func lend(_ scenes: [SceneReference: Scene]) {
    record.withLock { $0.scenes = scenes }
  }

  /// The textures that later stages make for all that becomes of the stage's result, so that dropping them loses nothing;
  /// none for a stage that is run alone.
  public var renewedTextures: Set<TextureRole> { record.withLock { $0.renewedTextures } }

  /// Says which textures later stages make.
  package func announce(renewedTextures textures: Set<TextureRole>) {
    record.withLock { $0.renewedTextures = textures }
  }

  /// Where results of parts of the work are kept; nil for nowhere.
  var keeper: (any StagePartStore)? {
    get { record.withLock(\.keeper) }
    set { record.withLock { $0.keeper = newValue } }
  }

  /// The warnings so far, in order.
  public var warnings: [String] { record.withLock { $0.warnings } }
  /// The number of host warnings.
  package var adviceCount: Int { record.withLock { $0.advice } }
  /// The figures so far, in order.
  public var notes: [Note] { record.withLock { $0.notes } }
  /// The log lines so far, in order.
  public var logLines: [String] { record.withLock { $0.log } }
}
