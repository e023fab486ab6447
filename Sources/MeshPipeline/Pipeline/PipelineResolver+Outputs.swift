import MeshpipeBase
import MeshpipeScene

extension PipelineResolver {
  mutating func resolveOutputs() {
    var entries = document.outputs
    if entries.isEmpty { entries = outputsOfRequest() }
    for entry in entries {
      for name in levels(of: entry) {
        level = name
        let isEnabled = entry.enabled.map { self.isEnabled($0) } ?? true
        // Unwritten outputs are checked too, except for their path.
        let plan = plan(entry)
        if isEnabled { outputs.append(plan) }
      }
      level = nil
    }
    placeOutputs()
    for index in outputs.indices {
      level = outputs[index].level
      resolveFormat(ofOutput: index)
    }
    level = nil
    reportUnusedOutputSettings()
    checkPlaces()
  }

  /// The outputs made by `-o` for a pipeline that has none of its own.
  private mutating func outputsOfRequest() -> [PipelineDocument.OutputEntry] {
    if request.output == nil {
      let problem = "the pipeline has no outputs"
      if document.source.file == nil {
        reportArgument("\(problem); give one with -o FILE")
      } else if !document.hidesOutputs {
        report(
          "\(problem); add 'outputs' or give one with -o FILE",
          at: SourcePosition(line: 1, column: 1), JSONPath())
      }
      return []
    }
    return request.givenOutputs.enumerated().map { index, output in
      let position = source.add(argument: "-o \(output.shellQuoted)")
      let path = JSONPath()["outputs"][index]
      var entry = PipelineDocument.OutputEntry(position: position, path: path)
      entry.file = .init(value: output.escapingVariables, position: position, path: path["path"])
      return entry
    }
  }

  private mutating func plan(_ entry: PipelineDocument.OutputEntry) -> OutputPlan {
    var plan = OutputPlan(entry: entry, level: level)
    if entry.levels?.value == .together {
      plan.otherLevels = originsOfLevels(of: entry)
      plan.from = plan.otherLevels.popLast()
    } else {
      plan.from = origin(of: entry)
    }
    if let file = entry.file {
      // A folder given with -o replaces the input's.
      let inputFolder = "${\(BuiltInVariable.dir.rawValue)}/"
      let replacesFolder = request.output != nil && file.value.hasPrefix(inputFolder)
      if replacesFolder { usedVariables.insert(BuiltInVariable.dir.rawValue) }
      let template = replacesFolder ? String(file.value.dropFirst(inputFolder.count)) : file.value
      plan.path = substitute(text: template, at: file.position, file.path)
      if plan.path == "" || plan.path?.contains("\0") == true {
        let fault = plan.path == "" ? "is empty" : "contains a NUL character"
        report("the path \(fault)", at: file.position, file.path)
        plan.path = nil
      }
      if document.source.file != nil { checkSpelling(of: template, at: file) }
    }
    if let up = entry.up, let text = substitute(text: up.value, at: up.position, up.path) {
      do throws(ParameterFault) {
        try ParameterType.choice(SignedAxis.allCases.map(\.rawValue)).check(
          JSONValue(.string(text)))
        plan.up = SignedAxis(rawValue: text)
      } catch {
        report(error.message, at: up.position, up.path)
      }
    }
    plan.when = entry.when.flatMap { condition($0) }
    plan.note = entry.note.flatMap { substitute(text: $0.value, at: $0.position, $0.path) } ?? ""
    return plan
  }

  /// The scene of an output, in the level where the resolver is.
  mutating func origin(
    of entry: PipelineDocument.OutputEntry
  ) -> ResolvedPipeline.Origin? {
    if let from = entry.from { return resolve(id: from, before: entryIDs.count) }
    return entryIDs.isEmpty ? .input : origin(ofEntry: entryIDs.count - 1)
  }

  /// Warns of placeholders that other programs would replace but this one does not.
  private mutating func checkSpelling(
    of path: String, at file: PipelineDocument.Located<String>
  ) {
    if path.hasPrefix("~/") {
      warn(
        "'~' is not expanded here, and becomes part of the name",
        at: file.position, file.path)
    }
    for name in BuiltInVariable.allCases.map(\.rawValue) + document.variables.map(\.name) {
      let rest = path.replacing("${\(name)}", with: "")
      for spelling in ["{\(name)}", "$\(name)"] where rest.contains(spelling) {
        warn(
          "'\(spelling)' is not replaced, and becomes part of the name; the variable is '${\(name)}'",
          at: file.position, file.path)
      }
    }
  }

