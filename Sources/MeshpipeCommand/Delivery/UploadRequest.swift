import MeshPipeline

/// What the command's options say of sending the outputs to a server.
struct UploadRequest {
  let destination: UploadDestination
  private let retries: Int
  private let stallSeconds: Int
  private let isQuiet: Bool
  /// Whether the signatures of files are sent with them.
  private let sendsSignatures: Bool

  /// - Returns: Nil if nothing will be sent.
  /// - Throws: For a URL that can't be used, before any work is done.
  init?(_ invocation: Invocation) throws(UsageError) {
    let settings = invocation.settings
    guard settings.upload != nil else {
      for option in Option.settings(\.$uploadRetries, \.$uploadStallSeconds)
      where invocation.has(option) {
        throw UsageError("'\(option.name)' needs '--upload'", verb: invocation.verb)
      }
      return nil
    }
    try self.init(settings, of: invocation.verb, isQuiet: invocation.has(.quiet))
  }

  /// The request of settings with a URL, in a run or in a worker of a batch.
  ///
  /// - Parameter verb: For messages.
  init(_ settings: RunSettings, of verb: Verb, isQuiet: Bool) throws(UsageError) {
    destination = try Self.destination(settings.upload ?? "", verb)
    retries = settings.uploadRetries
    stallSeconds = settings.uploadStallSeconds
    sendsSignatures = settings.signingCommand != nil
    self.isQuiet = isQuiet
  }

  private static func destination(
    _ url: String, _ verb: Verb
  ) throws(UsageError) -> UploadDestination {
    let token = FileSystem.environment(UploadDestination.tokenVariable)
    return try UploadDestination(url, token: token?.isEmpty == true ? nil : token, verb: verb)
  }

  /// Sends the files of outputs.
  func perform(
    _ outputs: [UploadFile.Output], _ cancellation: Cancellation = Signals.cancellation
  ) throws {
    var outputs = outputs
    if sendsSignatures {
      for index in outputs.indices {
        outputs[index].files += outputs[index].files.flatMap(Signature.files)
      }
    }
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
