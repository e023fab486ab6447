import MeshPipeline

/// Where outputs are sent to.
struct UploadDestination: Sendable, Equatable {
  /// Scheme, host, port and path, without a slash at the end.
  let url: String
  /// Nil if the server needs none.
  let token: String?

  /// - Throws: For a URL that can't take files, or through which the token could be read by others.
  init(_ text: String, token: String?, verb: Verb) throws(UsageError) {
    var text = text
    while text.hasSuffix("/") { text.removeLast() }
    guard let origin = Self.origin(of: text) else {
      throw UsageError(
        "'--upload' needs a URL that begins with https:// or http:// and has a host",
        verb: verb)
    }
    // The error must not repeat them.
    guard !origin.contains("@") else {
      throw UsageError(
        "'--upload' takes no name and password in the URL, which other users could see: put a token into the "
          + "environment variable \(Self.tokenVariable)",
        verb: verb)
    }
    guard !text.contains(where: { "?# ".contains($0) }),
      text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F })
    else {
      throw UsageError(
        "'--upload' needs the URL of a folder, without spaces, '?' and '#'",
        verb: verb)
    }
    if let token {
      guard token.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
        throw UsageError(
          "\(Self.tokenVariable) contains a character that no token has",
          verb: verb)
      }
      guard origin.hasPrefix("https://") || Self.isLocal(origin) else {
        throw UsageError(
          "the token of \(Self.tokenVariable) would be sent without encryption: use https://",
          verb: verb)
      }
    }
    url = text
    self.token = token
  }

  static let tokenVariable = "MESHPIPE_UPLOAD_TOKEN"

  /// The URL of a file.
  func url(of name: String) -> String { "\(url)/\(URLText.path(name))" }

  /// Whether the token may be sent to a URL: that of the same host, port and scheme.
  func trusts(_ other: String) -> Bool { Self.origin(of: other) == Self.origin(of: url) }

  /// Whether a redirect to a URL keeps the encryption.
  func isAsSafe(_ other: String) -> Bool {
    guard let origin = Self.origin(of: other) else { return false }
    return origin.hasPrefix("https://") || url.lowercased().hasPrefix("http://")
  }

  /// Scheme, host and port in lower case; nil for another scheme, or without a host.
  private static func origin(of url: String) -> String? {
    for (scheme, port) in [("https://", ":443"), ("http://", ":80")]
    where url.lowercased().hasPrefix(scheme) {
      let host = url.dropFirst(scheme.count).prefix { !"/?#".contains($0) }
      guard !host.isEmpty, !host.hasPrefix(":") else { return nil }
      let origin = scheme + host.lowercased()
      return origin.hasSuffix(port) ? String(origin.dropLast(port.count)) : origin
    }
    return nil
  }

  private static func isLocal(_ origin: String) -> Bool {
    let host = origin.dropFirst("http://".count)
    return ["127.0.0.1", "localhost", "[::1]"].contains { host == $0 || host.hasPrefix($0 + ":") }
  }
}

/// A file that is sent.
struct UploadFile: Sendable, Equatable {
  var path: String
  /// The name at the destination, which may have folders.
  var name: String

  /// An output whose files are sent.
  struct Output: Sendable, Equatable {
    /// The absolute path of the folder that contains its file, or the whole folder that it is.
    var folder: String
    /// The paths of its files, the main file first.
    var files: [String]
  }

  /// The files of outputs, side files before the main file that refers to them.
  ///
  /// Names are relative to the innermost folder that contains all outputs.
  static func all(of outputs: [Output]) -> [UploadFile] {
    let folders = outputs.map { $0.folder.split(separator: "/") }
    let depth = folders.map { zip($0, folders[0]).prefix { $0 == $1 }.count }.min() ?? 0
    var known: Set<String> = []
    return outputs.flatMap { $0.files.reversed() }.compactMap { path in
      let name = FileSystem.absolutePath(of: path).split(separator: "/").dropFirst(depth)
        .joined(separator: "/")
      return known.insert(name).inserted ? UploadFile(path: path, name: name) : nil
    }
  }
}
