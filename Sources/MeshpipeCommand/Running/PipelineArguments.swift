import MeshpipeKit

/// The pipeline and the scans of a call of 'run', 'check' or 'plan'.
struct PipelineArguments {
  let invocation: Invocation
  let document: PipelineDocument
  /// The arguments that name scans.
  let inputArguments: [String]
  /// The folder with the frames, if an archive of them is given.
  private let unpackedFrames: String?
  private let environment: CommandEnvironment
  private let writesOutputs: Bool

  /// - Parameter writesOutputs: Whether the call runs the pipeline, so that outputs that climb out of
  ///   the output folder are refused unless they are allowed.
  init(_ invocation: Invocation, writesOutputs: Bool = false) throws {
    self.invocation = invocation
    self.writesOutputs = writesOutputs
    unpackedFrames = try Self.unpackedFrames(of: invocation.settings)
    environment = try invocation.environment
    if Self.hasFile(invocation, environment.pipelines.formats) {
      guard let path = invocation.operands.first else {
        throw UsageError(
          "'\(invocation.verb.name)' needs PIPELINE, or stages with -s", verb: invocation.verb)
      }
      try Self.refuseScan(path, invocation, environment.pipelines.formats)
      document = try PipelineDocument(path: PipelineLibrary.standard().path(of: path))
      inputArguments = Array(invocation.operands.dropFirst())
    } else {
      document = PipelineDocument(
        stages: invocation.values(of: .stage), outputs: invocation.values(of: .output))
      inputArguments = invocation.operands
      try Self.refusePipelineFile(invocation, environment.pipelines.formats)
    }
  }

  /// Reports a scan in the place of the pipeline.
  private static func refuseScan(
    _ path: String, _ invocation: Invocation, _ formats: FormatRegistry
  ) throws(UsageError) {
    let json = formats.reader(ofJSONScan: path)
    let other = PipelineLibrary.extensions.contains(fileExtension(of: path)) ? nil : path
    guard let name = json?.name ?? other.flatMap({ formats.reader(forPath: $0)?.name }) else {
      return
    }
    throw UsageError(
      "'\(path)' is a scan (\(name)), not a pipeline; '\(invocation.verb.name)' needs PIPELINE before it, and "
        + "'meshpipe info \(path)' says what it holds", verb: invocation.verb)
  }

  /// Reports a pipeline file among the scans.
  static func refusePipelineFile(
    _ invocation: Invocation, _ formats: FormatRegistry
  ) throws(UsageError) {
    guard let path = invocation.operands.first(where: { isPipeline($0, formats) }) else { return }
    let problem =
      invocation.values(of: .stage).isEmpty
      ? "the pipeline must precede the scans: give '\(path)' first"
      : "stages with -s replace a pipeline file; omit either '\(path)' or -s"
    throw UsageError(problem, verb: invocation.verb)
  }

  /// Whether an operand is a pipeline and no scan: by its file, or by its name if no file has it.
  private static func isPipeline(_ operand: String, _ formats: FormatRegistry) -> Bool {
    guard fileExtension(of: operand) == "json" else {
      return PipelineLibrary.standard().has(operand)
        && (try? FileSystem.status(of: operand)) == nil
    }
    return formats.reader(ofJSONScan: operand) == nil && !builtInCaptures.isIndex(operand)
  }

  /// Whether the first operand is a pipeline file.
  ///
  /// It isn't if stages are given, nor if it is a scan, which is then only converted.
  static func hasFile(_ invocation: Invocation, _ formats: FormatRegistry) -> Bool {
    if !invocation.values(of: .stage).isEmpty { return false }
    // 'check' needs a pipeline file.
    guard invocation.verb.operands.first?.isOptional == true, let first = invocation.operands.first
    else { return true }
    // A name without an extension, or a shell pipe, with a given format.
    if invocation.operands.count == 1, invocation.has(\.$inputFormat),
      fileExtension(of: first) != "json"
    {
      return false
    }
    if first == "-" || CaptureArchive.stem(of: first) != nil { return false }
    if FileSystem.isFolder(first) {
      // 'print scan.obj' means the pipeline, even if an earlier run left a folder of that name.
      return invocation.operands.count > 1 && PipelineLibrary.standard().has(first)
    }
    if builtInCaptures.isIndex(first) { return false }
    return formats.reader(forPath: first) == nil && formats.reader(ofJSONScan: first) == nil
      && formats.explanation(forForeign: first) == nil && mayBePipeline(first, formats)
  }

