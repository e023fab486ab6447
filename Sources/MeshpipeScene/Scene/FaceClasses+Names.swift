extension FaceClasses {
  /// A name in the form of class names: lower case, hyphens for spaces and underscores.
  ///
  /// A trailing number (`wall_3`, `Wall.001`, `wall 2`) is dropped if the rest is one of ARKit's
  /// or RoomPlan's names.
  package static func normalized(_ name: String) -> String {
    var result = ""
    for character in name.lowercased() {
      let isSeparator = character == " " || character == "_" || character == "\t"
      if isSeparator || character == "-" {
        if !result.isEmpty, result.last != "-" { result.append("-") }
      } else {
        result.append(character)
      }
    }
    while result.last == "-" { result.removeLast() }
    if knownNames.contains(result) { return result }
    let joined = result.filter { $0 != "-" }
    if let known = knownByLetters[joined] { return known }
    var base = Substring(result)
    while let last = base.last, last.isNumber || last == "-" || last == "." { base.removeLast() }
    if base.count < result.count, let known = knownByLetters[base.filter { $0 != "-" }] {
      return known
    }
    return result
  }

  /// Whether a normalised name is one of ARKit's or RoomPlan's classes.
  package static func isKnown(_ normalized: String) -> Bool { knownNames.contains(normalized) }

  private static let knownNames = Set(arkitNames + roomNames)

  /// `wallDecoration` and `walldecoration` become `wall-decoration`.
  private static let knownByLetters = Dictionary(
    uniqueKeysWithValues: (arkitNames + roomNames).map { ($0.filter { $0 != "-" }, $0) })
}
