extension ArchiveReader {
  /// Why a name must not become a path; nil if it may.
  ///
  /// - Parameter name: As in the archive.
  static func refusal(ofName name: String) -> String? {
    let slashed = String(name.map { $0 == "\\" ? "/" : $0 })
    if slashed.isEmpty { return "it has no name" }
    if slashed.hasPrefix("/") { return "its name is an absolute path" }
    let parts = slashed.split(separator: "/")
    if parts.contains("..") { return "its name leads out of the folder" }
    if parts.first?.dropFirst().first == ":" { return "its name begins with a drive" }
    if name.unicodeScalars.contains(where: { isControl($0) }) {
      return "its name contains a control character"
    }
    if name.contains("\\") { return "its name contains a backslash" }
    if parts.count > maximumDepth { return "it is more than \(maximumDepth) folders deep" }
    if parts.contains(where: { $0.utf8.count > 255 }) || name.utf8.count > 2048 {
      return "its name is too long"
    }
    return nil
  }

  /// The maximum number of components of a name.
  private static var maximumDepth: Int { 100 }

  private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
    scalar.value < 32 || (127..<160).contains(scalar.value)
  }

  /// A name with single slashes, and without redundant components.
  static func plainName(_ name: String) -> String {
    let slashed = name.utf8.contains(UInt8(ascii: "\\")) ? name.map { $0 == "\\" ? "/" : $0 } : nil
    let text = slashed.map { String($0) } ?? name
    let parts = text.split(separator: "/").filter { $0 != "." }
    return (text.hasPrefix("/") ? "/" : "") + parts.joined(separator: "/")
  }
}
