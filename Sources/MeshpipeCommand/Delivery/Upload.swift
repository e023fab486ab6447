import MeshPipeline
import NativeLibraries
import POSIX

/// Sends files to a server by HTTP PUT, and skips those that it has.
final class Upload {
  /// What became of the files.
  struct Result: Equatable {
    var sent = 0
    var present = 0
  }

  private let destination: UploadDestination
  private let retries: Int
  private let transfer: HTTPTransfer
  private let cancellation: Cancellation
  private var result = Result()
  private var faults: [UploadFault] = []

  /// - Parameters:
  ///   - retries: The number of further tries for each file.
  ///   - authorities: A file of certificates to trust instead of the system's.
  init(
    to destination: UploadDestination, retries: Int, stallSeconds: Int, authorities: String?,
    cancellation: Cancellation
  ) throws {
    self.destination = destination
    self.retries = retries
    self.cancellation = cancellation
    transfer = try HTTPTransfer(
      authorities: authorities, stallSeconds: stallSeconds, cancellation: cancellation)
  }

  /// Sends files in order.
  ///
  /// - Parameter show: Receives the name of each file before it is sent.
  /// - Throws: ``UnsentFiles``, or ``Cancelled``.
  func send(_ files: [UploadFile], show: (String) -> Void) throws -> Result {
    var unsent: [UploadFile] = []
    for (index, file) in files.enumerated() {
      show(file.name)
      do {
        try send(file)
      } catch let fault as UploadFault {
        faults.append(fault)
        unsent.append(file)
        // No other file would fare better.
        guard !fault.endsAll else {
          unsent += files[(index + 1)...]
          break
        }
      }
    }
    guard let first = faults.first else { return result }
    throw UnsentFiles(
      names: unsent.map(\.name), sent: result.sent, present: result.present,
      reason: first.reason, isTemporary: faults.allSatisfy(\.isTemporary))
  }

  private func send(_ file: UploadFile) throws {
    let size = try FileSystem.status(of: file.path)?.size ?? 0
    let hash = try SHA256.hexadecimal(ofFile: file.path, cancellation: cancellation)
    let digest = Digest(hexadecimal: hash)
    let url = destination.url(of: file.name)
    let known = try answer(to: url, nil, []).response
    if (200..<300).contains(known.status), digest.isThat(of: known), known.length ?? size == size {
      result.present += 1
      return
    }
    if [401, 403, 407].contains(known.status) || Self.isBusy(known.status) {
      throw fault(known, url)
    }
    let body = HTTPTransfer.Body(path: file.path, size: size)
    let (done, place) = try answer(to: url, body, digest.headers)
    guard (200..<300).contains(done.status) else { throw fault(done, url) }
    if !digest.isThat(of: done) {
      try throwIfOther(done, than: digest, url)
      // Some servers leave out a length of 0.
      if size > 0 { try confirm(digest, size: size, at: place == url ? [url] : [url, place]) }
    }
    result.sent += 1
  }

  /// Asks for what was sent, since an answer without a digest is only a promise.
  ///
  /// - Parameter places: Where it was sent, then where a redirect led, which may be the only place that knows of it, or
  ///   a signed URL for PUT alone. The first that has it counts.
  /// - Throws: Unless the server has the bytes, or as many.
  private func confirm(_ digest: Digest, size: Int, at places: [String]) throws {
    // A cache may still have the answer from before.
    let fresh = ["Cache-Control: no-cache"]
    var url = places[0]
    var found = try answer(to: url, nil, fresh).response
    for index in places.dropFirst() where !(200..<300).contains(found.status) {
      url = index
      found = try answer(to: url, nil, fresh).response
    }
    guard (200..<300).contains(found.status) else {
      let isRefused = [401, 403, 405, 407, 501].contains(found.status)
      throw UploadFault(
        reason: "\(url): the server accepts the file, "
          + "but answers \(found.status) when it is asked for it",
        isTemporary: !isRefused, endsAll: isRefused)
    }
    guard !digest.isThat(of: found) else { return }
    try throwIfOther(found, than: digest, url)
    guard let length = found.length else {
      throw UploadFault(
        reason: "\(url): the server says neither the SHA-256 nor the length of what it has, "
          + "so that nothing shows whether the file arrived", isTemporary: false, endsAll: true)
    }
    guard length == size else {
      throw UploadFault(
        reason: "\(url): the server has \(length) of \(size) bytes", isTemporary: true)
    }
  }

  private func throwIfOther(
    _ answer: HTTPTransfer.Response, than digest: Digest, _ url: String
  ) throws {
    guard digest.isOther(than: answer) else { return }
    throw UploadFault(
      reason: "\(url): the server received other bytes than were sent", isTemporary: true)
  }

  // MARK: Tries

  /// An answer, and the URL that gave it after redirects.
  private typealias Answer = (response: HTTPTransfer.Response, url: String)

