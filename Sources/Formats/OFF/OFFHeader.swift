import MeshPipeline

/// The first word of an OFF file, which says what each vertex has: `OFF`, `COFF`, `STCNOFF`.
struct OFFHeader {
  var hasNormals = false
  var hasColors = false
  var hasTextureCoordinates = false
  /// Four coordinates for each vertex, the last of which divides the others.
  var isHomogeneous = false
  /// The file says how many coordinates a vertex has.
  var namesDimension = false

  /// What the word is followed by without a space, as in the files of ModelNet: `OFF490 518 0`.
  private(set) var length = 0

  /// - Parameter word: The first word of the file.
  /// - Returns: Nil when it is no keyword.
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

  /// How many numbers a vertex has, with a colour of three or four parts.
  func vertexWidth(colorWidth: Int) -> Int {
    3 + (hasNormals ? 3 : 0) + (hasColors ? colorWidth : 0) + (hasTextureCoordinates ? 2 : 0)
  }
}

extension String {
  /// The place of a lower-case word of ASCII letters, in any case.
  fileprivate func range(of word: String) -> Range<String.Index>? {
    lowercased().utf8.count == utf8.count ? lowercased().firstRange(of: word) : nil
  }
}
