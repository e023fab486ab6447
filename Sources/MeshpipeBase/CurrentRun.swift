import Synchronization

/// The run that a thread works for, as what lies far below its stages knows it.
package struct CurrentRun: Sendable {
  /// Nil outside of runs.
  @TaskLocal package static var current: CurrentRun?

  /// Whether it is cancelled.
  package let cancellation: any Cancellable
  /// The depth maps that it decoded: texturing asks for each a dozen times.
  package let depthMaps = RunStore()
  /// What stages write for the stages after them.
  package let files = RunFiles()

  package init(_ cancellation: any Cancellable) { self.cancellation = cancellation }
}

/// Values that a run made, for the next of its steps that asks.
///
/// Only time depends on it. Steps ask for all values in order, so what does not fit is not stored, instead of replacing
/// what is.
package final class RunStore: Sendable {
  /// In bytes: 130 depth maps of a phone with their confidences.
  private static let usualCapacity = 32 << 20

  private struct State {
    var values: [AnyHashable: any Sendable] = [:]
    var bytes = 0
  }

  private let capacity: Int
  private let state = Mutex(State())

  /// - Parameter capacity: In bytes.
  package init(capacity: Int = usualCapacity) { self.capacity = capacity }

  /// The number of bytes stored.
  package var bytes: Int { state.withLock { $0.bytes } }

  /// A value, stored or made.
  ///
  /// Threads may ask at the same time.
  ///
  /// - Parameters:
  ///   - key: Of a type that no other kind of value has.
  ///   - size: The bytes of a value.
  package func value<Key: Hashable & Sendable, Value: Sendable>(
    for key: Key, size: (Value) -> Int, make: () throws -> Value
  ) rethrows -> Value {
    if let stored = state.withLock({ $0.values[key] }) as? Value { return stored }
    let value = try make()
    let bytes = size(value)
    state.withLock { state in
      guard state.values[key] == nil, state.bytes + bytes <= capacity else { return }
      state.values[key] = value
      state.bytes += bytes
    }
    return value
  }
}