  /// Whether a file that is not a scan by its name may be a pipeline: by its name or its first character, or if it can't be
  /// looked at, as a shell pipe.
  private static func mayBePipeline(_ path: String, _ formats: FormatRegistry) -> Bool {
    let ending = fileExtension(of: path)
    if PipelineLibrary.extensions.contains(ending) { return true }
    guard let status = try? FileSystem.status(of: path) else {
      // The name of a pipeline has no extension.
      return ending.isEmpty
    }
    guard status.isRegularFile, let head = FileHead(ofFile: path) else { return true }
    guard let first = head.body.first, first == "{" || first == "/" else { return false }
    // Lines of JSON begin like a pipeline.
    return formats.reader(forHead: head)?.extensions.contains { $0.hasSuffix(".json") } != true
  }

  /// The folder with the frames that settings name; nil if they name no archive.
  static func unpackedFrames(of settings: RunSettings) throws -> String? {
    guard case .path(let path) = settings.frames else { return nil }
    return try UnpackedArchives.folder(ofArchive: path)
  }

  /// The scans; standard input is read to its end first.
  func inputs() throws -> [InputFile] {
    if inputArguments.filter({ $0 == "-" }).count > 1 {
      throw UsageError("standard input can be read only once", verb: invocation.verb)
    }
    try refuseStageOptions()
    return try inputArguments.map {
      try InputFile(
        $0, formatID: invocation.settings.inputFormat, formats: environment.pipelines.formats)
    }
  }

  /// Explains an option of a stage among the scans, where quotes around the stage are missing.
  private func refuseStageOptions() throws(UsageError) {
    guard let stage = invocation.values(of: .stage).last,
      let option = inputArguments.first(where: {
        $0.contains("=") && (try? FileSystem.status(of: $0)) == nil
      })
    else { return }
    throw UsageError(
      "'\(option)' is not a file; a stage and its options are one argument: -s '\(stage) \(option)'",
      verb: invocation.verb)
  }

  /// The further scans with ids.
  private func otherInputs() throws(UsageError) -> [PipelineRequest.JoinedScan] {
    var scans: [PipelineRequest.JoinedScan] = []
    for text in invocation.values(of: .otherInput) {
      guard let (id, path) = text.splitAtEquals(), !path.isEmpty, id.isPlainName,
        !id.contains("$"), id != PipelineDocument.inputID
      else {
        throw UsageError(
          "'--input \(text)' is not ID=FILE, an id for stages and a scan; the scan to convert stands by itself",
          verb: invocation.verb)
      }
      var scan = PipelineRequest.JoinedScan(
        path: path, reading: invocation.settings.inputReading)
      scan.id = id
      scans.append(scan)
    }
    return scans
  }

  /// Resolves the pipeline for one scan, or for any.
  ///
  /// - Parameter others: Scans that become one scene with it.
  func resolve(
    for input: InputFile?, joining others: [InputFile] = []
  ) throws(UsageError) -> PipelineResolution {
    var request = PipelineRequest(input: input?.path, run: invocation.settings)
    request.joined = others.map {
      var scan = PipelineRequest.JoinedScan(
        path: $0.path, formatID: $0.formatID, reading: request.inputReading)
      scan.archive = $0.archive
      scan.isAligned = invocation.value(of: .join) == "aligned"
      return scan
    }
    request.joined += try otherInputs()
    if let format = input?.formatID { request.inputFormat = format }
    request.archive = input?.archive
    request.unpackedFrames = unpackedFrames
    if writesOutputs { request.climbing = request.run.climbing }
    if document.source.file != nil {
      request.output = invocation.values(of: .output).first
      request.otherOutputs = Array(invocation.values(of: .output).dropFirst())
    }
    var resolution = document.resolve(in: environment.pipelines, for: request)
    // It is unpacked only if the pipeline needs frames.
    if request.frames == .besideInput, resolution.usesFrames,
      let folder = input.flatMap(unpackedNeighbor)
    {
      request.unpackedFrames = folder
      resolution = document.resolve(in: environment.pipelines, for: request)
    }
    return environment.explained(resolution)
  }

  /// The folder with the unpacked capture archive next to a mesh; nil if there is not exactly one,
  /// or if a capture next to the mesh needs no unpacking.
  private func unpackedNeighbor(of input: InputFile) -> String? {
    let captures = environment.pipelines.captures
    guard input.archive == nil, (try? FileSystem.status(of: input.path))?.isRegularFile == true,
      captures.find(besideMesh: input.path) == nil,
      let archive = CaptureArchive.find(besideMesh: input.path)?.path
    else { return nil }
    do {
      guard let folder = try UnpackedArchives.folder(ofArchive: archive) else { return nil }
      return try captures.find(folder).folder.path
    } catch {
      Messages.warn("the frames beside '\(input.name)' are ignored: \(error.userMessage)")
      return nil
    }
  }
}

/// Warnings that `--strict` treats as errors.
struct StrictWarnings: UserError {
  var exitCode: ExitCode
  var message: String { "there are warnings, which --strict treats as errors" }
}
