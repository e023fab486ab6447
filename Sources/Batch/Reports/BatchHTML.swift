import MeshPipeline

/// The report of a batch as a self-contained HTML page.
///
/// Failures come first, then warnings. Images are embedded up to a total size; then they are links
/// to the files next to the journal.
struct BatchHTML {
  /// The maximum total size of embedded images in bytes.
  static let inlineLimit = 24_000_000
  /// The number of cards that a browser shows without delay.
  static let cardLimit = 5000

  private let report: BatchReport
  private let folder: String
  private let cardLimit: Int
  private var inlineBytes: Int

  /// - Parameter path: The path of the page, to which links are relative.
  init(
    _ report: BatchReport, at path: String, inlineLimit: Int = Self.inlineLimit,
    cardLimit: Int = Self.cardLimit
  ) {
    self.report = report
    self.cardLimit = cardLimit
    folder = FileSystem.canonicalPath(of: FileSystem.folder(of: path)) ?? "/"
    inlineBytes = inlineLimit
  }

  var text: String {
    mutating get {
      let roots = report.batches.map(\.folder.root).joined(separator: ", ")
      return """
        <!doctype html>
        <html lang="en">
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <meta name="generator" content="meshpipe \(meshpipeVersion)">
        <meta http-equiv="Content-Security-Policy" content="default-src 'none'; img-src data: *; \
        style-src 'unsafe-inline'; script-src 'unsafe-inline'">
        <title>\(HTMLText.escaped(roots)) · batch report</title>
        <style>
        \(Self.style)
        </style>
        <header>
        \(head)
        </header>
        <main>
        \(filter)
        <div id="grid">
        \(cards)</div>
        <p id="none" hidden>No matches.</p>
        </main>
        <script>
        \(Self.script)
        </script>
        </html>

        """
    }
  }

  // MARK: The head

  private var head: String {
    let counts = report.counts
    var states: [(name: String, count: Int)] = [
      ("done", counts.done), ("failed", counts.failed), ("temporary", counts.temporary),
    ]
    if let due = report.due { states.append(("due", due)) }
    let total = max(1, states.reduce(0) { $0 + $1.count })
    var text = report.batches.map(Self.title).joined()
    text += "<dl class=\"tiles\">\n"
    for (name, count) in states where count > 0 || name == "done" || name == "failed" {
      text += Self.tile(name, NumberText.grouped(count), kind: name)
    }
    for (name, value) in facts { text += Self.tile(name, value) }
    text += "</dl>\n<div class=\"bar\" aria-hidden=\"true\">"
    for (name, count) in states where count > 0 {
      let share = NumberText.fixed(100 * Double(count) / Double(total), digits: 3)
      text += "<i class=\"\(name)\" style=\"width:\(share)%\"></i>"
    }
    return text + "</div>\n" + causes
  }

  private static func title(of batch: BatchStatus) -> String {
    var facts = [batch.activity.rawValue]
    if let run = batch.runs.last {
      facts.append("meshpipe \(run.version)")
      facts.append("began \(UTC.text(of: run.time)) on \(run.host)")
      if !run.pipeline.isEmpty { facts.append("pipeline \(run.pipeline.prefix(12))") }
    }
    if batch.parts.count > 1 { facts.append("\(batch.parts.count) shards") }
    if batch.damagedLines > 0 { facts.append("\(batch.damagedLines) damaged lines in the journal") }
    let command = (batch.runs.last?.arguments ?? []).joined(separator: " ")
    var text = "<h1><bdi>\(HTMLText.escaped(batch.folder.root))</bdi></h1>\n"
    text += "<p class=\"run\">\(HTMLText.escaped(facts.joined(separator: " · ")))</p>\n"
    if !command.isEmpty {
      text += "<p class=\"command\"><code>meshpipe \(HTMLText.escaped(command))</code></p>\n"
    }
    return text
  }

  private static func tile(_ name: String, _ value: String, kind: String = "fact") -> String {
    "<div class=\"\(kind)\"><dt>\(name)</dt><dd>\(value)</dd></div>\n"
  }

  private var facts: [(String, String)] {
    let totals = report.totals
    var facts: [(String, String)] = []
    if totals.facesBefore > 0 {
      facts.append(
        ("faces", "\(Self.short(totals.facesBefore)) → \(Self.short(totals.facesAfter))"))
    }
    if totals.bytesRead > 0 {
      facts.append(
        (
          "bytes",
          "\(NumberText.byteCount(totals.bytesRead)) → \(NumberText.byteCount(totals.bytesWritten))"
        ))
    }
    facts.append(("work", Self.duration(totals.seconds)))
    if totals.peakMemory > 0 {
      facts.append(("largest memory", NumberText.byteCount(totals.peakMemory)))
    }
    return facts
  }

