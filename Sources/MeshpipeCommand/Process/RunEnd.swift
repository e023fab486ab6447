import Synchronization

/// Actions before the process ends, however it ends, such as removing temporary files.
enum RunEnd {
  private static let acts = Mutex<[@Sendable () -> Void]>([])

  /// Adds an action; actions run once, in reverse order.
  static func onEnd(_ act: @escaping @Sendable () -> Void) {
    acts.withLock { $0.append(act) }
  }

  /// Runs the actions.
  static func perform() {
    let acts = acts.withLock { acts in
      defer { acts = [] }
      return acts
    }
    for act in acts.reversed() { act() }
  }
}
