extension SideFileSearch {
  /// The pictures of a texture in tiles (UDIM).
  package struct Tiles: Sendable {
    /// The path of each by its number.
    package var paths: [Int: String]
    /// The tile that the name has instead of a mark for any.
    package var named: Int?
  }

  /// The tiles that a name stands for: by `<UDIM>` (Maya, Blender), `%(UDIM)d` (Houdini), `<UVTILE>` (`u1_v1`, Mudbox), or
  /// as one of them, `skin.1001.png`; nil for any other name, or if there are none.
  package func tiles(of name: String, subfolder: String = "") -> Tiles? {
    for reading in [SideFileName.slashed(name)] + SideFileName.readings(of: name) {
      guard let pattern = TilePattern(FileSystem.name(of: reading)) else { continue }
      for path in places(of: reading, subfolder) {
        let found = names(beside: path).compactMap { name in
          pattern.tile(of: name.name).map { (tile: $0, path: name.path) }
        }
        guard found.count > (pattern.named == nil ? 0 : 1) else { continue }
        return Tiles(
          paths: Dictionary(found.map { ($0.tile, $0.path) }) { first, _ in first },
          named: pattern.named)
      }
    }
    return nil
  }
}

/// A file name with a place for the number of a tile.
private struct TilePattern {
  private var start: String
  private var end: String
  private var isUVTile = false
  var named: Int?

  init?(_ name: String) {
    let folded = name.lowercased()
    for mark in ["<udim>", "%(udim)d", "<uvtile>"] {
      let parts = folded.split(separator: mark, maxSplits: 1, omittingEmptySubsequences: false)
      guard parts.count == 2 else { continue }
      (start, end) = (String(parts[0]), String(parts[1]))
      isUVTile = mark == "<uvtile>"
      return
    }
    // Four digits before the ending, set off from the rest.
    let stem = FileSystem.stem(of: folded)
    guard let number = Self.number(stem.suffix(4)), stem.count > 5,
      let before = stem.dropLast(4).last, "._- ".contains(before)
    else { return nil }
    start = String(stem.dropLast(4))
    end = String(folded.dropFirst(stem.count))
    named = number
  }

  /// The number of the tile with this name; nil for others.
  func tile(of name: String) -> Int? {
    let folded = name.lowercased()
    guard folded.hasPrefix(start), folded.hasSuffix(end), folded.count > start.count + end.count
    else {
      return nil
    }
    let middle = folded.dropFirst(start.count).dropLast(end.count)
    guard isUVTile else { return Self.number(middle) }
    let parts = middle.split(separator: "_")
    guard parts.count == 2, parts[0].first == "u", parts[1].first == "v",
      let u = Int(parts[0].dropFirst()), let v = Int(parts[1].dropFirst()),
      (1...10).contains(u), (1...90).contains(v)
    else { return nil }
    return 1001 + (u - 1) + 10 * (v - 1)
  }

  private static func number(_ text: Substring) -> Int? {
    guard text.utf8.count == 4, let number = Int(text), (1001...1999).contains(number) else {
      return nil
    }
    return number
  }
}
