/// The table of names that class numbers without names are looked up in.
public enum ClassScheme: Sendable, Equatable {
  /// `ARMeshClassification`: 0 none, 1 wall, 2 floor, 3 ceiling and so on.
  case arkit
  /// The codes of the ASPRS, which LAS has: 2 ground, 6 building and so on.
  case asprs
  /// No table: a number is its own name, `label-3`.
  case numbered
  /// A table of the user's; numbers that it lacks are their own names.
  case named([Int: String])

  /// The name of a class.
  ///
  /// - Parameter column: What the numbers stood under: a number without a name becomes `column-3`.
  public func name(of number: Int, column: String) -> String {
    let own = "\(column)-\(number)"
    switch self {
    case .arkit:
      return FaceClasses.arkitNames.indices.contains(number) ? FaceClasses.arkitNames[number] : own
    case .asprs:
      return number < 0 ? own : FaceClasses.asprsNames[number] ?? "class-\(number)"
    case .numbered: return own
    case .named(let names): return names[number] ?? own
    }
  }
}

extension FaceClasses {
  /// The names of the ASPRS's codes, as of LAS 1.4; codes 0 and 1 are points without a class.
  public static let asprsNames: [Int: String] = {
    let names = [
      "none", "none", "ground", "low-vegetation", "medium-vegetation", "high-vegetation",
      "building",
      "low-noise", "model-key-point", "water", "rail", "road-surface", "overlap", "wire-guard",
      "wire-conductor", "transmission-tower", "wire-connector", "bridge-deck", "high-noise",
      "overhead-structure", "ignored-ground", "snow", "temporal-exclusion",
    ]
    return Dictionary(uniqueKeysWithValues: names.enumerated().map { ($0, $1) })
  }()
}
