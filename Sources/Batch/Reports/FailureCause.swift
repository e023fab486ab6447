package import MeshPipeline

/// Items with the same failure: the exit code, and the message without what differs between items.
package struct FailureCause: Sendable, Equatable {
  package var exitCode: ExitCode
  /// The message, with `…` for names and numbers: `vertex … does not exist`.
  package var message: String
  package var count: Int
  /// The name of the first of the items, and its own message.
  package var example: String
  package var exampleMessage: String

  /// The message, or the kind of failure if there is none.
  package var text: String { message.isEmpty ? exitCode.failureKind : message }

  /// Sorts failures into causes, the most frequent first.
  package static func causes(of entries: [JournalEntry]) -> [FailureCause] {
    var causes = CauseCounts(\FailureCause.count)
    for entry in entries where entry.state != .done {
      let message = shared(entry.error, of: entry.item)
      causes.add(
        "\(entry.exitCode.rawValue) \(message)",
        first: FailureCause(
          exitCode: entry.exitCode, message: message, count: 1, example: entry.item,
          exampleMessage: entry.error))
    }
    return causes.byFrequency
  }

  /// The common part of messages of different items.
  static func shared(_ message: String, of item: String) -> String {
    let line = message.split(separator: "\n").first ?? ""
    // The leading parts that name the file and the position in it: `a/room.obj:3:`.
    var parts = line.split(separator: ": ", omittingEmptySubsequences: false)[...]
    while parts.count > 1, let first = parts.first, !first.contains(" ") || item.contains(first) {
      parts.removeFirst()
    }
    var words: [String] = []
    for word in parts.joined(separator: ": ").split(separator: " ") {
      let isName = word.contains("/") || word.hasPrefix("'")
      let text = isName || word.contains(where: \.isNumber) ? "…" : String(word)
      if text != "…" || words.last != "…" { words.append(text) }
    }
    return words.joined(separator: " ")
  }
}

/// Items that are done with the same warning.
package struct WarningCause: Sendable, Equatable {
  /// The warning, with `…` for names and numbers.
  package var message: String
  package var count: Int
  /// The name of the first of the items.
  package var example: String

  /// Sorts warnings into causes, the most frequent first; an item has as many as its warnings differ.
  package static func causes(of entries: [JournalEntry]) -> [WarningCause] {
    var causes = CauseCounts(\WarningCause.count)
    for entry in entries where entry.state == .done {
      let messages = entry.warnings.map { FailureCause.shared($0, of: entry.item) }
      for (index, message) in messages.enumerated() where !messages[..<index].contains(message) {
        causes.add(
          message, first: WarningCause(message: message, count: 1, example: entry.item))
      }
    }
    return causes.byFrequency
  }
}

/// Causes by keys, each with its first occurrence as the example.
private struct CauseCounts<Cause> {
  private let count: WritableKeyPath<Cause, Int>
  private var causes: [Cause] = []
  private var indexOfKey: [String: Int] = [:]

  init(_ count: WritableKeyPath<Cause, Int>) { self.count = count }

  /// Counts a cause that has a key.
  ///
  /// - Parameter first: What is kept of it if it is the first.
  mutating func add(_ key: String, first: @autoclosure () -> Cause) {
    if let known = indexOfKey[key] {
      causes[known][keyPath: count] += 1
    } else {
      indexOfKey[key] = causes.count
      causes.append(first())
    }
  }

  /// The most frequent first, otherwise in the order of their first occurrence.
  var byFrequency: [Cause] {
    causes.enumerated()
      .sorted { ($1.element[keyPath: count], $0.offset) < ($0.element[keyPath: count], $1.offset) }
      .map(\.element)
  }
}

extension ExitCode {
  /// The kind of failure in two words.
  package var failureKind: String {
    switch self {
    case .success: "no failure"
    case .partial: "partly failed"
    case .usage: "wrong usage"
    case .data: "unusable data"
    case .noInput: "input missing"
    case .unavailable: "not available"
    case .software: "internal error"
    case .cannotCreate: "output refused"
    case .inputOutput: "reading or writing"
    case .temporary: "time, memory or lock"
    case .configuration: "pipeline invalid"
    case .interrupted, .terminated, .hungUp: "interrupted"
    }
  }
}
