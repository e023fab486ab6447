#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// What a worker process may use before it is ended.
public struct WorkerLimits: Sendable, Equatable {
  /// Bytes of virtual memory.
  public var memory: Int
  /// Seconds on the clock; processor time is limited to the same for each core.
  public var seconds: Double
  /// Bytes that one written file may have.
  public var fileSize: Int

  public init(memory: Int, seconds: Double, fileSize: Int = 1 << 40) {
    self.memory = memory
    self.seconds = seconds
    self.fileSize = fileSize
  }

  /// The limits for work on so many bytes of model, found to suffice for every format: the hungriest,
  /// ASCII FBX, takes 16 times its size in memory and 30 ms per megabyte.
  public init(forBytes size: Int) {
    let size = min(max(size, 0), 1 << 40)
    let physical = sysconf(Int32(_SC_PHYS_PAGES)) * sysconf(Int32(_SC_PAGESIZE))
    let ceiling = physical > 0 ? physical / 4 * 3 : .max
    self.init(
      memory: min(max(ceiling, 1 << 30), 2 << 30 + 40 * size),
      seconds: 60 + Double(size) / 1e6)
  }
}
