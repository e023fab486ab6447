import MeshpipeBase
import MeshpipeScene

/// The outputs with their formats: the fifth step of a resolution.
///
/// In: the entries of the document or of `-o`, and the stages whose scenes they take. Out: a path, a format and its
/// options for each output that is enabled, in each level on which it depends.
struct OutputPlans {
  let plans: [OutputPlan]
  let findings: Findings

  init(_ use: PipelineUse, input: InputFiles, bindings: Bindings, stages: StagePlans) {
    let targets = OutputTargets(use, bindings, stages)
    var evaluator = Evaluator(use, bindings.values, after: targets.findings)
    let plans = targets.targets.map { target in
      evaluator.within(target.level) { OutputPlan(target, stages.outputSettings, &$0) }
    }
    evaluator.reportUnusedSettings(stages.outputSettings, plans)
    evaluator.checkPaths(of: plans, input.path)
    self.plans = plans
    findings = evaluator.findings
  }

  /// The scenes that outputs take.
  var origins: [SceneOrigin] { plans.flatMap(\.target.origins) }
}

/// An output in a level or once, with what the document says of it.
struct OutputPlan {
  let target: OutputTarget
  /// The path of the main file; nil if it is at fault.
  let path: String?
  let format: FormatWriter?
  /// Nil if a part of it is at fault.
  let output: ResolvedOutput?

  init(_ target: OutputTarget, _ settings: [OptionSetting], _ evaluator: inout Evaluator) {
    self.target = target
    let entry = target.entry
    guard let written = target.path else {
      (path, format, output) = (nil, nil, nil)
      return
    }
    let replacesFile = evaluator.use.replacesOutput(written)
    guard let chosen = evaluator.format(of: target, at: written, replacesFile: replacesFile) else {
      // What else is at fault is reported, too, and variables count as used.
      evaluator.skip(entry.options, at: entry.path["with"])
      if let maximum = entry.maximumBytes { _ = evaluator.bytes(maximum) }
      (path, format, output) = (written, nil, nil)
      return
    }
    let main = written == "-" ? nil : chosen.mainFileName
    let path = main.map { Self.path(ofMainFile: $0, inFolder: written) } ?? written
    if let levels = entry.levels, levels.value == .together, !chosen.holdsLevels {
      evaluator.reportLevels(levels, in: chosen)
    }
    let options = FormatOptions(
      of: target, format: chosen, settings: settings, replacesFile: replacesFile, &evaluator)
    self.path = path
    format = chosen
    var encoder: PrivateTextures.Encoder?
    if let stage = evaluator.use.environment.stages[.limitsTextures] {
      let options = TextureLimit.largest.options
      encoder = { stage.prepared(with: options + [.init("format", $0)]) { _, _, _ in } }
    }
    output = target.origins.last.map { from in
      ResolvedOutput(
        path: path, level: target.level, format: chosen, options: options.members, from: from,
        otherLevels: Array(target.origins.dropLast()), up: target.up, when: target.when,
        isOptional: entry.isOptional, loses: entry.loses, limit: options.limit,
        textureEncoder: encoder, hasAxisWarning: false, note: target.note)
    }
  }

  /// The main file of a format that fills a folder, if the path is not already that of the file.
  private static func path(ofMainFile name: String, inFolder path: String) -> String {
    if FileSystem.name(of: path) == name { return path }
    return path.hasSuffix("/") ? path + name : "\(path)/\(name)"
  }
}

extension Evaluator {
  /// The format of an output.
  fileprivate mutating func format(
    of target: OutputTarget, at path: String, replacesFile: Bool
  ) -> FormatWriter? {
    let formats = use.environment.formats
    if let id = use.request.outputFormat {
      if let format = formats.writer(id: id) { return format }
      let hint = nameHint(id, among: formats.writableIDs)
      findings.add(.usage("unknown output format '\(id)'" + hint, exitCode: .unavailable))
    } else if let written = target.entry.format, !replacesFile || fileExtension(of: path).isEmpty {
      guard let id = text(written) else { return nil }
      if let format = formats.writer(id: id) { return format }
      report(
        "unknown format '\(id)'" + nameHint(id, among: formats.writableIDs), at: written,
        exitCode: .unavailable)
    } else {
      if let format = formats.writer(forPath: path) { return format }
      let problem = use.problem(withExtensionOf: path)
      if replacesFile {
        findings.add(.usage(problem, of: "-o \(path.shellQuoted)", exitCode: .unavailable))
      } else {
        report(problem, at: target.location, exitCode: .unavailable)
      }
    }
    return nil
  }