  /// The answer to a request, which is repeated while a server is busy or out of reach.
  private func answer(
    to url: String, _ body: HTTPTransfer.Body?, _ headers: [String]
  ) throws -> Answer {
    var delay = 1.0
    for attempt in 0... {
      var wait = delay
      do {
        let answer = try redirected(url, body, headers)
        guard Self.isBusy(answer.response.status), attempt < retries else { return answer }
        wait = answer.response.retryAfter ?? delay
        // Longer than anyone waits for a command.
        guard wait <= Self.longestWait else { return answer }
      } catch let failure as HTTPTransfer.Failure {
        let fault = UploadFault(failure, url)
        guard fault.isTemporary, attempt < retries else { throw fault }
      }
      try pause(wait)
      delay = min(2 * delay, Self.longestDelay)
    }
    preconditionFailure("the loop ends by itself")
  }

  private static let longestDelay = 60.0
  private static let longestWait = 300.0

  private func pause(_ seconds: Double) throws {
    let end = MonotonicClock.seconds + seconds
    while MonotonicClock.seconds < end {
      if cancellation.isRequested { throw Cancelled() }
      usleep(20_000)
    }
  }

  /// The answer after redirects; the token goes to the first host alone.
  private func redirected(
    _ url: String, _ body: HTTPTransfer.Body?, _ headers: [String]
  ) throws -> Answer {
    var url = url
    for _ in 0..<Self.mostRedirects {
      var lines = headers
      if let token = destination.token, destination.trusts(url) {
        lines.append("Authorization: Bearer \(token)")
      }
      let answer = try transfer.perform(url, body, headers: lines)
      guard [301, 302, 307, 308].contains(answer.status), let target = answer.location else {
        return (answer, url)
      }
      guard destination.isAsSafe(target) else {
        throw HTTPTransfer.Failure.untrusted("a redirect leads to an unencrypted connection")
      }
      url = target
    }
    throw HTTPTransfer.Failure.invalid("more than \(Self.mostRedirects) redirects")
  }

  private static let mostRedirects = 5

  /// Whether a retry may succeed.
  private static func isBusy(_ status: Int) -> Bool {
    [408, 425, 429, 500, 502, 503, 504].contains(status)
  }

  private func fault(_ answer: HTTPTransfer.Response, _ url: String) -> UploadFault {
    let status = answer.status
    var reason = "\(url): the server answers \(status)"
    switch status {
    case 401, 407:
      reason +=
        destination.token == nil
        ? " (unauthorized): put a token into \(UploadDestination.tokenVariable)"
        : " (unauthorized): the token of \(UploadDestination.tokenVariable) is not accepted"
    case 403: reason += " (forbidden): it gives no permission to write there"
    case 404, 409: reason += ": the folder may not exist there"
    case 413: reason += ": the file is too large for it"
    case 405, 501: reason += ": it does not accept PUT"
    case _ where Self.isBusy(status):
      reason += answer.retryAfter.map { " and asks to wait \(JSONValue.text(of: $0)) s" } ?? ""
    default: break
    }
    return UploadFault(
      reason: reason, isTemporary: Self.isBusy(status) || status == 507,
      endsAll: [401, 403, 405, 407, 501].contains(status) || Self.isBusy(status))
  }
}

/// Why a file was not sent.
private struct UploadFault: Error {
  var reason: String
  /// Whether a later run may succeed.
  var isTemporary: Bool
  /// Whether other files would fail, too.
  var endsAll = false

  init(reason: String, isTemporary: Bool, endsAll: Bool = false) {
    (self.reason, self.isTemporary, self.endsAll) = (reason, isTemporary, endsAll)
  }

  init(_ failure: HTTPTransfer.Failure, _ url: String) {
    switch failure {
    case .unreachable(let words):
      self.init(reason: "\(url): \(words)", isTemporary: true, endsAll: true)
    case .untrusted(let words):
      self.init(
        reason: "\(url): the connection is not secure: \(words)", isTemporary: false, endsAll: true)
    case .invalid(let words):
      self.init(reason: "\(url): \(words)", isTemporary: false, endsAll: true)
    case .unreadable(let words):
      self.init(reason: "\(url): the file \(words)", isTemporary: false)
    }
  }
}

/// The files that an upload did not get through.
struct UnsentFiles: UserError, Equatable {
  var names: [String]
  var sent: Int
  var present: Int
  var reason: String
  var isTemporary: Bool

  var exitCode: ExitCode { isTemporary ? .temporary : .inputOutput }

  var message: String {
    let shown = names.prefix(3).map { "'\($0)'" }.joined(separator: ", ")
    let more = names.count > 3 ? " and \(names.count - 3) more" : ""
    let done = sent + present > 0 ? "; \(sent) were sent, \(present) were there already" : ""
    let wayOut = isTemporary ? "; a later run sends what is missing" : ""
    return "not uploaded: \(shown)\(more)\(done): \(reason)\(wayOut)"
  }
}
