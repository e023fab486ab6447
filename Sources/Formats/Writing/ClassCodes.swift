import MeshPipeline

/// The classes of the ASPRS, whose codes are those of LAS and of other files of surveys.
enum ClassCodes {
  /// The first code that is free for everyone's own classes.
  static let firstOwn = 64

  /// The class of a code without a name in the file.
  static func name(of code: Int) -> String { ClassScheme.asprs.name(of: code, column: "class") }

  /// The codes of some classes, by their place: floors are ground, walls are building, and other
  /// classes of rooms have codes from 64 on.
  ///
  /// - Parameters:
  ///   - limit: The largest code that the file can hold.
  ///   - survey: The codes that classes had in the file that was read.
  /// - Returns: Nil for classes that no code is left for.
  static func codes(of classes: [String], limit: Int, _ survey: Survey?) -> [Int?] {
    let known = (survey?.classCodes ?? [:]).mapValues(Int.init).filter { $0.value <= limit }
    var taken = Set(classes.compactMap { known[$0] })
    return classes.map { name in
      if name == "none" { return Int(survey?.unclassifiedCode ?? 1) }
      if let code = known[name] { return code }
      let code =
        preferredCode(of: name).flatMap { taken.contains($0) || $0 > limit ? nil : $0 }
        ?? (firstOwn..<max(firstOwn, limit + 1)).first { !taken.contains($0) }
      if let code { taken.insert(code) }
      return code
    }
  }

  private static func preferredCode(of name: String) -> Int? {
    if name == "floor" { return 2 }
    if name == "wall" { return 6 }
    if let code = FaceClasses.asprsNames.first(where: { $0.value == name })?.key { return code }
    if let label = FaceClasses.arkitNames.firstIndex(of: name) { return firstOwn + label }
    // Numbers without names keep their number.
    return number(in: name).flatMap { $0 > 1 ? $0 : nil }
  }

  /// The number of a class that has no other name: 3 of `label-3`; nil for other names.
  static func number(in name: String) -> Int? {
    guard let hyphen = name.lastIndex(of: "-"), let number = UInt16(name[hyphen...].dropFirst()),
      ["class", "label", "classification", "category"].contains(name[..<hyphen])
    else { return nil }
    return Int(number)
  }
}
