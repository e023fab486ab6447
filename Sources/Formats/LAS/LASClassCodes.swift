import MeshPipeline

/// The classes of the ASPRS, whose codes are part of LAS.
enum LASClassCodes {
  /// The names of the codes from 2 on; 0 and 1 are points without a class.
  private static let names = [
    "ground", "low-vegetation", "medium-vegetation", "high-vegetation", "building", "low-noise",
    "model-key-point", "water", "rail", "road-surface", "overlap", "wire-guard", "wire-conductor",
    "transmission-tower", "wire-connector", "bridge-deck", "high-noise", "overhead-structure",
    "ignored-ground", "snow", "temporal-exclusion",
  ]

  /// The first code that is free for everyone's own classes.
  static let firstOwn = 64

  /// The class of a code without a name in the file.
  static func name(of code: Int) -> String {
    if code < 2 { return "none" }
    return code - 2 < names.count ? names[code - 2] : "class-\(code)"
  }

  /// The codes of some classes, by their place: floors are ground, walls are building, and other
  /// classes of rooms have codes from 64 on.
  ///
  /// - Parameter limit: The largest code that the file can hold.
  /// - Returns: Nil for classes that no code is left for.
  static func codes(of classes: [String], limit: Int) -> [Int?] {
    var taken: Set<Int> = []
    return classes.map { name in
      if name == "none" { return 1 }
      let code =
        [preferredCode(of: name)].compactMap { $0 }.first { !taken.contains($0) && $0 <= limit }
        ?? (firstOwn..<max(firstOwn, limit + 1)).first { !taken.contains($0) }
      if let code { taken.insert(code) }
      return code
    }
  }

  private static func preferredCode(of name: String) -> Int? {
    if name == "floor" { return 2 }
    if name == "wall" { return 6 }
    if let place = names.firstIndex(of: name) { return place + 2 }
    if let label = FaceClasses.arkitNames.firstIndex(of: name) { return firstOwn + label }
    guard name.hasPrefix("class-"), let code = Int(name.dropFirst(6)), (2...255).contains(code)
    else { return nil }
    return code
  }
}
