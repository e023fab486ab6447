package import MeshPipeline

/// A duration as written by people: `90s`, `0.2s`, `5m`, `1h30m`, `500ms`; a plain number is in
/// seconds.
package struct Timespan: Sendable, Equatable {
  package var seconds: Double

  private static let units: [(name: String, seconds: Double)] = [
    ("ms", 0.001), ("s", 1), ("m", 60), ("min", 60), ("h", 3600), ("d", 86400),
  ]

  /// - Throws: ``InvalidTimespan`` if it is not a duration above zero.
  package init(parsing text: String) throws(InvalidTimespan) {
    var seconds = 0.0
    var rest = text[...]
    while !rest.isEmpty {
      let digits = rest.prefix { $0.isASCII && $0.isNumber || $0 == "." }
      rest = rest.dropFirst(digits.count)
      let letters = rest.prefix { $0.isLetter }
      rest = rest.dropFirst(letters.count)
      let unit = letters.isEmpty && digits.count == text.count ? "s" : letters
      guard let number = Double(digits), let unit = Self.units.first(where: { $0.name == unit })
      else { throw InvalidTimespan(text: text) }
      seconds += number * unit.seconds
    }
    guard seconds > 0, seconds < 1e9 else { throw InvalidTimespan(text: text) }
    self.seconds = seconds
  }
}

/// A text that is not a duration.
package struct InvalidTimespan: UserError, Equatable {
  package var text: String

  package var exitCode: ExitCode { .usage }
  package var message: String { "'\(text)' is not a duration; write 90s, 5m or 1h30m" }
}
