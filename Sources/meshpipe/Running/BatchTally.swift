import Batch
import MeshPipeline

/// What became of the items of a batch so far.
struct BatchTally {
  private(set) var done = 0
  private(set) var failed = 0
  /// Items that were left alone, since they are done or have failed before.
  private(set) var upToDate = 0
  private(set) var failedBefore = 0
  private(set) var withWarnings = 0
  private let start = MonotonicClock.seconds
  /// The codes of the failures.
  private var codes: [String: ExitCode] = [:]
  /// The names of the items, in the order of the inputs.
  private let items: [String]

  init(_ plan: BatchPlan) {
    items = plan.entries.map(\.item.name)
    for entry in plan.entries where !entry.isDue {
      if let known = entry.known { leave(known) }
    }
  }

  private mutating func leave(_ known: JournalEntry) {
    if known.state == .done {
      upToDate += 1
    } else {
      failedBefore += 1
      codes[known.item] = known.exitCode
    }
  }

  mutating func take(_ event: BatchEvent) {
    switch event {
    case .finished(let entry):
      if entry.state == .done {
        done += 1
      } else {
        failed += 1
        codes[entry.item] = entry.exitCode
      }
      withWarnings += entry.warnings.isEmpty ? 0 : 1
    case .unchanged(let entry): leave(entry)
    case .started, .progress, .idle, .postponed: break
    }
  }

  /// The items that the batch has dealt with now.
  var worked: Int { done + failed }
  var seconds: Double { MonotonicClock.seconds - start }
  var rate: Double { seconds > 0 ? Double(worked) / seconds : 0 }

  /// The code to end with.
  var exitCode: ExitCode {
    guard let first = items.lazy.compactMap({ codes[$0] }).first else { return .success }
    return done + upToDate > 0 ? .partial : first
  }

  /// A few lines for people.
  var summary: String {
    var parts = ["\(done) done"]
    if failed > 0 { parts.append("\(failed) failed") }
    if upToDate > 0 { parts.append("\(upToDate) up to date") }
    if failedBefore > 0 { parts.append("\(failedBefore) failed before") }
    let untouched = items.count - worked - upToDate - failedBefore
    if untouched > 0 { parts.append("\(untouched) not begun") }
    var text = "meshpipe: \(parts.joined(separator: ", ")) in \(TextLayout.duration(seconds))"
    if worked > 1 { text += " (\(NumberText.fixed(rate, digits: rate < 10 ? 1 : 0)) items/s)" }
    text += "\n"
    let counts = Dictionary(grouping: codes.values, by: \.self).mapValues(\.count)
    for (code, count) in counts.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
      text += "  \(count) failed with code \(code.rawValue): \(Self.cause(code))\n"
    }
    if withWarnings > 0 { text += "  \(withWarnings) with warnings\n" }
    return text
  }

  /// What an exit code says of an item.
  private static func cause(_ code: ExitCode) -> String {
    switch code {
    case .usage, .configuration: "the pipeline or the call does not fit the scan"
    case .data: "the scan is damaged or unusable, or does not meet an 'expect'"
    case .noInput: "the scan is not there or can't be read"
    case .unavailable: "no format reads or writes it"
    case .software: "meshpipe or a library crashed"
    case .cannotCreate: "the output can't be created or must not be replaced"
    case .inputOutput: "reading or writing failed"
    case .temporary: "time or memory ran out, or the worker was killed"
    case .success, .partial, .interrupted, .terminated: "other"
    }
  }
}
