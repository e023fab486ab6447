import Synchronization

/// What is to be done before the process ends, however it ends: removing temporary files.
enum RunEnd {
  private static let acts = Mutex<[@Sendable () -> Void]>([])

  /// Adds what is to be done at the end; done once, in reverse order.
  static func onEnd(_ act: @escaping @Sendable () -> Void) {
    acts.withLock { $0.append(act) }
  }

  /// Does it.
  static func perform() {
    let acts = acts.withLock { acts in
      defer { acts = [] }
      return acts
    }
    for act in acts.reversed() { act() }
  }
}
