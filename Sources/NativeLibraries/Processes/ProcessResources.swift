internal import CSandbox

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// What this process has of the machine.
public enum ProcessResources {
  /// The cores that the process may run on; nil when the system does not tell.
  public static var allowedCores: Int? {
    let cores = Int(sandbox_allowed_cores())
    return cores > 0 ? cores : nil
  }

  /// Lets the system have the memory that was needed and is not any more; malloc would keep it.
  public static func giveBackMemory() { sandbox_return_memory() }

  /// Lets the kernel (Linux) end this process and those that it starts before others when memory runs out.
  public static func standFirstInLine() {
    #if os(Linux)
      let descriptor = unsafe open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC)
      guard descriptor >= 0 else { return }
      _ = unsafe write(descriptor, "500", 3)
      close(descriptor)
    #endif
  }
}
