import MeshPipeline
import NativeLibraries
import Synchronization

/// Tells the user, once for all stages of plugins in a run, that programs can't be kept from writing.
final class ConfinementNotice: Sendable {
  private let isDue: Atomic<Bool>

  init(canConfine: Bool = SupervisedProgram.canConfineWriting) {
    isDue = Atomic(!canConfine)
  }

  func tell(in context: StageContext) {
    guard isDue.exchange(false, ordering: .relaxed) else { return }
    context.warn(
      "this system can't keep plugins from writing to your files (it has no Landlock); use only "
        + "those that you trust")
  }
}
