import MeshpipeBase
import MeshpipeScene

/// An output in a level or once: its scene and its path, before its format is known.
struct OutputTarget {
  let entry: OutputEntry
  let level: String?
  /// The scenes of all levels in the file, or the only one; empty if they are at fault.
  let origins: [SceneOrigin]
  /// Nil if it is at fault.
  private(set) var path: String?
  let up: SignedAxis?
  let when: Condition?
  let note: String

  /// Where its path stands, for messages about the output.
  var location: DocumentLocation { entry.file?.location ?? entry.location }

  /// The same output in another file; one whose path is at fault stays so, which was reported.
  func placed(at path: String) -> OutputTarget {
    var target = self
    if target.path != nil { target.path = path }
    return target
  }

  init(_ entry: OutputEntry, _ order: StageOrder, _ evaluator: inout Evaluator) {
    self.entry = entry
    level = evaluator.level
    origins = order.origins(of: entry, &evaluator)
    path = evaluator.path(of: entry)
    up = evaluator.axis(entry.up)
    when = evaluator.condition(entry.when)
    note = evaluator.text(entry.note) ?? ""
  }
}

/// The outputs that are enabled, each where `-o` puts it.
struct OutputTargets {
  let targets: [OutputTarget]
  let findings: Findings

  init(_ use: PipelineUse, _ bindings: Bindings, _ stages: StagePlans) {
    var evaluator = Evaluator(use, bindings.values, after: stages.findings)
    let ofDocument = use.document.outputs
    let entries = ofDocument.isEmpty ? evaluator.outputsOfRequest() : ofDocument
    var targets: [OutputTarget] = []
    for entry in entries {
      for level in evaluator.levels(of: entry, stages.order) {
        evaluator.within(level) { evaluator in
          let isEnabled = evaluator.flag(entry.enabled)
          // Unwritten outputs are checked too, except for their path.
          let target = OutputTarget(entry, stages.order, &evaluator)
          if isEnabled { targets.append(target) }
        }
      }
    }
    self.targets =
      ofDocument.isEmpty ? targets : use.placed(targets, bindings.levels, &evaluator.findings)
    findings = evaluator.findings
  }
}

extension Evaluator {
  /// The outputs made by `-o` for a pipeline that has none of its own.
  fileprivate mutating func outputsOfRequest() -> [OutputEntry] {
    if use.request.output == nil {
      let problem = "the pipeline has no outputs"
      if use.document.source.file == nil {
        findings.add(.usage("\(problem); give one with -o FILE"))
      } else if !use.document.hidesOutputs {
        report(
          "\(problem); add 'outputs' or give one with -o FILE",
          at: DocumentLocation(SourcePosition(line: 1, column: 1)))
      }
      return []
    }
    return use.request.givenOutputs.enumerated().map { index, output in
      let position = findings.location(ofArgument: "-o \(output.shellQuoted)").position
      let path = JSONPath()["outputs"][index]
      var entry = OutputEntry(position: position, path: path)
      entry.file = .init(
        value: output.replacing("${", with: "$${"), position: position, path: path["path"])
      return entry
    }
  }

  // MARK: Levels

  /// The levels for which an output is written; nil for one that is written once.
  fileprivate mutating func levels(of entry: OutputEntry, _ order: StageOrder) -> [String?] {
    if entry.levels?.value == .together { return [nil] }
    let source =
      entry.from.map { order.ids.indices[$0.value] } ?? order.ids.ofStages.indices.last
    guard source.map(order.isLevelled) == true || values.vary(in: entry.texts) else { return [nil] }
    let running = order.runningLevels
    // The levels of a file must differ even if only one of them runs now.
    let all = use.document.outputs.isEmpty ? running : use.document.levels.map(\.name)
    return haveOwnPaths(entry, in: all) ? running : Array(running.prefix(1))
  }

  /// Whether every level has its own path for an output; otherwise that is reported.
  private mutating func haveOwnPaths(_ entry: OutputEntry, in levels: [String]) -> Bool {
    guard let file = entry.file else { return true }
    // What is at fault is reported when the output is planned.
    var trial = self
    var names: [String: String] = [:]
    for level in levels {
      let path = trial.within(level) { $0.flag(entry.enabled) ? $0.text(file) : nil }
      guard let path, let other = names.updateValue(level, forKey: path) else { continue }
      report(
        "the levels '\(other)' and '\(level)' would write the same file; "
          + (use.document.outputs.isEmpty
            ? "choose one with --level, or add 'outputs' with '${level}' in their paths"
            : "add '${level}' to the path"),
        at: file)
      return false
    }
    return true
  }

  // MARK: Paths

  fileprivate mutating func path(of entry: OutputEntry) -> String? {
    guard let file = entry.file else { return nil }
    // A folder given with -o replaces the input's.
    let folder = BuiltInVariable.dir.rawValue
    var template = file.value
    if use.request.output != nil, template.hasPrefix("${\(folder)}/") {
      findings.use(variable: folder)
      template = String(template.dropFirst("${\(folder)}/".count))
    }
    let path = text(template, at: file)
    let isFaulty = path == "" || path?.contains("\0") == true
    if isFaulty {
      let fault = path == "" ? "is empty" : "contains a NUL character"
      report("the path \(fault)", at: file)
    }
    if use.document.source.file != nil { checkSpelling(of: template, at: file) }
    return isFaulty ? nil : path
  }