  // MARK: Formats

  private mutating func resolveFormat(ofOutput index: Int) {
    let entry = outputs[index].entry
    guard let path = outputs[index].path else { return }
    let replacesFile = request.givenOutputs.contains(path) && !document.outputs.isEmpty
    let ids = environment.formats.writableIDs
    if let id = request.outputFormat {
      outputs[index].format = environment.formats.writer(id: id)
      if outputs[index].format == nil {
        reportArgument(
          "unknown output format '\(id)'" + nameHint(id, among: ids),
          exitCode: .unavailable)
      }
    } else if let format = entry.format, !replacesFile || fileExtension(of: path).isEmpty {
      guard let id = substitute(text: format.value, at: format.position, format.path) else {
        return
      }
      outputs[index].format = environment.formats.writer(id: id)
      if outputs[index].format == nil {
        report(
          "unknown format '\(id)'" + nameHint(id, among: ids),
          at: format.position, format.path, exitCode: .unavailable)
      }
    } else {
      outputs[index].format = environment.formats.writer(forPath: path)
      if outputs[index].format == nil { reportUnknownExtension(path, entry) }
    }
    if let name = outputs[index].format?.mainFileName, path != "-" {
      outputs[index].path = Self.path(ofMainFile: name, inFolder: path)
    }
    if let place = entry.levels, place.value == .together, let format = outputs[index].format,
      !format.holdsLevels
    {
      let others = environment.formats.writers.filter(\.holdsLevels)
      report(
        "\(format.name) can't hold several levels; write them apart, with '${level}' in the path, or to "
          + others.map(\.id).joined(separator: ", "), at: place.position, place.path)
    }
    if replacesFile { dropOptions(ofRenamedOutput: index) }
    applySettings(toOutput: index)
    resolveFormatOptions(ofOutput: index)
    limitBytes(ofOutput: index)
  }

  private mutating func limitBytes(ofOutput index: Int) {
    let entry = outputs[index].entry
    guard let maximum = entry.maximumBytes, let value = substitute(maximum.value, at: maximum.path)
    else { return }
    do throws(ParameterFault) {
      let bytes = try ByteCount(json: value).bytes
      if bytes == 0 { throw ParameterFault("must be at least 1 byte") }
      outputs[index].limit = limit(of: bytes, for: outputs[index])
    } catch {
      report(error.message, at: maximum.position, maximum.path)
    }
  }

  private func limit(of bytes: Int, for output: OutputPlan) -> OutputLimit {
    var limit = OutputLimit(bytes: bytes)
    guard let format = output.format else { return limit }
    let forms = format.smallerForms + format.smallestForms
    // The form that the output has, and those before it, are no smaller.
    let own = forms.lastIndex { form in
      output.options.contains { form[$0.key]?.withoutPositions == $0.value.withoutPositions }
    }
    for (index, form) in forms.enumerated().dropFirst(own.map { $0 + 1 } ?? 0) {
      let members = form.map { JSONValue.Member($0.key, $0.value) }
      guard format.checkOptions(members, report: { _, _, _ in }) == nil else { continue }
      let isUsual = index < format.smallerForms.count
      if members.allSatisfy({ mayChoose($0, for: output.entry, isUsual: isUsual) }) {
        limit.smallerForms.append(form)
      } else {
        limit.otherForms.append(form)
      }
    }
    if format.keeps.contains(.textures), let stage = environment.stages[.limitsTextures] {
      limit.textureLimiter = { stage.prepared(with: $0.options) { _, _, _ in } }
    }
    return limit
  }

  /// Whether an option may have another value than the output's to make it smaller.
  ///
  /// One that is not set may have what all readers know; one that has the default of a variable, any of its choices.
  private func mayChoose(
    _ option: JSONValue.Member, for entry: PipelineDocument.OutputEntry, isUsual: Bool
  ) -> Bool {
    guard let member = entry.options.last(where: { $0.key == option.key }) else { return isUsual }
    guard let name = member.value.text?.wholeVariableName, !givenVariables.contains(name),
      level.flatMap({ givenInLevels[$0]?[name] }) == nil,
      !document.levels.contains(where: { own in
        own.name == level && own.values.contains { $0.key == name }
      }),
      let variable = document.variables.first(where: { $0.name == name })
    else { return false }
    guard let choices = variable.bounds.choices else { return isUsual }
    return choices.contains { $0.withoutPositions == option.value.withoutPositions }
  }

