/// Detects formats by the first bytes of files whose name does not specify them.
public enum FormatDetection {
  /// The number of bytes needed.
  public static let headLength = 4096

  /// The id of the most likely format of a file.
  ///
  /// - Parameters:
  ///   - head: The first bytes of the file, up to ``headLength``.
  ///   - size: The length of the whole file.
  /// - Returns: Nil for an unknown format.
  public static func formatID(ofHead head: [UInt8], size: Int) -> String? {
    if head.starts(with: Array("glTF".utf8)) { return "glb" }
    if head.starts(with: WireFormat.magic) { return "meshscene" }
    if head.starts(with: Array("ply\n".utf8)) || head.starts(with: Array("ply\r".utf8)) {
      return "ply"
    }
    if head.starts(with: Array("Kaydara FBX Binary".utf8)) { return "fbx" }
    if isBinarySTL(head, size: size) { return "stl" }
    if head.starts(with: [0x50, 0x4B, 0x03, 0x04]) { return "3mf" }
    return textFormatID(head)
  }

  /// A binary STL has 80 bytes of arbitrary text, a face count, and 50 bytes per face.
  private static func isBinarySTL(_ head: [UInt8], size: Int) -> Bool {
    guard head.count >= 84 else { return false }
    let count = (80..<84).reversed().reduce(0) { $0 << 8 | Int(head[$1]) }
    return size == 84 + 50 * count
  }

  private static func textFormatID(_ head: [UInt8]) -> String? {
    guard !head.contains(0) else { return nil }
    let text = String(decoding: head, as: UTF8.self)
    let body = text.drop { $0.isWhitespace || $0 == "\u{FEFF}" }
    if body.hasPrefix("solid") { return "stl" }
    if body.hasPrefix("{") { return "gltf" }
    if body.hasPrefix("<") {
      if text.contains("<COLLADA") { return "dae" }
      return text.contains("<X3D") ? "x3d" : nil
    }
    if body.hasPrefix("; FBX") { return "fbx" }
    let comments = text.split(whereSeparator: \.isNewline).first { !$0.hasPrefix("#") } ?? ""
    let keyword = comments.drop { $0 == " " || $0 == "\t" }.prefix { !$0.isWhitespace }
    if keyword.hasSuffix("OFF"), keyword.allSatisfy({ "STCN4nOF".contains($0) }) { return "off" }
    let words: Set<Substring> = ["v", "vn", "vt", "f", "g", "o", "mtllib", "usemtl", "s"]
    let first = body.split(whereSeparator: \.isNewline).lazy
      .map { $0.drop { $0 == " " || $0 == "\t" } }
      .first { !$0.isEmpty && !$0.hasPrefix("#") }
    let word = first?.prefix { $0 != " " && $0 != "\t" }
    return word.map { words.contains($0) } == true ? "obj" : nil
  }
}
