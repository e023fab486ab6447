import Captures
import MeshPipeline

/// Reads a scan for 'info' and 'preview'.
enum SceneInput {
  static func format(of input: InputFile, _ invocation: Invocation) throws -> FormatReader {
    let registry = try invocation.formats
    let reader =
      input.formatID.map { registry.reader(id: $0) } ?? registry.reader(forPath: input.path)
    guard let reader else { throw UnreadableFormat(input: input, formats: registry) }
    return reader
  }

  /// Reads a file with its frames, and shows warnings.
  static func read(
    _ path: String, as format: FormatReader, frames: FoundCapture? = nil,
    _ invocation: Invocation
  ) throws -> (ReadingContext, Scene) {
    let context = invocation.readingContext
    let source = ScanSource(
      path: path, format: format, frames: frames, up: invocation.inputUp,
      metersPerUnit: invocation.inputMetersPerUnit)
    return (context, try Messages.warning(of: context) { try source.read(in: context) })
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

  /// The up axis given for the input.
  var inputUp: SignedAxis? { value(of: .inputUp).flatMap(SignedAxis.init(rawValue:)) }

  /// The convention given for the poses of the frames.
  var framesReading: PoseReading {
    PoseReading(
      convention: value(of: .framesConvention).flatMap(PoseConvention.init(text:)),
      up: value(of: .framesUp).flatMap(SignedAxis.init(rawValue:)),
      metersPerUnit: value(of: .framesUnit).flatMap { Length.units[$0] },
      keepsMisfits: has(.forcePoses))
  }

  func checkFramesConvention() throws(UsageError) {
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

  /// The unit given for the input, in metres.
  var inputMetersPerUnit: Double? { value(of: .inputUnit).flatMap { Length.units[$0] } }
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
    if let explanation = formats.explanation(forForeign: input.name) {
      return "\(input.name): \(explanation)"
    }
    return "\(input.name): can't determine the format; use --input-format "
      + "('meshpipe formats' lists them)"
  }
}
