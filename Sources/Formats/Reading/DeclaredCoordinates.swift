import MeshPipeline

/// The axes and the unit that meshpipe's own files declare in a comment near their start.
///
/// OBJ, PLY and STL can't express them: without the comment a model written with Z up would be read
/// lying on its side.
enum DeclaredCoordinates {
  /// The range in which comments are searched.
  private static let headLength = 4096

  /// The coordinate system declared by a file; nil if there is none.
  ///
  /// - Parameter isComment: Whether a line is free text in the format.
  static func inHead(
    of path: String, where isComment: (Substring) -> Bool
  ) -> CoordinateSystem? {
    guard let head = try? FileSystem.head(of: path, count: headLength) else { return nil }
    let text = String(decoding: head, as: UTF8.self)
    for line in text.split(whereSeparator: \.isNewline) where isComment(line) {
      if let system = CoordinateSystem(declaredIn: String(line)) { return system }
    }
    return nil
  }
}
