internal import CSandbox
import MeshpipeBase
import Synchronization

/// The confinement of untrusted processes.
package enum Confinement: Sendable {
  /// A restricted view of the system by `bwrap`, with Landlock inside if the kernel supports it.
  case bubblewrap
  case landlock
  case nothing

  /// The confinement of plugin programs, both layers if possible; determined by trying.
  package static var ofPrograms: Confinement {
    if Bubblewrap.works { return .bubblewrap }
    return hasLandlock ? .landlock : .nothing
  }

  /// The confinement of Assimp's process: Landlock, which costs nothing, or otherwise bubblewrap.
  package static let ofWorkers: Confinement =
    hasLandlock ? .landlock : Bubblewrap.works ? .bubblewrap : .nothing

  /// Whether the kernel has Landlock, and this process may use it.
  package static var hasLandlock: Bool { sandbox_can_restrict_files() != 0 }

  /// The environment variable by which the user refuses workers that are not confined as intended.
  private static let variable = "MESHPIPE_REQUIRE_CONFINEMENT"

  /// Whether the user does, by the variable or by an option.
  package static var isRequired: Bool { demand.load(ordering: .relaxed) }

  private static let demand = Atomic(!(FileSystem.environment(variable) ?? "").isEmpty)

  /// Refuses such workers in this process from now on.
  package static func require() { demand.store(true, ordering: .relaxed) }

  /// Whether plugin programs are confined at all.
  package static var isThere: Bool { hasLandlock || Bubblewrap.works }
}
