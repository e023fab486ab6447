import MeshPipeline

/// What a manifest says of how the bundle was recorded, in `recipe`, and of what was measured, in `summary` or `qc`.
struct FramesBundleRecipe {
  private(set) var recipe = Capture.Recipe()
  private let path: String
  private let moments: [Moment]

  private static let mostSteps = 1000

  /// A frame with a time.
  private struct Moment {
    let number: Int
    let time: Double
  }

  /// A step as written.
  private struct Entry {
    enum Span {
      case times(ClosedRange<Double>)
      case frames(ClosedRange<Int>)
    }
    let name: String
    let span: Span
    let position: SourcePosition
  }

  /// - Returns: Nil if the manifest says neither.
  init?(_ manifest: JSONValue, path: String, _ records: [FramesBundleRecord]) {
    self.path = path
    moments = records.compactMap { record in
      record.finiteTimestamp.map { Moment(number: record.number, time: $0) }
    }
    for key in ["summary", "qc"] { readClaims(manifest[key], key) }
    if let json = manifest["recipe"] { readRecipe(json) }
    if recipe == Capture.Recipe() { return nil }
  }

  private mutating func report(_ fault: String, at position: SourcePosition) {
    recipe.faults.append("\(place(position)): \(fault)")
  }

  private func place(_ position: SourcePosition) -> String {
    "\(path):\(position.line):\(position.column)"
  }

  // MARK: Steps

  private mutating func readRecipe(_ json: JSONValue) {
    // A text is the recipe's name alone.
    if json.text != nil { return }
    guard case .object = json.content else {
      return report("'recipe' is \(json.kindDescription), not an object", at: json.position)
    }
    let list = json["steps"] ?? JSONValue(.array([]), at: json.position)
    guard case .array(let elements) = list.content else {
      return report("'recipe.steps' is \(list.kindDescription), not an array", at: list.position)
    }
    guard isPossible(elements.count, of: "steps", at: list.position) else { return }
    var entries: [Entry] = []
    for element in elements {
      guard let entry = entry(element) else { continue }
      if entries.contains(where: { $0.name == entry.name }) {
        report("the recipe has two steps '\(entry.name)'", at: entry.position)
      } else {
        entries.append(entry)
      }
    }
    recipe.steps = steps(entries)
    let names = elements.compactMap { $0["name"]?.text }
    recipe.background = stepNames(of: "background", in: json, among: names)
    recipe.hidden = stepNames(of: "hidden", in: json, among: names)
  }

  /// Whether a list of steps has as many as a recording may have; more is reported.
  private mutating func isPossible(_ count: Int, of key: String, at place: SourcePosition) -> Bool {
    if count <= Self.mostSteps { return true }
    report(
      "'recipe.\(key)' has \(NumberText.grouped(count)) steps, more than "
        + NumberText.grouped(Self.mostSteps), at: place)
    return false
  }

  private mutating func entry(_ json: JSONValue) -> Entry? {
    guard let name = json["name"]?.text, !name.isEmpty else {
      report("a step of the recipe has no name", at: json.position)
      return nil
    }
    func range<Bound>(_ start: Bound?, _ end: Bound?) -> ClosedRange<Bound>? {
      guard let start, let end, start <= end else { return nil }
      return start...end
    }
    if let times = range(json["start"]?.number, json["end"]?.number) {
      return Entry(name: name, span: .times(times), position: json.position)
    }
    if let numbers = range(json["first_frame"]?.wholeNumber, json["last_frame"]?.wholeNumber) {
      return Entry(name: name, span: .frames(numbers), position: json.position)
    }
    report(
      "the step '\(name)' has neither 'start' and 'end' in seconds, nor 'first_frame' and 'last_frame', in this order",
      at: json.position)
    return nil
  }

  /// The steps that have frames; others are reported.
  private mutating func steps(_ entries: [Entry]) -> [Capture.Recipe.Step] {
    let start = moments.map(\.time).min() ?? 0
    let end = moments.map(\.time).max() ?? 0
    func filled(_ offset: Double) -> Int {
      entries.count { entry in
        guard case .times(let times) = entry.span else { return false }
        return moments.contains { times.contains($0.time - offset) }
      }
    }
    // On the clock of the frames only if more steps have frames then.
    let offset = filled(0) > filled(start) ? 0 : start
    return entries.compactMap { entry in
      let times: ClosedRange<Double>?
      switch entry.span {
      case .times(let span): times = span.lowerBound + offset...span.upperBound + offset
      case .frames(let numbers):
        let found = moments.filter { numbers.contains($0.number) }.map(\.time)
        times = found.min().flatMap { low in found.max().map { low...$0 } }
      }
      guard let times, moments.contains(where: { times.contains($0.time) }) else {
        let length = NumberText.fixed(end - start, digits: 1)
        report(
          "the step '\(entry.name)' has no frame with a time; the recording lasts \(length) s and has "
            + "\(NumberText.grouped(moments.count)) of them", at: entry.position)
        return nil
      }
      return Capture.Recipe.Step(name: entry.name, times: times)
    }
  }

  /// The steps of a kind: those that the recipe names for it, else that of its name.
  private mutating func stepNames(
    of kind: String, in json: JSONValue, among names: [String]
  ) -> [String] {
    guard let told = json[kind] else { return names.contains(kind) ? [kind] : [] }
    let elements = told.text == nil ? told.elements : [told]
    if elements.isEmpty {
      report("'recipe.\(kind)' is not the name of a step", at: told.position)
    }
    guard isPossible(elements.count, of: kind, at: told.position) else { return [] }
    return elements.compactMap { element in
      guard let name = element.text, names.contains(name) else {
        let word = element.text.map { "'\($0)'" } ?? element.kindDescription
        let hint = element.text.flatMap { nearestName(to: $0, in: names) }
        report(
          "'recipe.\(kind)' names the step \(word), which 'recipe.steps' does not have"
            + (hint.map { "; did you mean '\($0)'?" }
              ?? (names.isEmpty
                ? "" : "; it has \(names.map { "'\($0)'" }.joined(separator: ", "))")),
          at: element.position)
        return nil
      }
      return name
    }
  }

  // MARK: Claims

  private mutating func readClaims(_ json: JSONValue?, _ key: String) {
    guard let json else { return }
    for subject in Capture.Recipe.Claim.Subject.allCases {
      guard let told = json[subject.rawValue] else { continue }
      let value: Double? =
        switch told.content {
        case .bool(let isTrue): subject == .passed ? (isTrue ? 1 : 0) : nil
        case .number(let number): subject == .passed ? nil : number
        default: nil
        }
      guard let value else {
        report(
          "'\(key).\(subject.rawValue)' is \(told.kindDescription), not "
            + (subject == .passed ? "true or false" : "a number"), at: told.position)
        continue
      }
      recipe.claims.append(.init(subject, value: value, place: place(told.position)))
    }
  }
}