  /// The main file of a format that fills a folder, if the path is not already that of the file.
  private static func path(ofMainFile name: String, inFolder path: String) -> String {
    if FileSystem.name(of: path) == name { return path }
    return path.hasSuffix("/") ? path + name : "\(path)/\(name)"
  }

  private mutating func reportUnknownExtension(
    _ path: String, _ entry: PipelineDocument.OutputEntry
  ) {
    let known = environment.formats.formats.filter { $0.writer != nil }.flatMap(\.extensions)
    let name = fileExtension(of: path)
    let problem =
      path == "-"
      ? "standard output has no extension; give the format with --output-format"
      : path.hasSuffix("/")
        ? "a folder does not specify a name and a format; give for example '\(path)${stem}.\(environment.formats.exampleExtension)'"
        : name.isEmpty
          ? "the extension of '\(path)' does not specify a format; add one or give 'format'"
          : "no format writes '.\(name)'"
            + (nearestName(to: name, in: known).map { "; did you mean '.\($0)'?" }
              ?? "; `meshpipe formats` lists what can be written")
    if request.givenOutputs.contains(path), !document.outputs.isEmpty {
      reportArgument(problem, file: "-o \(path.shellQuoted)", exitCode: .unavailable)
    } else {
      let file = entry.file
      report(
        problem, at: file?.position ?? entry.position, file?.path ?? entry.path,
        exitCode: .unavailable)
    }
  }

  // MARK: Collisions

  private mutating func checkPlaces() {
    var places: [String: Int] = [:]
    let input = inputPath.map { Self.canonical($0) }
    for (index, output) in outputs.enumerated() {
      guard let path = output.path, path != "-" else { continue }
      level = output.level
      let file = output.entry.file
      let position = file?.position ?? output.entry.position
      let jsonPath = file?.path ?? output.entry.path
      let place = Self.canonical(path)
      if let input, place == input {
        report(
          "the output '\(path)' would overwrite the input", at: position, jsonPath,
          exitCode: .cannotCreate)
      }
      if places[place] != nil {
        report("two outputs are written to '\(path)'", at: position, jsonPath)
      }
      places[place] = index
      if FileSystem.name(of: path).utf8.count > Self.longestName {
        report(
          "the name of the output has \(FileSystem.name(of: path).utf8.count) bytes, but the maximum of a file's name "
            + "is \(Self.longestName)", at: position, jsonPath, exitCode: .cannotCreate)
      }
      checkClimbing(output)
    }
    level = nil
  }

  /// On every common volume.
  private static let longestName = 255

  /// Reports an output of a pipeline file that leaves the output folder, which the user of someone
  /// else's pipeline does not expect.
  private mutating func checkClimbing(_ output: OutputPlan) {
    guard document.source.file != nil, !document.outputs.isEmpty, let file = output.entry.file,
      file.position.line > 0, Self.climbs(file.value)
    else { return }
    switch request.climbing {
    case .allowed: break
    case .warned:
      warn(
        "the path leaves the output folder, for which 'run' needs --allow-external",
        at: file.position, file.path)
    case .refused:
      report(
        "the path leaves the output folder; --allow-external allows it", at: file.position,
        file.path, exitCode: .cannotCreate)
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

  /// A canonical form of a path for comparison, whether or not the file exists.
  private static func canonical(_ path: String) -> String {
    if let canonical = FileSystem.canonicalPath(of: path) { return canonical }
    let folder = FileSystem.folder(of: path)
    if let canonical = FileSystem.canonicalPath(of: folder) {
      return canonical + "/" + FileSystem.name(of: path)
    }
    return FileSystem.absolutePath(of: path)
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

extension String {
  /// The text, escaped so that substitution restores it.
  fileprivate var escapingVariables: String {
    var result = ""
    var rest = self[...]
    while let character = rest.first {
      if rest.hasPrefix("${") { result += "$" }
      result.append(character)
      rest = rest.dropFirst()
    }
    return result
  }
}
