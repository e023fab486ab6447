import MeshpipeKit

/// Shows what scans, models and captures contain, and what pipelines do.
enum InfoVerb {
  static func perform(_ invocation: Invocation) throws -> ExitCode {
    let gates = try invocation.gatePreset
    var summaries: [JSONValue] = []
    var failures: [ExitCode] = []
    var separator = ""
    let isOne = invocation.has(.join)
    for argument in isOne ? Array(invocation.operands.prefix(1)) : invocation.operands {
      if !isOne, gates == nil, let pipeline = PipelineFacts(argument, try invocation.formats) {
        if invocation.has(.json) {
          summaries.append(pipeline.json)
        } else {
          try StandardStream.output.write(separator + pipeline.text)
          separator = "\n"
        }
        continue
      }
      let subject: InfoSubject
      do {
        let others = isOne ? Array(invocation.operands.dropFirst()) : []
        subject = try InfoSubject(argument, joining: others, gates: gates, invocation)
      } catch {
        if Signals.exitStatus != nil { throw error }
        failures.append(Messages.report(error))
        continue
      }
      if subject.isRefused { failures.append(.data) }
      if invocation.has(.json) {
        summaries.append(subject.json)
      } else {
        try StandardStream.output.write(separator + subject.text)
        separator = "\n"
      }
    }
    if invocation.has(.json), !summaries.isEmpty {
      let isSingle = isOne || invocation.operands.count == 1
      let json = isSingle ? summaries[0] : JSONValue(.array(summaries))
      try StandardStream.output.write(PrivateInputs.shown.readable(json).prettyText)
    }
    return failures.first ?? .success
  }
}

/// The summary of a file, a capture or both.
struct InfoSubject {
  private let name: String
  private let others: [JoinedInput]
  private var mesh: (input: InputFile, format: FormatReader, summary: SceneSummary)?
  private let gates: GatePreset?
  /// The defects of the meshes, where they are asked for.
  private var health: SceneHealth?
  /// The measures of rooms and meshes, where they are asked for.
  private var measures: SceneMeasurement?
  private var capture: CaptureFacts?
  /// The capture in the mesh's folder whose frames 'run' would use.
  private var neighbor: (layout: String, path: String)?

  /// - Parameters:
  ///   - others: Further scans, which are merged with it.
  ///   - gates: What a capture is checked by; nil if it is not.
  init(
    _ argument: String, joining others: [String] = [], gates: GatePreset?,
    _ invocation: Invocation
  ) throws {
    name = others.isEmpty ? argument : "\(argument) and \(others.count) more"
    self.gates = gates
    self.others = try others.map { try Self.joined($0, invocation) }
    let input =
      try Self.capture(at: argument, invocation.formats) == nil
      ? Self.input(argument, invocation) : nil
    try read(input, argument, invocation)
    if gates != nil, capture == nil {
      _ = Messages.report(
        CaptureError(
          argument, "'--gates' has no frames to measure; name a capture with '--frames'"))
    }
  }

  private static func joined(_ argument: String, _ invocation: Invocation) throws -> JoinedInput {
    let environment = try invocation.environment.pipelines
    let alignment = invocation.value(of: .join) == "aligned" ? environment.alignment : nil
    var found = try capture(at: argument, invocation.formats)
    found?.reading = invocation.settings.framesReading
    let title = JoinedInput.title(ofInput: argument)
    if let found, found.meshPath == nil {
      return JoinedInput(
        path: found.folder.path, format: nil, frames: found, title: title,
        reading: invocation.settings.inputReading, alignment: alignment)
    }
    let file = try input(found?.meshPath ?? argument, invocation)
    return JoinedInput(
      path: file.path, format: try SceneInput.format(of: file, invocation), frames: found,
      title: title, reading: invocation.settings.inputReading, alignment: alignment)
  }

  private static func input(_ argument: String, _ invocation: Invocation) throws -> InputFile {
    try InputFile(
      argument, formatID: invocation.settings.inputFormat, formats: invocation.formats)
  }

  /// The capture given by an argument: its folder, its archive, or a file that identifies it.
  private static func capture(
    at argument: String, _ formats: FormatRegistry
  ) throws -> FoundCapture? {
    if argument == "-" { return nil }
    if let folder = try UnpackedArchives.folder(ofArchive: argument) {
      return try? builtInCaptures.find(folder)
    }
    let isFolder = try FileSystem.status(of: argument)?.isFolder == true
    if isFolder, try ScanFolder.onlyMesh(in: argument, formats) != nil { return nil }
    return isFolder || builtInCaptures.hasIndexName(argument)
      ? try builtInCaptures.find(argument) : nil
  }

