import Batch
import MeshPipeline

/// What the command's options say of sending the outputs to a server.
struct UploadRequest {
  private let destination: UploadDestination
  private let retries: Int
  private let stallSeconds: Int
  private let isQuiet: Bool

  /// - Returns: Nil if nothing will be sent.
  /// - Throws: For a URL that can't be used, before any work is done.
  init?(_ invocation: Invocation) throws(UsageError) {
    guard let url = invocation.value(of: .upload) else {
      for option in [Option.uploadRetries, .uploadStall] where invocation.has(option) {
        throw UsageError("'\(option.name)' needs '--upload'", verb: invocation.verb)
      }
      return nil
    }
    destination = try Self.destination(url, invocation.verb)
    retries = invocation.integer(of: .uploadRetries) ?? 4
    stallSeconds = invocation.integer(of: .uploadStall) ?? 60
    isQuiet = invocation.has(.quiet)
  }

  /// The request of a batch, in one of its workers.
  ///
  /// - Parameter verb: Of the batch, for messages.
  init(_ order: UploadOrder, of verb: Verb) throws(UsageError) {
    destination = try Self.destination(order.url, verb)
    retries = order.retries
    stallSeconds = order.stallSeconds
    isQuiet = true
  }

  private static func destination(
    _ url: String, _ verb: Verb
  ) throws(UsageError) -> UploadDestination {
    let token = FileSystem.environment(UploadDestination.tokenVariable)
    return try UploadDestination(url, token: token?.isEmpty == true ? nil : token, verb: verb)
  }

  /// The same for the workers of a batch.
  ///
  /// - Parameter root: The output folder of the batch.
  func order(below root: String) -> UploadOrder {
    UploadOrder(
      url: destination.url, root: FileSystem.absolutePath(of: root), retries: retries,
      stallSeconds: stallSeconds)
  }

  /// Sends the files of outputs.
  func perform(
    _ outputs: [UploadFile.Output], _ cancellation: Cancellation = Signals.cancellation
  ) throws {
    let files = UploadFile.all(of: outputs)
    guard !files.isEmpty else { return }
    let authorities = FileSystem.environment("CURL_CA_BUNDLE")
    let upload = try Upload(
      to: destination, retries: retries, stallSeconds: stallSeconds,
      authorities: authorities?.isEmpty == true ? nil : authorities,
      cancellation: cancellation)
    let isShown = StandardStream.errors.isTerminal && !isQuiet && !Messages.areJSON
    let result = try upload.send(files) { if isShown { Messages.say("uploading \($0)") } }
    if isShown {
      Messages.say(
        "uploaded \(result.sent) files to \(destination.url), \(result.present) were there already")
    }
  }
}
