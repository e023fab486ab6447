package import MeshPipeline

extension XYZ: ReadableFormat {
  package static let canBring: Set<SceneFeature> = .ofPoints

  /// Two lines of at least three numbers are points, whatever stands before them.
  package static func recognizes(_ head: FileHead) -> Bool {
    guard head.text != nil else { return false }
    let bytes = head.bytes.span
    guard let header = try? PointTextHeader(bytes) else { return false }
    var lines = TextLines(header.bodyOffset..<bytes.count)
    for _ in 0..<2 {
      guard let range = try? lines.next(bytes) else { return false }
      // The last line may be cut off.
      guard range.upperBound < bytes.count || bytes.count == head.fileSize else { return true }
      let words = header.words(text(bytes, range))
      guard words.count >= 3, words.allSatisfy({ Double($0) != nil }) else { return false }
    }
    return true
  }

  /// Reads points; their columns come from a header, or from what is in them.
  package static func read(_ path: String, in context: ReadingContext) throws -> Scene {
    try context.reading(path) {
      try PointTextReader(file: $0, context: context, isLeica: false).scene()
    }
  }

  package static func coordinateSystem(of path: String) -> CoordinateSystem? {
    DeclaredCoordinates.inHead(of: path) { $0.hasPrefix("#") }
  }
}
