import MeshpipeKit

/// Reads a scan for 'info' and 'preview'.
enum SceneInput {
  static func format(of input: InputFile, _ invocation: Invocation) throws -> FormatReader {
    let registry = try invocation.formats
    let reader =
      input.formatID.map { registry.reader(id: $0) } ?? registry.reader(forPath: input.path)
    guard let reader else { throw UnreadableFormat(input: input, formats: registry) }
    try input.requireExistence()
    return reader
  }

  /// The mesh of a capture's folder; the path itself if it is a file.
  static func meshFile(of input: InputFile, _ invocation: Invocation) throws -> InputFile {
    guard try FileSystem.status(of: input.path)?.isFolder == true else {
      if invocation.has(\.$mesh) { throw CaptureError.notAFolder(input.name) }
      return input
    }
    var found = try builtInCaptures.find(input.path)
    found.reading = invocation.settings.framesReading
    try found.checkMesh()
    guard let path = found.meshPath else {
      throw CaptureError(input.path, "the capture has no mesh; name a mesh instead")
    }
    return try InputFile(path, formatID: input.formatID, formats: invocation.formats)
  }

  /// Reads a file with its frames, and shows warnings.
  static func read(
    _ path: String, as format: FormatReader, frames: FoundCapture? = nil,
    _ invocation: Invocation
  ) throws -> (ReadingContext, Scene) {
    let source = ScanSource(
      path: path, format: format, frames: frames, reading: invocation.settings.inputReading)
    let (context, _, scene) = try read(source, invocation)
    return (context, scene)
  }

  /// Reads the best mesh of a scan with its frames and with the scans to merge, and shows warnings.
  ///
  /// - Parameter name: What messages call it; nil for the name of its file.
  static func read(
    _ source: ScanSource, named name: String? = nil, joining others: [JoinedInput] = [],
    _ invocation: Invocation
  ) throws -> (ReadingContext, ScanSource, Scene) {
    let context = invocation.readingContext
    return try Messages.warning(of: context) {
      let best = try source.withBestMesh(in: context)
      var scene = try best.read(in: context)
      try scene.join(others, toInput: best.path, named: name, in: context)
      return (context, best, scene)
    }
  }
}

extension Invocation {
  /// The formats of this call, including those of plugins.
  var formats: FormatRegistry {
    get throws(UsageError) { try environment.pipelines.formats }
  }

  /// The reading context for 'info' and 'preview'.
  var readingContext: ReadingContext {
    ReadingContext(
      allowsExternalFiles: settings.allowsExternalFiles,
      stage: StageContext(cancellation: Signals.cancellation))
  }

  /// The capture given with --frames.
  func foundFrames() throws -> FoundCapture? {
    guard case .path(let path) = settings.frames else { return nil }
    return try UnpackedArchives.capture(at: path)
  }
}

/// The file's format is unknown.
struct UnreadableFormat: UserError {
  let input: InputFile
  let formats: FormatRegistry

  var exitCode: ExitCode { .unavailable }
  var message: String {
    if let id = input.formatID {
      return "\(input.name): there is no readable format '\(id)' ('meshpipe formats' lists them)"
    }
    if let explanation = formats.explanation(forForeign: input.name)
      ?? formats.explanation(ofContentsOf: input.path)
    {
      return "\(input.name): \(explanation)"
    }
    let ending = fileExtension(of: input.path)
    let problem =
      ending.isEmpty
      ? "can't determine the format; use --input-format" : "no format reads '.\(ending)'"
    return "\(input.name): \(problem)\(formats.pointsHint(ofFile: input.path)) "
      + "('meshpipe formats' lists them)"
  }
}
