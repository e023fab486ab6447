import MeshPipeline
import POSIX
import Synchronization

/// Shows the progress of a run on standard error.
final class ProgressDisplay: Sendable {
  enum Style: Sendable {
    /// Only warnings.
    case none
    /// One line, redrawn repeatedly.
    case bar
    /// One JSON object per line, for other programs.
    case json
  }

  private struct State {
    var isDrawn = false
    /// The time of the last line, in seconds since the run began.
    var lastDrawn = 0.0
    var smoothing = TimeSmoothing()
    var lastStep = -1
  }

  let style: Style
  private let state = Mutex(State())

  init(_ style: Style) { self.style = style }

  /// The style given by `--progress`.
  static func style(named name: String?, isQuiet: Bool) -> Style {
    switch name ?? "auto" {
    case "bar": return .bar
    case "json": return .json
    case "none": return .none
    default:
      let isDumb = FileSystem.environment("TERM").map { $0 == "dumb" } ?? true
      return StandardStream.errors.isTerminal && !isDumb && !isQuiet ? .bar : .none
    }
  }

  /// Shows an event of the run.
  func show(_ event: RunEvent) {
    switch style {
    case .json:
      if let members = ProgressLine.members(of: event, shouldShow: isDue) {
        Messages.object(members)
      }
    case .none:
      if case .warning(let step, let message) = event { warn(step, message) }
    case .bar:
      switch event {
      case .warning(let step, let message):
        clear()
        warn(step, message)
      case .progress(let progress): draw(progress)
      default: break
      }
    }
  }

  /// Removes the bar.
  func clear() {
    state.withLock { state in
      guard state.isDrawn else { return }
      state.isDrawn = false
      try? StandardStream.errors.write("\r\u{1B}[K")
    }
  }

  private func warn(_ step: RunStep, _ message: String) {
    let name = step.name == "-" ? StandardStream.output.name : step.name
    Messages.warn(ProgressLine.warning(of: name, message))
  }

  private func draw(_ progress: RunProgress) {
    // A short run needs no bar.
    guard progress.elapsed > 0.3, isDue(progress) else { return }
    let left = state.withLock { $0.smoothing.secondsLeft(progress) }
    let line = ProgressLine.bar(progress, left: left, width: Self.terminalSize.columns - 1)
    state.withLock { state in
      state.isDrawn = true
      try? StandardStream.errors.write("\r\(line)\u{1B}[K")
    }
  }

  /// Whether the next line is due: ten lines a second, and one for each step.
  private func isDue(_ progress: RunProgress) -> Bool {
    state.withLock { state in
      guard progress.elapsed - state.lastDrawn >= 0.1 || progress.step.index != state.lastStep
      else { return false }
      state.lastDrawn = progress.elapsed
      state.lastStep = progress.step.index
      return true
    }
  }

  static var terminalSize: (columns: Int, rows: Int) {
    var size = winsize()
    guard unsafe ioctl(STDERR_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 20,
      size.ws_row > 0
    else { return (80, 24) }
    return (Int(size.ws_col), Int(size.ws_row))
  }
}

/// The lines that show a run's progress.
enum ProgressLine {
  /// A warning with the step's name, which a reader's warning may begin with itself, even without the folder.
  static func warning(of name: String, _ message: String) -> String {
    if message.hasPrefix(name + ":") { return message }
    let file = FileSystem.name(of: name)
    guard message.hasPrefix(file + ":") else { return "\(name): \(message)" }
    return name + message.dropFirst(file.count)
  }

  /// A bar with percentage, step and remaining time.
  ///
  /// - Parameter left: The remaining seconds, if known better than from the progress.
  static func bar(_ progress: RunProgress, left: Double? = nil, width: Int) -> String {
    let percent = "\(Int(min(1, max(0, progress.overall)) * 100))%"
    let left = (left ?? progress.secondsLeft).map { "  \(TextLayout.duration($0)) left" } ?? ""
    let margin = String(repeating: " ", count: max(0, 4 - percent.count))
    let head = "\(cells(progress.overall)) \(margin)\(percent)  "
    let room = max(0, width - head.count - left.count)
    return String(
      (head + String(name(of: progress.step).withoutControlCharacters.prefix(room)) + left).prefix(
        width))
  }

  /// A fraction from 0 to 1 as `[####....]`.
  static func cells(_ fraction: Double) -> String {
    let count = 24
    let filled = Int((min(1, max(0, fraction)) * Double(count)).rounded())
    return "[" + String(repeating: "#", count: filled)
      + String(repeating: ".", count: count - filled) + "]"
  }

  /// The current step, in the user's terms.
  static func name(of step: RunStep) -> String {
    switch step.kind {
    case .read: "reading \(FileSystem.name(of: step.name))"
    case .stage: step.name == step.detail ? step.name : "\(step.name) (\(step.detail))"
    case .write: "writing \(FileSystem.name(of: step.name))"
    case .commit: "putting the outputs in place"
    }
  }

  /// An event as an object of JSON; nil for progress that is not yet due.
  static func members(
    of event: RunEvent, shouldShow: (RunProgress) -> Bool
  ) -> [JSONValue.Member]? {
    var members: [JSONValue.Member] = []
    func add(_ key: String, _ value: JSONValue) { members.append(.init(key, value)) }
    func add(_ step: RunStep) {
      add("step", JSONValue(.string(step.kind.rawValue)))
      add("name", JSONValue(.string(step.name)))
    }
    switch event {
    case .progress(let progress):
      guard shouldShow(progress) else { return nil }
      add("event", "progress")
      add(progress.step)
      add("fraction", rounded(progress.fraction))
      add("overall", rounded(progress.overall))
      add("elapsed", rounded(progress.elapsed))
      if let left = progress.secondsLeft { add("left", rounded(left)) }
    case .warning(let step, let message):
      add("event", "warning")
      add(step)
      add("message", JSONValue(.string(message)))
    case .inputRead(let input):
      add("event", "read")
      add("name", JSONValue(.string(input.path)))
      add(input.counts)
    case .stageDone(let stage):
      add("event", "stage")
      add("name", JSONValue(.string(stage.id)))
      add("outcome", outcome(stage.outcome))
      add(stage.after)
    case .outputWritten(let output):
      add("event", "output")
      add("name", JSONValue(.string(output.path)))
      add("outcome", outcome(output.outcome))
    }
    func add(_ counts: RunReport.Counts) {
      add("faces", JSONValue(.number(Double(counts.faces))))
      add("vertices", JSONValue(.number(Double(counts.vertices))))
      add("points", JSONValue(.number(Double(counts.points))))
    }
    return members
  }

  private static func outcome(_ outcome: RunReport.Outcome) -> JSONValue {
    switch outcome {
    case .done: "done"
    case .skipped: "skipped"
    case .failed: "failed"
    }
  }

  /// A number with three decimals.
  static func rounded(_ number: Double) -> JSONValue {
    number.json(digits: 3)
  }
}