  private var causes: String {
    let causes = report.causes
    guard !causes.isEmpty else { return "" }
    var text = "<table>\n<thead><tr><th>items<th>exit<th>cause<th>for example</thead>\n"
    for cause in causes.prefix(20) {
      let example = cause.exampleMessage.isEmpty ? cause.example : cause.exampleMessage
      text += "<tr><td>\(NumberText.grouped(cause.count))"
      text += "<td><span title=\"\(cause.exitCode.failureKind)\">\(cause.exitCode.rawValue)</span>"
      text += "<td>\(HTMLText.escaped(cause.text))"
      text += "<td><bdi>\(HTMLText.escaped(example))</bdi>\n"
    }
    text += "</table>\n"
    if causes.count > 20 {
      let rest = causes.dropFirst(20).reduce(0) { $0 + $1.count }
      text +=
        "<p>\(NumberText.grouped(rest)) more failed for \(causes.count - 20) other causes.</p>\n"
    }
    return text
  }

  // MARK: The cards

  private var filter: String {
    let counts = report.counts
    let choices = [
      ("all", counts.all), ("failed", counts.failed), ("temporary", counts.temporary),
      ("warned", counts.warned), ("done", counts.done),
    ]
    var text = "<form id=\"filter\">\n"
    for (name, count) in choices where count > 0 || name == "all" {
      text += "<label><input type=\"radio\" name=\"state\" value=\"\(name)\""
      text += name == "all" ? " checked>" : ">"
      text += "<span>\(name == "warned" ? "with warnings" : name) "
      text += "<b>\(NumberText.grouped(count))</b></span></label>\n"
    }
    return text
      + "<input type=\"search\" name=\"text\" placeholder=\"name, error or warning\" "
      + "aria-label=\"text\">\n</form>"
  }

  private var cards: String {
    mutating get {
      var items = report.batches.flatMap { batch in
        batch.entries.map { (folder: batch.folder, entry: $0, rank: Self.rank(of: $0)) }
      }
      let order = items.indices.sorted { left, right in
        let (a, b) = (items[left], items[right])
        return (a.rank, a.entry.item, left) < (b.rank, b.entry.item, right)
      }
      items = order.map { items[$0] }
      var text = ""
      for item in items.prefix(cardLimit) { text += card(of: item.entry, in: item.folder) }
      if items.count > cardLimit {
        text +=
          "<p class=\"more\">\(NumberText.grouped(items.count - cardLimit)) more are not shown; "
        text += "a report in JSON lists all.</p>\n"
      }
      return text
    }
  }

  private static func rank(of entry: JournalEntry) -> Int {
    switch entry.state {
    case .failed: 0
    case .temporary: 1
    case .done: entry.warnings.isEmpty ? 3 : 2
    }
  }

  private mutating func card(of entry: JournalEntry, in folder: BatchFolder) -> String {
    let isWarned = entry.state == .done && !entry.warnings.isEmpty
    var text = "<article class=\"\(entry.state.rawValue)\(isWarned ? " warned" : "")\">\n"
    if entry.state == .done {
      text += picture(of: entry, in: folder)
      text += page(of: entry, in: folder)
    } else {
      let reason = entry.error.isEmpty ? entry.exitCode.failureKind : Self.reason(of: entry)
      text += "<div class=\"error\"><b>exit \(entry.exitCode.rawValue)</b> "
      text += "\(HTMLText.escaped(reason))</div>\n"
    }
    text += Self.name(entry.item)
    text += "<p>\(Self.facts(of: entry).joined(separator: "<br>"))</p>\n"
    if !entry.warnings.isEmpty {
      let count = entry.warnings.count
      text += "<details><summary>\(count) warning\(count == 1 ? "" : "s")</summary><ul>"
      for warning in entry.warnings { text += "<li>\(HTMLText.escaped(warning))" }
      text += "</ul></details>\n"
    }
    return text + "</article>\n"
  }

  /// The name, with its folder separate, and possible line breaks.
  private static func name(_ item: String) -> String {
    let name = item.split(separator: "/", omittingEmptySubsequences: false).last ?? ""
    let folder = HTMLText.escaped(String(item.dropLast(name.count)))
      .split(separator: "/").joined(separator: "/<wbr>")
    let stem = HTMLText.escaped(String(name)).split(
      separator: "_", omittingEmptySubsequences: false)
    return "<h2><bdi><small>\(folder)\(folder.isEmpty ? "" : "/")</small>"
      + "\(stem.joined(separator: "_<wbr>"))</bdi></h2>\n"
  }

