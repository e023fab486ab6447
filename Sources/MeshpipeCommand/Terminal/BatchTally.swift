import Batch
import MeshPipeline

/// The results of a batch so far.
struct BatchTally {
  private(set) var done = 0
  private(set) var failed = 0
  /// Items that were skipped, since they are done or failed before.
  private(set) var upToDate = 0
  private(set) var failedBefore = 0
  private var warned: [JournalEntry] = []
  /// The skipped items that had to be unpacked to find that out.
  private var unchanged = 0
  private let start = MonotonicClock.seconds
  private static let shownCauses = 10
  private var failures: [String: JournalEntry] = [:]
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
      failures[known.item] = known
    }
  }

  mutating func take(_ event: BatchEvent) {
    switch event {
    case .finished(let entry):
      if entry.state == .done {
        done += 1
      } else {
        failed += 1
        failures[entry.item] = entry
      }
      if entry.state == .done, !entry.warnings.isEmpty { warned.append(entry) }
    case .unchanged(let entry):
      unchanged += 1
      leave(entry)
    case .started, .progress, .idle, .postponed: break
    }
  }

  /// The processed items.
  var worked: Int { done + failed }
  /// The due items that are finished or failed.
  var settled: Int { worked + unchanged }
  var seconds: Double { MonotonicClock.seconds - start }
  var rate: Double { seconds > 0 ? Double(worked) / seconds : 0 }

  /// The exit code of the batch.
  var exitCode: ExitCode {
    let first = items.lazy.compactMap { failures[$0] }.first
    return .ofSeveral(firstFailure: first?.exitCode, someDone: done + upToDate > 0)
  }

  /// A few lines for people.
  var summary: String {
    var parts = ["\(done) done"]
    if failed > 0 { parts.append("\(failed) failed") }
    if upToDate > 0 { parts.append("\(upToDate) up to date") }
    if failedBefore > 0 { parts.append("\(failedBefore) failed before") }
    let untouched = items.count - worked - upToDate - failedBefore
    if untouched > 0 { parts.append("\(untouched) not started") }
    var text = "meshpipe: \(parts.joined(separator: ", ")) in \(TextLayout.duration(seconds))"
    if worked > 1 { text += " (\(NumberText.fixed(rate, digits: rate < 10 ? 1 : 0)) items/s)" }
    text += "\n"
    let causes = FailureCause.causes(of: items.compactMap { failures[$0] })
    for cause in causes.prefix(Self.shownCauses) {
      text += "  \(cause.count) failed (\(cause.exitCode.rawValue)): \(cause.text)"
      text += cause.count > 1 ? "; for example \(cause.example)\n" : "\n"
    }
    if causes.count > Self.shownCauses {
      text += "  and \(causes.count - Self.shownCauses) more causes\n"
    }
    return text + warnings
  }

  /// What items that are done were warned of, by the first item of each kind.
  private var warnings: String {
    if warned.isEmpty { return "" }
    var text = "  \(warned.count) done with warnings:\n"
    let causes = WarningCause.causes(of: warned)
    for cause in causes.prefix(Self.shownCauses) {
      text += "    \(cause.count): \(cause.message); for example \(cause.example)\n"
    }
    if causes.count > Self.shownCauses {
      text += "    and \(causes.count - Self.shownCauses) more\n"
    }
    return text
  }
}
