import Synchronization

/// Actions before the process ends, however it ends, such as removing temporary files.
enum ExitHandlers {
  private static let handlers = Mutex<[@Sendable () -> Void]>([])

  /// Adds an action; actions run once, in reverse order.
  static func add(_ handler: @escaping @Sendable () -> Void) {
    handlers.withLock { $0.append(handler) }
  }

  /// Runs the actions.
  static func run() {
    let handlers = handlers.withLock { handlers in
      defer { handlers = [] }
      return handlers
    }
    for handler in handlers.reversed() { handler() }
  }
}
