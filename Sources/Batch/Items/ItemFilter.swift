/// Selects the wanted scans.
struct ItemFilter: Sendable {
  private let included: [GlobPattern]
  private let excluded: [GlobPattern]

  /// - Parameters:
  ///   - include: Patterns of which one must match; empty for all.
  ///   - exclude: Patterns of which none may match.
  init(include: [String] = [], exclude: [String] = []) {
    included = include.map { GlobPattern($0) }
    excluded = exclude.map { GlobPattern($0) }
  }

  /// Whether there is any pattern.
  var narrows: Bool { !included.isEmpty || !excluded.isEmpty }

  /// Whether a scan is wanted, by its path relative to the input.
  func includes(_ path: String) -> Bool {
    !excludes(path) && (included.isEmpty || included.contains { $0.matches(path) })
  }

  /// Whether nothing at or below a path can be wanted.
  func excludes(_ path: String) -> Bool { excluded.contains { $0.matches(path) } }
}
