import MeshPipeline

/// The axes and the unit that files of meshpipe's own declare in a comment near their beginning.
///
/// OBJ, PLY and STL have no words for them: without the comment a model that was written with Z up would
/// come back lying on its side.
enum DeclaredCoordinates {
  /// Comments farther from the beginning are not looked at.
  private static let headLength = 4096

  /// The system that a file declares; nil when it declares none.
  ///
  /// - Parameter isComment: Whether a line is one in which the format says what it likes.
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
