import POSIX

/// The limits of a worker process.
package struct WorkerLimits: Sendable, Equatable {
  /// Bytes of memory, besides programs and libraries.
  package var memory: Int
  /// Wall-clock seconds; processor time is limited to the same per core.
  package var seconds: Double
  /// The maximum size of a written file in bytes.
  package var fileSize: Int

  package init(memory: Int, seconds: Double, fileSize: Int = 1 << 40) {
    self.memory = memory
    self.seconds = seconds
    self.fileSize = fileSize
  }

  /// The additional budget for files that a model refers to, mainly textures.
  package static let sideFileMemory = 2 << 30
  /// The maximum memory per byte of a model in most formats: half a million faces take 6 to 24, the
  /// smallest models 8 MB in total.
  package static let usualCost = 64

  /// The limits for a model of this size in bytes.
  ///
  /// - Parameters:
  ///   - cost: The maximum memory per byte.
  ///   - floor: The memory for an empty model, in bytes.
  package init(forBytes size: Int, costing cost: Int = usualCost, atLeast floor: Int = 512 << 20) {
    let size = min(max(size, 0), 1 << 40)
    let physical = sysconf(Int32(_SC_PHYS_PAGES)) * sysconf(Int32(_SC_PAGESIZE))
    let ceiling = physical > 0 ? physical / 4 * 3 : .max
    self.init(
      memory: min(max(ceiling, 1 << 30), floor + cost * size),
      seconds: 60 + Double(size) / 1e6)
  }
}