  private mutating func read(
    _ input: InputFile?, _ argument: String, _ invocation: Invocation
  ) throws {
    var found = try Self.capture(at: argument, invocation.formats) ?? invocation.foundFrames()
    found?.reading = invocation.settings.framesReading
    // 'info' also shows frames that don't fit.
    found?.reading.misfits = .shown
    if let input, invocation.has(\.$mesh) { throw CaptureError.notAFolder(input.name) }
    try found?.checkMesh()
    let meshPath = input?.path ?? found?.meshPath
    guard var file = try input ?? meshPath.map({ try Self.input($0, invocation) }) else {
      if let found, others.isEmpty {
        capture = try CaptureFacts(reading: found, gates: gates, invocation)
      } else if let found {
        try readSessions(found, invocation)
      }
      return
    }
    let format = try SceneInput.format(of: file, invocation)
    var usual = ScanSource(
      path: file.path, format: format, frames: found, reading: invocation.settings.inputReading)
    if input == nil, file.formatID == nil {
      usual.alternatives = try found?.otherMeshes(read: invocation.formats) ?? []
    }
    let (context, source, scene) = try SceneInput.read(
      usual, named: JoinedInput.title(ofInput: argument), joining: others, invocation)
    for line in AlignmentText.lines(context.stage.notes) { Messages.say(line) }
    if source.path != file.path { file = try Self.input(source.path, invocation) }
    var summary = SceneSummary(scene)
    summary.frames = 0
    mesh = (file, source.format ?? format, summary)
    if invocation.has(.health) { health = try SceneHealth(scene, in: context.stage) }
    if invocation.has(.measures) {
      measures = try SceneMeasurement(
        findingRoomsIn: scene, cancellation: Signals.cancellation)
    }
    if let found { capture = try CaptureFacts(found, scene, context.stage.notes, gates: gates) }
    if found == nil, case .besideInput = invocation.settings.frames, argument != "-" {
      neighbor =
        builtInCaptures.find(besideMesh: file.path).map { ($0.layout.id, $0.folder.path) }
        ?? CaptureArchive.find(besideMesh: file.path).map { ($0.layout.id, $0.path) }
    }
  }

  /// Reads a capture without a mesh, with the scans that are merged with it.
  private mutating func readSessions(
    _ found: FoundCapture, _ invocation: Invocation
  ) throws {
    let source = ScanSource(path: found.folder.path, format: nil, frames: found)
    let (context, _, scene) = try SceneInput.read(
      source, named: JoinedInput.title(ofInput: found.folder.path), joining: others, invocation)
    for line in AlignmentText.lines(context.stage.notes) { Messages.say(line) }
    capture = try CaptureFacts(found, scene, context.stage.notes, gates: gates)
  }

  /// Whether the capture fails at a gate, or there is none to be checked.
  var isRefused: Bool { capture?.isRefused ?? (gates != nil) }

  var text: String {
    var parts: [String] = []
    if let capture { parts.append(capture.text(named: name)) }
    if let mesh {
      parts.append(
        InfoText.text(
          mesh.summary, of: others.isEmpty ? mesh.input.name : name, mesh.format, beside: neighbor))
    }
    if let health {
      parts.append(
        (["health"] + TextLayout.table(health.rows, indent: 2)).joined(separator: "\n") + "\n")
    }
    if let measures { parts.append(MeasureText.text(of: measures)) }
    return PrivateInputs.shown.readable(parts.joined(separator: "\n"))
  }

  var json: JSONValue {
    var members: [JSONValue.Member] = [.init("file", JSONValue(.string(name)))]
    if let mesh,
      case .object(let all) = mesh.summary.json(file: name, format: mesh.format.id).content
    {
      members = all
    }
    if let health { members.append(.init("health", JSONValue(.object(health.figures)))) }
    if let measures { members.append(.init("measures", JSONValue(.object(measures.figures)))) }
    if let capture {
      members.removeAll { $0.key == "frames" }
      if let mesh { members.append(.init("mesh", JSONValue(.string(mesh.input.path)))) }
      if let meanings = capture.interpretation {
        members.append(.init("interpretation", meanings.json))
      }
      members.append(.init("capture", capture.json))
    }
    return JSONValue(.object(members))
  }
}

extension Invocation {
  /// The preset of '--gates'; nil without the option.
  ///
  /// - Throws: ``InvalidPipeline`` for mistakes in a file.
  fileprivate var gatePreset: GatePreset? {
    get throws {
      guard has(.gates) else { return nil }
      guard let word = value(of: .gates) else { return .scan }
      guard word.isPathOfJSON else {
        do throws(ParameterFault) {
          return try GatePreset(json: word.json)
        } catch {
          throw UsageError("option '--gates': \(error.message)", verb: verb)
        }
      }
      let result = JSONReader.read(
        try FileSystem.contents(of: word, limit: PipelineDocument.largestFile), file: word)
      guard let json = result.value, result.diagnostics.isEmpty else {
        throw InvalidPipeline(result.diagnostics)
      }
      do throws(ParameterFault) { return try GatePreset(json: json) } catch {
        throw InvalidPipeline([
          Diagnostic(
            file: word, position: error.position ?? json.position, message: error.message)
        ])
      }
    }
  }
}