  /// The message without the name shown below it: `line 12: …` for `a/room.obj:12: …`.
  private static func reason(of entry: JournalEntry) -> String {
    guard entry.error.hasPrefix(entry.item) else { return entry.error }
    let rest = entry.error.dropFirst(entry.item.count)
    if rest.hasPrefix(": ") { return String(rest.dropFirst(2)) }
    guard rest.hasPrefix(":"), let digit = rest.dropFirst().first, digit.isNumber else {
      return entry.error
    }
    return "line \(rest.dropFirst())"
  }

  private mutating func picture(of entry: JournalEntry, in folder: BatchFolder) -> String {
    let attributes = "width=\"160\" height=\"120\" alt=\"\" loading=\"lazy\" decoding=\"async\""
    guard !entry.thumbnail.isEmpty else { return "<div class=\"picture\">no image</div>\n" }
    let path = "\(folder.path)/\(entry.thumbnail)"
    guard !entry.thumbnail.split(separator: "/").contains(".."),
      let bytes = try? FileSystem.contents(of: path, limit: 1 << 16),
      bytes.starts(with: [0xFF, 0xD8, 0xFF])
    else { return "<div class=\"picture\">image missing</div>\n" }
    if bytes.count <= inlineBytes {
      inlineBytes -= bytes.count
      return "<img \(attributes) src=\"data:image/jpeg;base64,\(URLText.base64(bytes))\">\n"
    }
    let link = Self.relative(FileSystem.canonicalPath(of: path) ?? path, to: self.folder)
    return "<img \(attributes) src=\"\(URLText.path(link))\">\n"
  }

  private func page(of entry: JournalEntry, in folder: BatchFolder) -> String {
    let path = "\(folder.path)/\(entry.page)"
    guard !entry.page.isEmpty, !entry.page.split(separator: "/").contains(".."),
      let file = FileSystem.canonicalPath(of: path)
    else { return "" }
    let link = HTMLText.escaped(URLText.path(Self.relative(file, to: self.folder)))
    return "<p><a href=\"\(link)\">turn and measure</a></p>\n"
  }

  private static func facts(of entry: JournalEntry) -> [String] {
    var facts: [String] = []
    if entry.facesBefore > 0 || entry.facesAfter > 0 {
      let before = NumberText.grouped(entry.facesBefore)
      let after = entry.state == .done ? " → \(NumberText.grouped(entry.facesAfter))" : ""
      facts.append("\(before)\(after) faces")
    }
    let written = entry.outputs.reduce(0.0) { $0 + Double($1.size) }
    let sizes = [
      entry.size > 0 ? NumberText.byteCount(entry.size) : "",
      written > 0 ? NumberText.byteCount(Int(exactly: written) ?? .max) : "",
    ].filter { !$0.isEmpty }
    if !sizes.isEmpty { facts.append(sizes.joined(separator: " → ")) }
    var cost = [RunReport.time(entry.seconds)]
    if entry.peakMemory > 0 { cost.append(NumberText.byteCount(entry.peakMemory)) }
    if entry.attempt > 1 { cost.append("attempt \(entry.attempt)") }
    facts.append(cost.joined(separator: " · "))
    return facts
  }

  // MARK: Texts

  /// A path relative to a folder; both absolute.
  static func relative(_ path: String, to folder: String) -> String {
    let (to, from) = (path.split(separator: "/"), folder.split(separator: "/"))
    let shared = zip(to, from).prefix { $0 == $1 }.count
    let up = Array(repeating: "..", count: from.count - shared)
    return (up + to.dropFirst(shared).map(String.init)).joined(separator: "/")
  }

  /// A count with three digits: `12.3 M`.
  static func short(_ count: Int) -> String {
    guard count >= 100_000 else { return NumberText.grouped(count) }
    var value = Double(count) / 1000
    var unit = "k"
    for next in ["M", "G", "T"] where value >= 999.5 {
      value /= 1000
      unit = next
    }
    return NumberText.fixed(value, digits: value < 99.95 ? 1 : 0) + " \(unit)"
  }

  /// A duration in suitable units: `1 h 12 min`.
  static func duration(_ seconds: Double) -> String {
    guard seconds >= 120, let whole = Int(exactly: seconds.rounded()) else {
      return RunReport.time(seconds)
    }
    if whole < 7200 { return "\(whole / 60) min \(whole % 60) s" }
    return "\(NumberText.grouped(whole / 3600)) h \(whole / 60 % 60) min"
  }
}
