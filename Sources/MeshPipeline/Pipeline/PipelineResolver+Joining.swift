import MeshpipeBase
import MeshpipeScene

extension PipelineResolver {
  /// Finds the scans to merge with the input, and those with ids: of the pipeline file, then of the request.
  mutating func resolveJoinedInputs() {
    for entry in document.inputs {
      guard let input = joinedInput(entry) else { continue }
      guard let id = entry.id else {
        joinedInputs.append(input)
        continue
      }
      if otherInputs.contains(where: { $0.id == id.value }) {
        report("the id '\(id.value)' is already taken by an input", at: id.position, id.path)
        continue
      }
      otherInputs.append(input)
    }
    for scan in request.joined { join(scan) }
  }

  /// A further scan given by the user.
  private mutating func join(_ scan: PipelineRequest.JoinedScan) {
    var path = scan.path
    if (try? FileSystem.status(of: path))?.isFolder == true {
      // Of a capture only the mesh: frames of several captures can't be combined.
      guard let mesh = (try? environment.captures.find(path))?.meshPath else {
        return reportArgument("the folder contains no scan", file: path, exitCode: .data)
      }
      path = mesh
    }
    let format =
      scan.formatID.map { environment.formats.reader(id: $0) }
      ?? environment.formats.reader(ofFile: path)
    guard let format else {
      return reportArgument(
        "no format reads it; `meshpipe formats` lists what can be read", file: path,
        exitCode: .unavailable)
    }
    var input = JoinedInput(path: path, format: format, reading: scan.reading)
    guard let id = scan.id else { return joinedInputs.append(input) }
    input.id = id
    // As with variables, an argument replaces what the file says.
    if let place = otherInputs.firstIndex(where: { $0.id == id }) {
      otherInputs[place] = input
    } else {
      otherInputs.append(input)
    }
  }

  private mutating func joinedInput(_ entry: PipelineDocument.InputEntry) -> JoinedInput? {
    guard let file = entry.file,
      var path = substitute(text: file.value, at: file.position, file.path)
    else { return nil }
    // A plain path is relative to the pipeline file, one with ${dir} to the scan.
    if !file.value.hasPrefix("${\(BuiltInVariable.dir.rawValue)}") {
      path = pathBesidePipeline(path, namedAt: file.position)
    }
    guard let format = environment.formats.reader(ofFile: path) else {
      report(
        "no format reads '\(path)'; `meshpipe formats` lists what can be read", at: file.position,
        file.path, exitCode: .unavailable)
      return nil
    }
    var input = JoinedInput(path: path, format: format, id: entry.id?.value)
    input.name = entry.name.flatMap { substitute(text: $0.value, at: $0.position, $0.path) }
    input.reading.up = entry.up.flatMap { choice($0, SignedAxis.init(rawValue:)) }
    input.reading.metersPerUnit = entry.unit.flatMap { choice($0) { Length.units[$0] } }
    input.reading.classes = entry.classes.flatMap { classScheme($0) }
    if let transform = entry.transform { place(&input, by: transform, at: entry) }
    return input
  }

  /// One of a few words; an unknown one is reported.
  private mutating func choice<Value>(
    _ text: PipelineDocument.Located<String>, _ value: (String) -> Value?
  ) -> Value? {
    guard let word = substitute(text: text.value, at: text.position, text.path) else { return nil }
    if let value = value(word) { return value }
    report("'\(word)' is not one of the allowed words", at: text.position, text.path)
    return nil
  }

  /// A path relative to the pipeline file that names it.
  private func pathBesidePipeline(_ path: String, namedAt position: SourcePosition) -> String {
    guard !path.hasPrefix("/"), let pipeline = source.locate(position).file.nonEmpty else {
      return path
    }
    return FileSystem.path(of: path, beside: pipeline)
  }

  /// A scheme by its word, or the table in a file beside the pipeline.
  private mutating func classScheme(_ text: PipelineDocument.Located<String>) -> ClassScheme? {
    guard let word = substitute(text: text.value, at: text.position, text.path) else { return nil }
    if let scheme = ClassScheme(named: word) { return scheme }
    do {
      return try ClassScheme(wordOrFile: pathBesidePipeline(word, namedAt: text.position))
    } catch {
      report(error.userMessage, at: text.position, text.path)
      return nil
    }
  }

  private mutating func place(
    _ input: inout JoinedInput, by members: [JSONValue.Member],
    at entry: PipelineDocument.InputEntry
  ) {
    let path = entry.path["transform"]
    guard let definition = environment.stages[.placesInputs] else { return }
    guard
      let options = resolve(
        options: members, of: "'transform' of an input", declared: definition.parameters, at: path,
        owner: entry.position)
    else { return }
    var faults: [(name: String?, position: SourcePosition, message: String)] = []
    input.placement = definition.prepared(with: options) { faults.append(($0, $1, $2)) }
    input.transform = options
    report(faults, of: "'transform' of an input", options, path, owner: entry.position)
  }
}

extension String {
  fileprivate var nonEmpty: String? { isEmpty ? nil : self }
}