  /// Warns of placeholders that other programs would replace but this one does not.
  private mutating func checkSpelling(of path: String, at location: some Positioned) {
    if path.hasPrefix("~/") {
      warn("'~' is not expanded here, and becomes part of the name", at: location)
    }
    for name in BuiltInVariable.allCases.map(\.rawValue) + use.document.variables.map(\.name) {
      let rest = path.replacing("${\(name)}", with: "")
      for spelling in ["{\(name)}", "$\(name)"] where rest.contains(spelling) {
        warn(
          "'\(spelling)' is not replaced, and becomes part of the name; the variable is '${\(name)}'",
          at: location)
      }
    }
  }

  fileprivate mutating func axis(_ written: WrittenText?) -> SignedAxis? {
    guard let written, let text = text(written) else { return nil }
    do throws(ParameterFault) {
      try ParameterType.choice(SignedAxis.allCases.map(\.rawValue)).check(JSONValue(.string(text)))
    } catch {
      report(error.message, at: written)
    }
    return SignedAxis(rawValue: text)
  }
}

extension StageOrder {
  /// The scenes of an output, in all levels if it holds them together; none if it is at fault.
  fileprivate func origins(of entry: OutputEntry, _ evaluator: inout Evaluator) -> [SceneOrigin] {
    guard let levels = entry.levels, levels.value == .together else {
      return origin(of: entry, &evaluator).map { [$0] } ?? []
    }
    if evaluator.use.document.levels.isEmpty {
      evaluator.report("the pipeline has no levels", at: levels)
    }
    var origins: [SceneOrigin] = []
    for level in runningLevels {
      let origin = evaluator.within(level) { self.origin(of: entry, &$0) }
      if let origin, !origins.contains(origin) { origins.append(origin) }
    }
    if runningLevels.count > 1, origins.count == 1 {
      evaluator.warn(
        "the scene is the same in all levels, so that the file has one", at: levels)
    }
    return origins
  }

  private func origin(of entry: OutputEntry, _ evaluator: inout Evaluator) -> SceneOrigin? {
    let end = ids.ofStages.count
    if let from = entry.from { return origin(of: from, before: end, &evaluator) }
    return origin(before: end, in: evaluator.level)
  }
}

// MARK: Places given with -o

extension PipelineUse {
  /// Applies `-o`: a folder for any number of outputs, or other files for them.
  ///
  /// With several outputs, a file selects the one with its extension; the others are not written. A file of another
  /// format is like the first, if all are of one scene.
  fileprivate func placed(
    _ targets: [OutputTarget], _ levels: [String], _ findings: inout Findings
  ) -> [OutputTarget] {
    guard let output = request.output else { return targets }
    let given = request.givenOutputs
    // After a mistake the outputs stay as they are, so that it is the only one told.
    func refuse(_ problem: String, _ output: String) -> [OutputTarget] {
      findings.add(.usage(problem, of: "-o \(output.shellQuoted)"))
      return targets
    }
    if given.count > 1, let folder = given.first(where: namesFolder) {
      return refuse(
        "a folder takes all outputs of the pipeline: give only the folder, or only files", folder)
    }
    if namesFolder(output) { return targets.map { $0.placed(inFolder: output) } }
    var placed: [OutputTarget] = []
    for file in given {
      if placed.contains(where: { $0.path == file }) { return refuse("it is given twice", file) }
      guard let chosen = Self.targets(for: file, among: targets) else {
        let names = targets.compactMap(\.path).joined(separator: ", ")
        return refuse(
          "the pipeline has \(targets.count) outputs (\(names)); give a folder, or "
            + (levels.count > 1 ? "one level with --level and " : "")
            + "a file with the extension of one", file)
      }
      placed += chosen.map { $0.placed(at: file) }
    }
    return placed
  }

  private func namesFolder(_ output: String) -> Bool {
    output != "-"
      && (output.hasSuffix("/") || FileSystem.isFolder(output)
        || request.outputFormat == nil && fileExtension(of: output).isEmpty)
  }

  /// The outputs that a file stands for, one at most; nil if it is not clear which.
  private static func targets(for file: String, among targets: [OutputTarget]) -> [OutputTarget]? {
    guard targets.count > 1 else { return targets }
    let name = fileExtension(of: file)
    guard !name.isEmpty else { return nil }
    let namesakes = targets.filter { $0.path.map(fileExtension) == name }
    let areForms = targets.allSatisfy {
      $0.origins == targets[0].origins && $0.level == targets[0].level && $0.origins.count < 2
    }
    if namesakes.isEmpty, areForms { return [targets[0]] }
    return namesakes.count == 1 ? namesakes : nil
  }
}

extension OutputTarget {
  fileprivate func placed(inFolder output: String) -> OutputTarget {
    guard let path else { return self }
    var folder = output[...]
    while folder.hasSuffix("/"), folder.count > 1 { folder = folder.dropLast() }
    let name = path.hasPrefix("/") ? FileSystem.name(of: path) : path
    return placed(at: folder == "/" ? "/\(name)" : "\(folder)/\(name)")
  }
}

extension PipelineDocument {
  /// Whether mistakes hide the outputs, so that their absence can't be reported.
  package var hidesOutputs: Bool {
    diagnostics.contains { diagnostic in
      let isSyntax = diagnostic.path.isEmpty && stages.isEmpty
      return diagnostic.severity == .error
        && (isSyntax || diagnostic.path.elements.first == .key("outputs"))
    }
  }
}

extension PipelineDocument.OutputEntry {
  /// All texts in which variables are replaced.
  fileprivate var texts: [String] {
    [file, format, up, when, note].compactMap { $0?.value }
      + (enabled?.value.texts ?? []) + options.flatMap(\.value.texts)
  }
}