  fileprivate mutating func reportLevels(
    _ written: PipelineDocument.Located<PipelineDocument.OutputLevels>, in format: FormatWriter
  ) {
    let others = use.environment.formats.writers.filter(\.holdsLevels).map(\.id)
    report(
      "\(format.name) can't hold several levels; write them apart, with '${level}' in the path, or to "
        + others.joined(separator: ", "), at: written)
  }

  /// Reports the settings that no output took.
  fileprivate mutating func reportUnusedSettings(_ settings: [OptionSetting], _ plans: [OutputPlan])
  {
    // A missing output and one without a format were reported.
    let outputs = plans.compactMap { plan in plan.format.map { ($0, plan.target.level) } }
    guard !outputs.isEmpty, outputs.count == plans.count else { return }
    for unused in settings
    where !outputs.contains(where: { unused.applies(to: $0, in: $1) }) {
      if let format = unused.format {
        let level = unused.level.map { " of the level '\($0)'" } ?? ""
        report("no output\(level) has the format '\(format)'", at: unused)
      } else {
        let hint = use.environment.formats.ids(ofWritersWith: unused.option).map {
          "; formats that have it: \($0)"
        }
        report("no stage or output has the option '\(unused.option)'" + (hint ?? ""), at: unused)
      }
    }
  }

  // MARK: Collisions

  /// Reports outputs that would overwrite the input or one another, that can't have their names, or that leave the
  /// output folder.
  fileprivate mutating func checkPaths(of plans: [OutputPlan], _ input: String?) {
    let input = input.map(FileSystem.comparablePath)
    var paths: Set<String> = []
    for plan in plans {
      guard let path = plan.path, path != "-" else { continue }
      let location = plan.target.location
      within(plan.target.level) { evaluator in
        let comparable = FileSystem.comparablePath(path)
        if comparable == input {
          evaluator.report(
            "the output '\(path)' would overwrite the input", at: location, exitCode: .cannotCreate)
        }
        if !paths.insert(comparable).inserted {
          evaluator.report("two outputs are written to '\(path)'", at: location)
        }
        evaluator.checkName(of: path, at: location)
        evaluator.checkClimbing(plan.target.entry.file)
      }
    }
  }

  private mutating func checkName(of path: String, at location: DocumentLocation) {
    // On every common volume.
    let maximum = 255
    let count = FileSystem.name(of: path).utf8.count
    guard count > maximum else { return }
    report(
      "the name of the output has \(count) bytes, but the maximum of a file's name is \(maximum)",
      at: location, exitCode: .cannotCreate)
  }

  /// Reports an output of a pipeline file that leaves the output folder, which the user of someone
  /// else's pipeline does not expect.
  private mutating func checkClimbing(_ file: WrittenText?) {
    guard use.document.source.file != nil, !use.document.outputs.isEmpty, let file,
      file.position.line > 0, Self.climbs(file.value)
    else { return }
    switch use.request.climbing {
    case .allowed: break
    case .warned:
      warn(
        "the path leaves the output folder, for which 'run' needs --allow-external",
        at: file)
    case .refused:
      report(
        "the path leaves the output folder; --allow-external allows it", at: file,
        exitCode: .cannotCreate)
    }
  }

  /// Whether a path is absolute, or goes up more folders than down at any point.
  private static func climbs(_ path: String) -> Bool {
    if path.hasPrefix("/") { return true }
    var depth = 0
    for part in path.split(separator: "/") where part != "." {
      depth += part == ".." ? -1 : 1
      if depth < 0 { return true }
    }
    return false
  }
}

extension PipelineUse {
  /// Why the path of an output gives no format.
  fileprivate func problem(withExtensionOf path: String) -> String {
    let formats = environment.formats
    if path == "-" {
      return "standard output has no extension; give the format with --output-format"
    }
    if path.hasSuffix("/") {
      return
        "a folder does not specify a name and a format; give for example '\(path)${stem}.\(formats.exampleExtension)'"
    }
    let name = fileExtension(of: path)
    if name.isEmpty {
      return "the extension of '\(path)' does not specify a format; add one or give 'format'"
    }
    let known = formats.formats.filter { $0.writer != nil }.flatMap(\.extensions)
    return "no format writes '.\(name)'"
      + (nearestName(to: name, in: known).map { "; did you mean '.\($0)'?" }
        ?? "; `meshpipe formats` lists what can be written")
  }
}

extension FileSystem {
  /// A canonical form of a path for comparison, whether or not the file exists.
  fileprivate static func comparablePath(_ path: String) -> String {
    if let canonical = canonicalPath(of: path) { return canonical }
    let folder = folder(of: path)
    if let canonical = canonicalPath(of: folder) { return canonical + "/" + name(of: path) }
    return absolutePath(of: path)
  }
}
