import Synchronization

/// The depth maps that a run has decoded, for the next of its steps that asks: texturing asks for each a dozen times.
///
/// Only time depends on it. Steps ask for all maps in order, so what does not fit is not stored, instead of replacing
/// what is.
package final class DepthMapStore: Sendable {
  /// In bytes: 130 maps of a phone with their confidences.
  private static let usualCapacity = 32 << 20

  private struct State {
    var maps: [Capture.DepthSource: DepthMap] = [:]
    var bytes = 0
  }

  private let capacity: Int
  private let state = Mutex(State())

  /// - Parameter capacity: In bytes.
  package init(capacity: Int = usualCapacity) { self.capacity = capacity }

  /// The number of bytes stored.
  package var bytes: Int { state.withLock { $0.bytes } }

  /// A depth map with its confidences, stored or decoded.
  ///
  /// Threads may ask at the same time.
  package func map(
    of source: Capture.DepthSource, decode: () throws -> DepthMap
  ) rethrows -> DepthMap {
    if let stored = state.withLock({ $0.maps[source] }) { return stored }
    let map = try decode()
    let bytes = 4 * map.meters.count + (map.confidences?.count ?? 0)
    state.withLock { state in
      guard state.maps[source] == nil, state.bytes + bytes <= capacity else { return }
      state.maps[source] = map
      state.bytes += bytes
    }
    return map
  }
}
