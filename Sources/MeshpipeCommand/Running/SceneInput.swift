import Captures
import MeshPipeline

/// Reads a scan to look at it.
enum SceneInput {
  static func format(of input: InputFile, _ invocation: Invocation) throws -> FormatReader {
    let registry = try invocation.formats
    let reader =
      input.formatID.map { registry.reader(id: $0) } ?? registry.reader(forPath: input.path)
    guard let reader else { throw UnreadableFormat(input: input, formats: registry) }
    return reader
  }

  /// Reads a file with the frames that belong to it.
  static func read(
    _ path: String, as format: FormatReader, frames: FoundCapture? = nil,
    _ invocation: Invocation
  ) throws -> (ReadingContext, Scene) {
    let context = invocation.readingContext
    let source = ScanSource(
      path: path, format: format, frames: frames, up: invocation.inputUp,
      metersPerUnit: invocation.inputMetersPerUnit)
    return (context, try source.read(in: context))
  }
}

extension Invocation {
  /// The formats of this call, those of plugins among them.
  var formats: FormatRegistry {
    get throws(UsageError) { CommandEnvironment(try pluginSearch).pipelines.formats }
  }

  /// What a scan is read in that is looked at.
  var readingContext: ReadingContext {
    ReadingContext(
      allowsExternalFiles: has(.allowExternal),
      stage: StageContext(cancellation: Signals.cancellation))
  }

  /// The values of variables in the files that the user names; those of a later file come later.
  var fileVariables: [PipelineRequest.FileVariable] {
    get throws {
      try values(of: .variableFile).flatMap { try PipelineRequest.FileVariable.all(inFile: $0) }
    }
  }

  /// The axis that the user says is up in the input.
  var inputUp: SignedAxis? { value(of: .inputUp).flatMap(SignedAxis.init(rawValue:)) }

  /// How the user says that the poses of the frames are meant.
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
        + "with commas between", verb: verb)
  }

  /// What the user lets be overwritten.
  var overwriting: OutputTransaction.Overwriting {
    has(.force) ? .forced : has(.noOverwrite) ? .never : .allowed
  }

  /// Where the user says that the frames are.
  var frames: FramesRequest {
    switch value(of: .frames) {
    case nil: .besideInput
    case "none": .none
    case let path?: .path(path)
    }
  }

  /// The capture that the user names with --frames.
  func foundFrames() throws -> FoundCapture? {
    guard case .path(let path) = frames else { return nil }
    return try Unpacked.capture(at: path)
  }

  /// The length of a unit of the input, when the user says it.
  var inputMetersPerUnit: Double? { value(of: .inputUnit).flatMap { Length.units[$0] } }
}

/// An error about an input in words that the user knows: standard input has a name of its own.
struct ReadableError: UserError {
  let exitCode: ExitCode
  let message: String

  init(_ error: any UserError, _ input: InputFile) {
    exitCode = error.exitCode
    message = input.readable(error.message)
  }
}

/// No format reads the file.
struct UnreadableFormat: UserError {
  let input: InputFile
  let formats: FormatRegistry

  var exitCode: ExitCode { .unavailable }
  var message: String {
    if let id = input.formatID {
      return "\(input.name): there is no format '\(id)' to read ('meshpipe formats' lists them)"
    }
    if let explanation = formats.explanation(forForeign: input.name) {
      return "\(input.name): \(explanation)"
    }
    return "\(input.name): can't tell the format; say it with --input-format "
      + "('meshpipe formats' lists them)"
  }
}
