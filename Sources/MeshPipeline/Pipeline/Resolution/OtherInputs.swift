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
  /// What is wrong with what a pipeline uses of them.
  let diagnostics: [Diagnostic]

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
    diagnostics = []
  }

  /// What the stages and outputs of a pipeline use of the scans.
  ///
  /// As of the input, frames that no part uses are left out. The frames of a capture that is read already, as that of
  /// several meshes in one folder, are left out as well, and those of a scan to which stages refer.
  init(_ found: OtherInputs, of use: PipelineUse, input: InputFiles, _ companions: CompanionUse) {
    var faults: [Diagnostic] = []
    var known: Set<String?> = []
    if let folder = input.frames?.folder.path {
      known.insert(FileSystem.canonicalPath(of: folder))
    }
    let mayRead = use.request.frames != .none
    func used(_ input: JoinedInput, _ isJoined: Bool) -> JoinedInput {
      var input = input
      guard let folder = input.frames?.folder.path else { return input }
      if input.format == nil {
        if !mayRead {
          faults.append(.usage("the capture has no mesh", of: input.path, exitCode: .data))
        }
      } else if !mayRead || !companions.frames || !isJoined
        || !known.insert(FileSystem.canonicalPath(of: folder)).inserted
      {
        input.frames = nil
      }
      input.frames?.reading = use.request.framesReading
      return input
    }
    joined = found.joined.map { used($0, true) }
    named = found.named.map { used($0, false) }
    findings = found.findings
    diagnostics = faults
  }
}

extension PipelineUse {
  /// A further scan given by the user.
  fileprivate func input(
    _ scan: PipelineRequest.JoinedScan, _ findings: inout Findings
  ) -> JoinedInput? {
    switch files(of: scan.path, formatID: scan.formatID) {
    case .failure(let fault):
      findings.add(.usage(fault.problem, of: scan.path, exitCode: fault.exitCode))
      return nil
    case .success(let files):
      return JoinedInput(
        path: files.path, format: files.format, frames: files.frames,
        title: JoinedInput.title(ofInput: scan.archive ?? scan.path), id: scan.id,
        reading: scan.reading,
        alignment: scan.isAligned ? environment.alignment : nil)
    }
  }

  /// The files of a further scan.
  fileprivate struct ScanFiles {
    var path: String
    var format: FormatReader?
    var frames: FoundCapture?
  }

  /// Why there is no scan at a path.
  fileprivate struct ScanFault: Error {
    var problem: String
    var exitCode: ExitCode
  }

  /// The mesh at a path, and the capture that it is of; of a folder, those of the capture in it.
  fileprivate func files(
    of path: String, formatID: String? = nil
  ) -> Result<ScanFiles, ScanFault> {
    var files = ScanFiles(path: path)
    if FileSystem.isFolder(path) {
      guard let capture = try? environment.captures.find(path) else {
        return .failure(ScanFault(problem: "the folder contains no scan", exitCode: .data))
      }
      files.frames = capture
      files.path = capture.meshPath ?? capture.folder.path
      if capture.meshPath == nil { return .success(files) }
    } else {
      var capture = environment.captures.find(besideMesh: path)
      let isOwn = capture?.isOwnMesh(path) == true
      capture?.isNamed = isOwn
      files.frames = capture
    }
    files.format =
      formatID.map { environment.formats.reader(id: $0) }
      ?? environment.formats.reader(ofFile: files.path)
    guard files.format != nil else {
      let problem = "no format reads it; `meshpipe formats` lists what can be read"
      return .failure(ScanFault(problem: problem, exitCode: .unavailable))
    }
    return .success(files)
  }
}

extension Evaluator {
  fileprivate mutating func input(_ entry: PipelineDocument.InputEntry) -> JoinedInput? {
    guard let file = entry.file, var path = text(file) else { return nil }
    // A plain path is relative to the pipeline file, one with ${dir} to the scan.
    if !file.value.hasPrefix("${\(BuiltInVariable.dir.rawValue)}") {
      path = pathBesideDocument(path, namedAt: file.position)
    }
    let files: PipelineUse.ScanFiles
    switch use.files(of: path) {
    case .success(let found): files = found
    case .failure(let fault):
      report("'\(path)': \(fault.problem)", at: file, exitCode: fault.exitCode)
      return nil
    }
    var input = JoinedInput(
      path: files.path, format: files.format, frames: files.frames,
      title: JoinedInput.title(ofInput: path), id: entry.id?.value)
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
