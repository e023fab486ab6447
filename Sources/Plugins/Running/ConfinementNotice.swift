import MeshPipeline
import Synchronization
import Workers

/// Warns the user, once per run for all stages of plugins, that programs can't be confined.
final class ConfinementNotice: Sendable {
  private let isDue = Atomic(true)
  private let canConfine: @Sendable () -> Bool

  /// - Parameter canConfine: Called before the first program runs, since most commands run none.
  init(
    canConfine: @autoclosure @escaping @Sendable () -> Bool = SupervisedProgram.canConfineWriting
  ) {
    self.canConfine = canConfine
  }

  func tell(in context: StageContext) {
    guard isDue.exchange(false, ordering: .relaxed), !canConfine() else { return }
    context.advise(
      "this system can't keep plugins from your files (it has neither bubblewrap nor "
        + "Landlock); use only those that you trust")
  }
}
