import MeshPipeline

/// The first word of an OFF file, which lists the attributes of vertices: `OFF`, `COFF`, `STCNOFF`.
struct OFFHeader {
  var hasNormals = false
  var hasColors = false
  var hasTextureCoordinates = false
  /// Four coordinates per vertex, the last of which divides the others.
  var isHomogeneous = false
  /// The file specifies the number of coordinates per vertex.
  var namesDimension = false

  /// The text directly after the word, as in files of ModelNet: `OFF490 518 0`.
  private(set) var length = 0

  /// - Parameter word: The first word of the file.
  /// - Returns: Nil if it is not a keyword.
  init?(_ word: String) {
    guard let keyword = word.range(of: "off") else { return nil }
    let isLowerCase = word[keyword] == "off"
    var rest = word[..<keyword.lowerBound]
    length = word[..<keyword.upperBound].utf8.count
    while let letter = rest.popFirst() {
      switch letter {
      case "S", "s":
        guard let next = rest.popFirst(), next == "T" || next == "t" else { return nil }
        hasTextureCoordinates = true
      case "C", "c": hasColors = true
      case "n" where !isLowerCase: namesDimension = true
      case "N", "n": hasNormals = true
      case "4": isHomogeneous = true
      default: return nil
      }
    }
  }

  /// The number of values per vertex, with a colour of three or four components.
  func vertexWidth(colorWidth: Int) -> Int {
    3 + (hasNormals ? 3 : 0) + (hasColors ? colorWidth : 0) + (hasTextureCoordinates ? 2 : 0)
  }
}

extension String {
  /// The position of a lower-case word of ASCII letters, ignoring case.
  fileprivate func range(of word: String) -> Range<String.Index>? {
    lowercased().utf8.count == utf8.count ? lowercased().firstRange(of: word) : nil
  }
}
