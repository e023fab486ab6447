extension JSONValue {
  /// A number in its shortest form: whole numbers without a point, others as they read back exactly.
  public static func text(of number: Double) -> String {
    if let whole = Int64(exactly: number), abs(whole) < 1 << 53 { return String(whole) }
    return number.description
  }

  /// A fraction as a percentage, with the rounding error of the multiplication removed.
  static func percentText(of fraction: Double) -> String {
    text(of: (fraction * 100 * 1e9).rounded() / 1e9) + "%"
  }
}
