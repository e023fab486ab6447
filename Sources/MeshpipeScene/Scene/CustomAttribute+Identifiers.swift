/// Identifiers: whole numbers that tell which points are samples of the same feature.
extension CustomAttribute {
  /// The names of identifiers, the most telling first, without what ``plainName(_:)`` removes.
  private static let identifierNames = [
    "identifier", "identifiers", "featureid", "featureids", "featureidentifier",
    "featureidentifiers", "feature", "trackid", "trackids", "track", "pointid", "pointids",
    "pointidentifier", "id", "ids", "uid", "uids",
  ]

  /// The place of a name among those of identifiers; nil for other names.
  fileprivate static func identifierRank(of name: String) -> Int? {
    identifierNames.firstIndex(of: plainName(name))
  }

  /// Whether a column or an attribute of this name holds identifiers.
  package static func isIdentifier(_ name: String) -> Bool { identifierRank(of: name) != nil }

  /// A name without the ways of writing it: lower case, no separators, and not as a scalar field of CloudCompare.
  package static func plainName(_ name: String) -> String {
    let name = name.lowercased()
    let own = name.hasPrefix("scalar_") ? name.dropFirst(7) : name[...]
    return own.filter { $0 != "_" && $0 != "-" && $0 != " " }
  }
}

extension [CustomAttribute] {
  /// The one with the identifiers of features, by its name; nil if there is none.
  package var identifier: CustomAttribute? {
    filter { $0.width == 1 && CustomAttribute.isIdentifier($0.name) }
      .min {
        (CustomAttribute.identifierRank(of: $0.name) ?? .max)
          < (CustomAttribute.identifierRank(of: $1.name) ?? .max)
      }
  }

  /// The same with identifiers in floating point, as formats without integers of 64 bits have them, as integers where they
  /// are exact.
  package var withWholeIdentifiers: [CustomAttribute] {
    map { attribute in
      guard !attribute.type.isInteger, attribute.width == 1,
        CustomAttribute.isIdentifier(attribute.name),
        let words = attribute.values.exactWords
      else { return attribute }
      return CustomAttribute(attribute.name, values: .uint64(words))
    }
  }
}

extension CustomAttribute.Values {
  /// The values as unsigned integers if all are, and small enough that none was rounded; nil otherwise.
  package var exactWords: [UInt64]? {
    let limit = type.firstInexact
    var words: [UInt64] = []
    words.reserveCapacity(count)
    for index in 0..<count {
      guard type.isInteger || double(at: index) < limit, let word = unsigned(at: index) else {
        return nil
      }
      words.append(word)
    }
    return words
  }

  /// Whether doubles represent all values exactly.
  package var fitDoubles: Bool {
    guard case .uint64(let values) = self else { return true }
    return values.allSatisfy { $0 < UInt64(NumberType.float64.firstInexact) }
  }
}

extension NumberType {
  /// Below it, a floating-point type represents all whole numbers, and no other one is rounded to them.
  package var firstInexact: Double { self == .float32 ? 0x1p24 : 0x1p53 }
}
