internal import CSandbox
import MeshpipeBase
import POSIX

/// The resources of this process.
package enum ProcessResources {
  /// The number of cores available to the process; nil if unknown.
  package static var allowedCores: Int? {
    let cores = Int(sandbox_allowed_cores())
    return cores > 0 ? cores : nil
  }

  /// Returns unused memory to the system, which malloc would keep.
  package static func giveBackMemory() { sandbox_return_memory() }

  /// Makes the kernel (Linux) prefer to kill this process and its children when memory runs out.
  package static func preferKilling() {
    #if os(Linux)
      ProcessFile.write("500", to: "oom_score_adj")
    #endif
  }
}
