/// What the inputs of a batch may ask of the machine.
///
/// Each limit has a flag; what exceeds one is an item at fault, and the others go on.
public struct ItemLimits: Sendable, Equatable {
  /// How many times larger than its archive, or than its own packed bytes, something may unpack to:
  /// `--max-ratio`.
  public var ratio = 250
  /// Bytes that may come of any archive, however small.
  public var ratioFloor = 64 << 20
  /// Bytes of the files of one item: `--max-bytes`.
  public var itemBytes = 16 << 30
  /// Bytes that an archive unpacks to in all: `--max-archive-bytes`.
  public var archiveBytes = 4 << 40
  /// Entries of an archive, those of archives in it included: `--max-entries`.
  public var entries = 1_000_000
  /// How many archives may lie around an item, beside the outermost: `--max-nesting`.
  public var nesting = 1
  /// Bytes of unfinished items that may lie on the disk at once, while an archive is unpacked whose
  /// items are scattered over it; more make another pass over the archive: `--max-staged`.
  public var stagedBytes = 4 << 30

  public init() {}
}

/// A number of bytes as a person writes it: `2GiB`, `500MB`, `4096`.
public enum ByteSize {
  /// The names of factors, without the final `B` that may follow, in lower case.
  private static let factors: [(name: String, bytes: Double)] = [
    ("", 1), ("k", 1e3), ("m", 1e6), ("g", 1e9), ("t", 1e12), ("ki", 1024), ("mi", 1_048_576),
    ("gi", 1_073_741_824), ("ti", 1_099_511_627_776),
  ]

  /// The number of bytes that a text stands for; nil when it stands for none.
  ///
  /// - Parameter text: A number from 0 up, and a unit of powers of a thousand (`kB`, `MB`, `GB`, `TB`)
  ///   or of 1024 (`KiB`, `MiB`, `GiB`, `TiB`), in any case and with or without the `B`.
  public static func bytes(of text: String) -> Int? {
    let text = text.lowercased().filter { $0 != " " }
    let digits = text.prefix { $0.isASCII && ($0.isNumber || $0 == ".") }
    var unit = text.dropFirst(digits.count)
    if unit.hasSuffix("b") { unit = unit.dropLast() }
    guard let number = Double(digits),
      let factor = factors.first(where: { $0.name == unit })
    else { return nil }
    return Int(exactly: (number * factor.bytes).rounded())
  }

  /// A number of bytes in the largest unit that fits: `2 GiB`, `1.5 MiB`.
  public static func text(of bytes: Int) -> String {
    let units = ["bytes", "KiB", "MiB", "GiB", "TiB"]
    var (value, unit) = (Double(bytes), 0)
    while value >= 1024, unit < units.count - 1 { (value, unit) = (value / 1024, unit + 1) }
    let tenths = Int((value * 10).rounded())
    return "\(tenths / 10)\(tenths % 10 == 0 ? "" : ".\(tenths % 10)") \(units[unit])"
  }
}
