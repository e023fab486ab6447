import Dispatch
import MeshPipeline
import POSIX
import Synchronization

/// Unpacks items ahead of the workers on a separate thread, a few at a time.
final class StagingFeed: Sendable {
  private struct State {
    var ready: [StagedItem] = []
    var failure: (any Error)?
    var isExhausted = false
    var isStopped = false
  }

  private let state = Mutex(State())
  private let places: DispatchSemaphore
  /// Signalled when the thread has ended.
  private let end = DispatchSemaphore(value: 0)
  private let next: @Sendable () throws -> StagedItem?
  /// Readable when there is something to ``take()``.
  let descriptor: Int32
  private let bell: Int32

  /// - Parameters:
  ///   - capacity: The number of items that may be unpacked and not yet ``release()``d.
  ///   - next: Unpacks the next item; nil when there are no more.
  init(capacity: Int, next: @escaping @Sendable () throws -> StagedItem?) throws(FileError) {
    // A semaphore must not be freed below its initial value.
    places = DispatchSemaphore(value: 0)
    for _ in 0..<max(1, capacity) { places.signal() }
    self.next = next
    var ends: [Int32] = [-1, -1]
    guard unsafe pipe(&ends) == 0 else { throw FileError(.create, "a pipe") }
    for end in ends {
      _ = fcntl(end, F_SETFD, FD_CLOEXEC)
      _ = fcntl(end, F_SETFL, O_NONBLOCK)
    }
    descriptor = ends[0]
    bell = ends[1]
  }

  deinit {
    close(descriptor)
    close(bell)
  }

  /// Starts unpacking.
  func start() {
    DispatchQueue(label: "staging").async { [self] in
      defer { end.signal() }
      while true {
        places.wait()
        if state.withLock({ $0.isStopped }) { break }
        let result = Result { try next() }
        state.withLock { state in
          switch result {
          case .success(let item?): state.ready.append(item)
          case .success(nil): state.isExhausted = true
          case .failure(let error):
            state.failure = error
            state.isExhausted = true
          }
        }
        ring()
        if state.withLock({ $0.isExhausted }) { return }
      }
      state.withLock { $0.isExhausted = true }
      ring()
    }
  }

  private func ring() {
    var byte: UInt8 = 1
    _ = unsafe write(bell, &byte, 1)
  }

  /// Requests an end.
  func stop() {
    state.withLock { $0.isStopped = true }
    places.signal()
  }

  /// Waits briefly for the item being unpacked, so that it can be removed.
  func waitForEnd() { _ = end.wait(timeout: .now() + 2) }

  /// The items that are ready.
  func take() throws -> [StagedItem] {
    var bytes = [UInt8](repeating: 0, count: 64)
    while unsafe read(descriptor, &bytes, bytes.count) > 0 {}
    return try state.withLock { state in
      let items = state.ready
      state.ready = []
      if items.isEmpty, let failure = state.failure {
        state.failure = nil
        throw failure
      }
      return items
    }
  }

  /// Whether all items have been taken.
  var isEmpty: Bool { state.withLock { $0.isExhausted && $0.ready.isEmpty && $0.failure == nil } }

  /// Makes room for another item.
  func release() { places.signal() }
}
