internal import CSandbox
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
  package static func standFirstInLine() {
    #if os(Linux)
      let descriptor = unsafe open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC)
      guard descriptor >= 0 else { return }
      _ = unsafe write(descriptor, "500", 3)
      close(descriptor)
    #endif
  }
}
