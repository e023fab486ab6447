import MeshPipeline

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
    let usual = ClassCodes.name(of: code)
    guard let own = header.classNames[code] else { return usual }
    if code < 2 { return FaceClasses.isKnown(own) ? own : "none" }
    return own == "none" ? "class-\(code)" : own
  }
}
