import MeshPipeline

/// The classes of the ASPRS, whose codes are part of LAS.
enum LASClassCodes {
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
        [preferredCode(of: name)].compactMap { $0 }.first { !taken.contains($0) && $0 <= limit }
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
    guard let hyphen = name.lastIndex(of: "-"), let code = Int(name[hyphen...].dropFirst()),
      (2...255).contains(code),
      ["class", "label", "classification", "category"].contains(name[..<hyphen])
    else { return nil }
    return code
  }
}

/// The classes of a file by their codes.
struct LASCodes {
  /// The label of each code.
  private(set) var labels = [UInt16](repeating: 0, count: 256)
  /// The names of the labels.
  private(set) var names: [String] = []
  /// The code of each name that occurs.
  private(set) var codeOfName: [String: UInt8] = [:]
  /// The code of points without a class: 0, never classified, or 1, unclassified.
  private(set) var unclassified: UInt8 = 1
  /// Whether some points have the one and some the other.
  private(set) var hasBothUnclassified = false

  init(_ header: LASHeader, _ survey: LASSurvey) {
    var table = ClassNameTable()
    var isNone = [false, false]
    for code in 0..<256 where survey.hasCode(code, in: header.pointFormat.classification) {
      let name = Self.name(of: code, header)
      guard name != "none" else {
        if code < 2 { isNone[code] = true }
        continue
      }
      // Codes that a file gives one name are two classes anyway.
      let own = codeOfName[name] == nil ? name : "\(name)-\(code)"
      labels[code] = table.label(of: own)
      codeOfName[own] = UInt8(code)
    }
    names = table.names
    unclassified = isNone[0] && !isNone[1] ? 0 : 1
    hasBothUnclassified = isNone[0] && isNone[1]
  }

  /// The name in the file or that of the ASPRS; 0 and 1 are points without a class.
  private static func name(of code: Int, _ header: LASHeader) -> String {
    let usual = LASClassCodes.name(of: code)
    guard let own = header.classNames[code] else { return usual }
    if code < 2 { return FaceClasses.isKnown(own) ? own : "none" }
    return own == "none" ? "class-\(code)" : own
  }
}
