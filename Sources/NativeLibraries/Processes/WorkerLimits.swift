#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// What a worker process may use before it is ended.
public struct WorkerLimits: Sendable, Equatable {
  /// Bytes of memory, besides programs and libraries.
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

  /// What a worker may take besides, for files that a model names: pictures above all.
  static let sideFileMemory = 2 << 30
  /// How many bytes of memory a byte of a model costs at most, in most formats: half a million faces take 6 to
  /// 24, the smallest models 8 MB in all.
  public static let usualCost = 64

  /// The limits for work on so many bytes of model.
  ///
  /// - Parameters:
  ///   - cost: The bytes of memory that a byte may take.
  ///   - floor: The bytes of memory for a model of no size.
  public init(forBytes size: Int, costing cost: Int = usualCost, atLeast floor: Int = 512 << 20) {
    let size = min(max(size, 0), 1 << 40)
    let physical = sysconf(Int32(_SC_PHYS_PAGES)) * sysconf(Int32(_SC_PAGESIZE))
    let ceiling = physical > 0 ? physical / 4 * 3 : .max
    self.init(
      memory: min(max(ceiling, 1 << 30), floor + cost * size),
      seconds: 60 + Double(size) / 1e6)
  }
}
