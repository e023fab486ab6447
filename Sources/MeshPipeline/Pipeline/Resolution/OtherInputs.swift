import MeshpipeBase
import MeshpipeScene

/// The scans besides the input: the third step of a resolution.
///
/// In: the entries of the document and the scans of the request. Out: those to merge with the input, and those to which
/// stages refer.
struct OtherInputs {
  /// The scans to merge with the input.
  let joined: [JoinedInput]
  /// The scans with ids.
  let named: [JoinedInput]
  let findings: Findings

  init(_ use: PipelineUse, _ bindings: Bindings) {
    var evaluator = Evaluator(use, bindings.values, after: bindings.findings)
    var inputs: [JoinedInput] = []
    for entry in use.document.inputs {
      guard let input = evaluator.input(entry) else { continue }
      if let id = entry.id, inputs.contains(where: { $0.id == id.value }) {
        evaluator.report("the id '\(id.value)' is already taken by an input", at: id)
      } else {
        inputs.append(input)
      }
    }
    for scan in use.request.joined {
      guard let input = use.input(scan, &evaluator.findings) else { continue }
      // As with variables, an argument replaces what the file says.
      if let id = scan.id, let index = inputs.firstIndex(where: { $0.id == id }) {
        inputs[index] = input
      } else {
        inputs.append(input)
      }
    }
    joined = inputs.filter { $0.id == nil }
    named = inputs.filter { $0.id != nil }
    findings = evaluator.findings
  }
}

extension PipelineUse {
  /// A further scan given by the user.
  fileprivate func input(
    _ scan: PipelineRequest.JoinedScan, _ findings: inout Findings
  ) -> JoinedInput? {
    var path = scan.path
    if FileSystem.isFolder(path) {
      // Of a capture only the mesh: frames of several captures can't be combined.
      guard let mesh = (try? environment.captures.find(path))?.meshPath else {
        findings.add(.usage("the folder contains no scan", of: path, exitCode: .data))
        return nil
      }
      path = mesh
    }
    let format =
      scan.formatID.map { environment.formats.reader(id: $0) }
      ?? environment.formats.reader(ofFile: path)
    guard let format else {
      let problem = "no format reads it; `meshpipe formats` lists what can be read"
      findings.add(.usage(problem, of: path, exitCode: .unavailable))
      return nil
    }
    return JoinedInput(
      path: path, format: format, id: scan.id, reading: scan.reading,
      alignment: scan.isAligned ? environment.alignment : nil)
  }
}

extension Evaluator {
  fileprivate mutating func input(_ entry: PipelineDocument.InputEntry) -> JoinedInput? {
    guard let file = entry.file, var path = text(file) else { return nil }
    // A plain path is relative to the pipeline file, one with ${dir} to the scan.
    if !file.value.hasPrefix("${\(BuiltInVariable.dir.rawValue)}") {
      path = pathBesideDocument(path, namedAt: file.position)
    }
    guard let format = use.environment.formats.reader(ofFile: path) else {
      report(
        "no format reads '\(path)'; `meshpipe formats` lists what can be read", at: file,
        exitCode: .unavailable)
      return nil
    }
    var input = JoinedInput(path: path, format: format, id: entry.id?.value)
    input.name = text(entry.name)
    input.reading.up = choice(entry.up, SignedAxis.init(rawValue:))
    input.reading.metersPerUnit = choice(entry.unit) { Length.units[$0] }
    input.reading.classes = classScheme(entry.classes)
    if entry.isAligned { align(&input, entry) }
    if let members = entry.transform { place(&input, by: members, at: entry) }
    return input
  }

  /// One of a few words; an unknown one is reported.
  private mutating func choice<Value>(
    _ written: WrittenText?, _ value: (String) -> Value?
  ) -> Value? {
    guard let written, let word = text(written) else { return nil }
    if let value = value(word) { return value }
    report("'\(word)' is not one of the allowed words", at: written)
    return nil
  }

  /// A scheme by its word, or the table in a file beside the pipeline.
  private mutating func classScheme(_ written: WrittenText?) -> ClassScheme? {
    guard let written, let word = text(written) else { return nil }
    if let scheme = ClassScheme(named: word) { return scheme }
    do {
      return try ClassScheme(wordOrFile: pathBesideDocument(word, namedAt: written.position))
    } catch {
      report(error.userMessage, at: written)
      return nil
    }
  }

  private mutating func align(_ input: inout JoinedInput, _ entry: PipelineDocument.InputEntry) {
    if let id = entry.id {
      report(
        "an input with an id is not merged, so it can't be 'aligned'; remove its 'id'",
        at: id)
    } else {
      input.alignment = use.environment.alignment
    }
  }

  private mutating func place(
    _ input: inout JoinedInput, by members: [JSONValue.Member],
    at entry: PipelineDocument.InputEntry
  ) {
    guard let definition = use.environment.stages[.placesInputs] else { return }
    var owner = OptionOwner(
      name: "'transform' of an input", declarations: definition.parameters,
      position: entry.position, path: entry.path["transform"])
    guard let options = options(renamed(members, of: &owner), of: owner) else { return }
    input.placement = prepare(options, of: owner) { definition.prepared(with: $0, report: $1) }
    input.transform = options
  }
}
