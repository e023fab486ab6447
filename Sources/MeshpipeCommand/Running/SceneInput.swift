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

  /// Reads a file with its frames, and shows warnings.
  static func read(
    _ path: String, as format: FormatReader, frames: FoundCapture? = nil,
    _ invocation: Invocation
  ) throws -> (ReadingContext, Scene) {
    let source = ScanSource(
      path: path, format: format, frames: frames, reading: invocation.inputReading)
    let (context, _, scene) = try read(source, invocation)
    return (context, scene)
  }

  /// Reads the best mesh of a scan with its frames and with the scans to merge, and shows warnings.
  static func read(
    _ source: ScanSource, joining others: [JoinedInput] = [], _ invocation: Invocation
  ) throws -> (ReadingContext, ScanSource, Scene) {
    let context = invocation.readingContext
    return try Messages.warning(of: context) {
      let best = try source.withBestMesh(in: context)
      var scene = try best.read(in: context)
      try scene.join(others, toInput: best.path, in: context)
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
      allowsExternalFiles: has(.allowExternal),
      stage: StageContext(cancellation: Signals.cancellation))
  }

  /// The values of variables from the user's files, in the order of the files.
  var fileVariables: [PipelineRequest.FileVariable] {
    get throws {
      try values(of: .variableFile).flatMap { try PipelineRequest.FileVariable.all(inFile: $0) }
    }
  }

  /// What is said of the input.
  var inputReading: InputReading {
    InputReading(
      up: value(of: .inputUp).flatMap(SignedAxis.init(rawValue:)),
      metersPerUnit: value(of: .inputUnit).flatMap { Length.units[$0] }, classes: inputClasses)
  }

  /// The convention given for the poses of the frames.
  var framesReading: PoseReading {
    PoseReading(
      convention: value(of: .framesConvention).flatMap(PoseConvention.init(text:)),
      up: value(of: .framesUp).flatMap(SignedAxis.init(rawValue:)),
      metersPerUnit: value(of: .framesUnit).flatMap { Length.units[$0] },
      misfits: has(.forcePoses) ? .kept : .refused, ignoresMasks: value(of: .masks) == "ignore",
      mesh: value(of: .mesh))
  }

  /// The meaning given for class numbers, if it is valid; ``checkReadings()`` says what is not.
  private var inputClasses: ClassScheme? {
    value(of: .inputClasses).flatMap { try? ClassScheme(wordOrFile: $0) }
  }

  /// Checks what the user says of input and frames.
  func checkReadings() throws(UsageError) {
    if let text = value(of: .inputClasses) {
      do {
        _ = try ClassScheme(wordOrFile: text)
      } catch {
        throw UsageError(
          "'--input-classes \(text)' is neither 'arkit', 'asprs' nor 'none', nor a file with names: \(error.userMessage)",
          verb: verb)
      }
    }
    guard let words = value(of: .framesConvention), framesReading.convention == nil else { return }
    throw UsageError(
      "'--frames-convention \(words)': give one of gl and cv, of rows and columns, of c2w and w2c, "
        + "separated by commas", verb: verb)
  }

  /// What may be overwritten.
  var overwriting: PipelineRunner.Overwriting {
    has(.force) ? .forced : has(.noOverwrite) ? .never : .allowed
  }

  /// The location given for the frames.
  var frames: CompanionRequest { companion(.frames) }

  /// The location given for the room.
  var room: CompanionRequest { companion(.room) }

  private func companion(_ option: Option) -> CompanionRequest {
    switch value(of: option) {
    case nil: .besideInput
    case "none": .none
    case let path?: .path(path)
    }
  }

  /// The capture given with --frames.
  func foundFrames() throws -> FoundCapture? {
    guard case .path(let path) = frames else { return nil }
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
