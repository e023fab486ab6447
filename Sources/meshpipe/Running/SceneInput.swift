import Formats
import MeshPipeline

/// Reads a scan to look at it.
enum SceneInput {
  static func format(of input: InputFile) throws -> any ReadableFormat.Type {
    let registry = FormatRegistry(builtInFormats)
    let reader =
      input.formatID.map { registry.reader(id: $0) } ?? registry.reader(forPath: input.path)
    guard let reader else { throw UnreadableFormat(input: input) }
    return reader
  }

  static func read(
    _ input: InputFile, _ invocation: Invocation
  ) throws -> (ReadingContext, Scene) {
    let context = ReadingContext(
      allowsExternalFiles: invocation.has(.allowExternal),
      stage: StageContext(cancellation: Signals.cancellation))
    var scene = try format(of: input).read(input.path, in: context)
    scene.coordinateSystem = scene.coordinateSystem.reread(
      up: invocation.inputUp, metersPerUnit: invocation.inputMetersPerUnit)
    return (context, scene)
  }
}

extension Invocation {
  /// The axis that the user says is up in the input.
  var inputUp: SignedAxis? { value(of: .inputUp).flatMap(SignedAxis.init(rawValue:)) }

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

  var exitCode: ExitCode { .unavailable }
  var message: String {
    if let id = input.formatID {
      return "\(input.name): there is no format '\(id)' to read ('meshpipe formats' lists them)"
    }
    return "\(input.name): can't tell the format; say it with --input-format "
      + "('meshpipe formats' lists them)"
  }
}
