import MeshPipeline
import NativeLibraries
import Synchronization

/// Tells the user, once for all stages of plugins in a run, that programs can't be kept from files.
final class ConfinementNotice: Sendable {
  private let isDue = Atomic(true)
  private let canConfine: @Sendable () -> Bool

  /// - Parameter canConfine: Asked when the first program is to run, for most commands run none.
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
