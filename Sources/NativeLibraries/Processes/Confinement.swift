internal import CSandbox
import MeshPipeline

/// What keeps a process that is not trusted from files that are none of its business.
public enum Confinement: Sendable {
  /// A view of the system of its own, made by `bwrap`, and Landlock in it where the kernel has that.
  case bubblewrap
  case landlock
  case nothing

  /// What there is for programs of plugins, which get both walls if they can; found out by trying.
  public static var ofPrograms: Confinement {
    if Bubblewrap.works { return .bubblewrap }
    return hasLandlock ? .landlock : .nothing
  }

  /// What there is for the process in which Assimp runs: Landlock, which costs nothing, or else the next best.
  static let ofWorkers: Confinement =
    hasLandlock ? .landlock : Bubblewrap.works ? .bubblewrap : .nothing

  /// Whether the kernel has Landlock, and lets this process use it.
  public static var hasLandlock: Bool { sandbox_can_restrict_files() != 0 }

  /// Whether programs of plugins are confined at all.
  static var isThere: Bool { hasLandlock || Bubblewrap.works }
}
