internal import CSandbox
import POSIX

/// The confinement of a worker process.
package enum Sandbox {
  /// A protection that could not be established.
  package struct Failure: Error {
    package var protection: String
    package var error: Int32
  }

  /// Confines this process permanently.
  ///
  /// Call it before any thread is started and any input is touched.
  ///
  /// Landlock and seccomp are used if the kernel supports them; the limits, and not gaining
  /// privileges, are required.
  /// - Parameters:
  ///   - parent: The process whose end also ends this one.
  ///   - readable: Readable files and folders, with everything below them.
  ///   - writable: Folders that are also writable.
  package static func enter(
    _ limits: WorkerLimits, parent: Int32, readable: [String], writable: [String]
  ) throws(Failure) {
    try limit(
      limits, memory: limits.memory, ceiling: limits.memory + WorkerLimits.sideFileMemory)
    try demand("tie to the parent", sandbox_bind_to_parent(parent))
    let version = unsafe withPointers(to: readable) { readable, readableCount in
      unsafe withPointers(to: writable) { writable, writableCount in
        unsafe sandbox_restrict_files(readable, readableCount, writable, writableCount)
      }
    }
    try demand("view of the files", -min(version, 0))
    try demand("groups", sandbox_drop_groups())
    try demand("capabilities", sandbox_drop_capabilities())
    try demand("filter of system calls", -min(sandbox_restrict_calls(), 0))
  }

  /// Confines this process permanently to computing with the descriptors that it has and is handed.
  ///
  /// Call it when all libraries are open. It needs no Landlock, which only adds to it: the filter of system calls forbids
  /// files by name.
  /// - Returns: Whether the kernel has such a filter, or Landlock.
  static func enterCell(_ limits: WorkerLimits, parent: pid_t) throws(Failure) -> Bool {
    // The memory of each task is set when it comes; this is for the messages between them.
    try limit(limits, memory: 1 << 26, ceiling: limits.memory)
    try demand("tie to the parent", sandbox_bind_to_parent(parent))
    let version = sandbox_restrict_files(nil, 0, nil, 0)
    try demand("view of the files", -min(version, 0))
    try demand("groups", sandbox_drop_groups())
    try demand("capabilities", sandbox_drop_capabilities())
    let filter = sandbox_restrict_decoder_calls()
    try demand("filter of system calls", -min(filter, 0))
    return version > 0 || filter > 0
  }

  /// Sets the memory limit for a task.
  static func setMemory(_ bytes: Int) { sandbox_set_memory(UInt64(max(0, bytes))) }

  private static func limit(
    _ limits: WorkerLimits, memory: Int, ceiling: Int
  ) throws(Failure) {
    var ceilings = limits.ceilings(openFiles: 256)
    // Memory of programs and libraries does not count against the input.
    let own = sandbox_virtual_memory()
    let start = own > 0 ? own : 1 << 28
    ceilings.address_space = start + UInt64(max(0, memory))
    ceilings.address_space_ceiling = start + UInt64(max(0, ceiling))
    try demand("limits", unsafe sandbox_set_limits(&ceilings))
  }

  /// Raises the memory limit for a file that a model refers to.
  package static func allowMemory(_ bytes: Int) { sandbox_allow_memory(UInt64(max(0, bytes))) }

  private static func demand(_ protection: String, _ error: Int32) throws(Failure) {
    guard error == 0 else { throw Failure(protection: protection, error: error) }
  }
}

/// Calls `body` with C strings and their number.
@unsafe
func withPointers<Result>(
  to strings: [String], _ body: (UnsafePointer<UnsafePointer<CChar>?>?, Int) -> Result
) -> Result {
  let copies = unsafe strings.map { unsafe strdup($0.systemPath) }
  defer { for index in unsafe copies.indices { unsafe free(copies[index]) } }
  let pointers = unsafe copies.map { unsafe UnsafePointer($0) }
  return unsafe pointers.withUnsafeBufferPointer { unsafe body($0.baseAddress, strings.count) }
}

extension WorkerLimits {
  /// All limits except memory, which is limited in more than one way.
  func ceilings(openFiles: UInt64) -> sandbox_limits {
    let cores = max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN)))
    return sandbox_limits(
      address_space: 0, address_space_ceiling: 0, private_memory: 0,
      cpu_seconds: UInt64(min(max(1, seconds.rounded(.up)), 1e9)) * UInt64(cores),
      file_size: UInt64(max(0, fileSize)), open_files: openFiles)
  }
}
