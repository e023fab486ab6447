import MeshPipeline

/// Names of prims: identifiers of ASCII letters, digits and underscores, unique among siblings.
///
/// USD allows other letters since 2024, which older programs reject.
struct USDNames {
  private var names = UniqueNames(separator: "_")

  /// - Parameter fallback: The name of what has none, an identifier.
  mutating func unique(_ name: String, or fallback: String) -> String {
    names.unique(Self.identifier(name) ?? fallback)
  }

  /// The nearest identifier to a name; nil if the name has no letter or digit of ASCII.
  static func identifier(_ name: String) -> String? {
    var result = ""
    for scalar in name.unicodeScalars {
      let isPlain = scalar.isASCII && (scalar.properties.isAlphabetic || isDigit(scalar))
      result.unicodeScalars.append(isPlain ? scalar : "_")
    }
    guard result.contains(where: { $0 != "_" }), let first = result.unicodeScalars.first else {
      return nil
    }
    return isDigit(first) ? "_" + result : result
  }

  private static func isDigit(_ scalar: Unicode.Scalar) -> Bool { ("0"..."9").contains(scalar) }
}
