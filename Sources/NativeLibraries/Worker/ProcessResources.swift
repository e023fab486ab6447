internal import CSandbox

/// What this process has of the machine.
public enum ProcessResources {
  /// The cores that the process may run on; nil when the system does not tell.
  public static var allowedCores: Int? {
    let cores = Int(sandbox_allowed_cores())
    return cores > 0 ? cores : nil
  }

  /// Lets the system have the memory that was needed and is not any more; malloc would keep it.
  public static func giveBackMemory() { sandbox_return_memory() }
}
