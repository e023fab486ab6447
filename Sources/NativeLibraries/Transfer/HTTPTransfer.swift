internal import CTransfer
package import MeshpipeBase

/// Requests of HTTP with libcurl, which is opened when the first is made; connections stay open between them.
///
/// Redirects are not followed, and TLS certificates are always verified.
package final class HTTPTransfer {
  /// The answer of a server.
  package struct Response: Sendable, Equatable {
    /// The status, such as 201.
    package var status: Int
    /// The length of what is there, in bytes; nil if the server does not say.
    package var length: Int?
    /// Seconds to wait before the next try; nil if the server does not say.
    package var retryAfter: Double?
    /// Where a redirect leads; nil if there is none.
    package var location: String?
    /// `Repr-Digest` (RFC 9530) or `Digest` (RFC 3230).
    package var digest: String?
    /// `X-Checksum-Sha256`, in hexadecimal.
    package var checksum: String?
    /// Without quotes.
    package var entityTag: String?
  }

  /// Why there is no answer.
  package enum Failure: Error, Equatable {
    /// No connection, one that was cut, or a slow one: a retry may succeed.
    case unreachable(String)
    /// The server is not the one that it should be.
    case untrusted(String)
    /// The URL can't be used.
    case invalid(String)
    /// The file can't be read, or has become shorter.
    case unreadable(String)
  }

  /// A file that is sent.
  package struct Body: Sendable {
    package var path: String
    /// In bytes.
    package var size: Int

    package init(path: String, size: Int) {
      self.path = path
      self.size = size
    }
  }

  @safe private struct Handle: ~Copyable {
    let pointer: OpaquePointer
    deinit { unsafe meshpipe_transfer_close(pointer) }
  }

  private let handle: Handle
  /// A file of certificates to trust instead of the system's; nil for those.
  private let authorities: String?
  private let connectSeconds: Int
  private let stallSeconds: Int
  private let cancellation: Cancellation

  /// - Parameters:
  ///   - authorities: A file of certificates to trust instead of the system's.
  ///   - stallSeconds: A transfer of less than 1 kB per second for so long is given up.
  /// - Throws: ``NativeLibraryError`` if libcurl is not installed.
  package init(
    authorities: String?, stallSeconds: Int, cancellation: Cancellation
  ) throws(NativeLibraryError) {
    self.authorities = authorities
    self.stallSeconds = stallSeconds
    self.cancellation = cancellation
    connectSeconds = min(30, stallSeconds)
    var opened: OpaquePointer?
    let words = unsafe nativeMessage { error, size in
      unsafe opened = meshpipe_transfer_open(error, size)
    }
    guard let pointer = unsafe opened else { throw NativeLibraryError("the upload", words) }
    handle = unsafe Handle(pointer: pointer)
  }

  /// Sends a file with PUT, or asks with HEAD for what is there.
  ///
  /// - Parameters:
  ///   - body: Nil for HEAD.
  ///   - headers: Lines `Name: value`.
  /// - Throws: ``Failure``, or ``Cancelled``.
  package func perform(_ url: String, _ body: Body?, headers: [String]) throws -> Response {
    guard !cancellation.isRequested else { throw Cancelled() }
    var answer = meshpipe_transfer_response()
    var result = meshpipe_transfer_failed
    let words = unsafe nativeMessage { error, size in
      result = unsafe send(
        to: url, body: body, headers: headers, answer: &answer, error: error, size: size)
    }
    switch result {
    case meshpipe_transfer_ok: return Response(answer)
    case meshpipe_transfer_cancelled: throw Cancelled()
    case meshpipe_transfer_untrusted: throw Failure.untrusted(words)
    case meshpipe_transfer_invalid: throw Failure.invalid(words)
    case meshpipe_transfer_unreadable: throw Failure.unreadable(words)
    default: throw Failure.unreachable(words)
    }
  }

  private func send(
    to url: String, body: Body?, headers: [String], answer: inout meshpipe_transfer_response,
    error: UnsafeMutablePointer<CChar>?, size: Int
  ) -> meshpipe_transfer_result {
    let stop = unsafe Unmanaged.passUnretained(cancellation).toOpaque()
    return unsafe url.withCString { url in
      unsafe headers.joined(separator: "\n").withCString { headers in
        unsafe Self.withPath(body?.path) { file in
          unsafe Self.withPath(authorities) { authorities in
            var request = unsafe meshpipe_transfer_request()
            unsafe request.url = url
            unsafe request.headers = headers
            unsafe request.file = file
            unsafe request.size = Int64(body?.size ?? 0)
            unsafe request.authorities = authorities
            unsafe request.connect_seconds = connectSeconds
            unsafe request.stall_seconds = stallSeconds
            unsafe request.context = stop
            unsafe request.is_cancelled = { context in
              guard let context = unsafe context else { return 0 }
              let cancellation = unsafe Unmanaged<Cancellation>.fromOpaque(context)
              return unsafe cancellation.takeUnretainedValue().isRequested ? 1 : 0
            }
            return unsafe meshpipe_transfer_perform(
              handle.pointer, &request, &answer, error, size)
          }
        }
      }
    }
  }

  private static func withPath<Result>(
    _ path: String?, _ body: (UnsafePointer<CChar>?) -> Result
  ) -> Result {
    guard let path else { return body(nil) }
    return unsafe path.systemPath.withUnsafeBufferPointer { unsafe body($0.baseAddress) }
  }
}

extension HTTPTransfer.Response {
  fileprivate init(_ answer: meshpipe_transfer_response) {
    func text<Field>(_ field: Field) -> String? {
      let text = unsafe withUnsafeBytes(of: field) { bytes in
        unsafe String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
      }
      return text.isEmpty ? nil : text
    }
    status = answer.status
    length = answer.length < 0 ? nil : Int(answer.length)
    retryAfter = answer.retry_after > 0 ? Double(answer.retry_after) : nil
    location = text(answer.location)
    digest = text(answer.digest)
    checksum = text(answer.checksum)
    entityTag = text(answer.etag).map { tag in
      tag.hasPrefix("\"") && tag.hasSuffix("\"") && tag.count > 1
        ? String(tag.dropFirst().dropLast()) : tag
    }
  }
}
