import MeshPipeline

/// The colours of an element of a PLY file, or of points in text.
///
/// Their range follows from the numbers, since types say little: text has no types, and programs write 0 to 255 as
/// `float` and as `ushort`. Whole numbers that are mostly above 255 have 16 bits.
struct PLYColors {
  let colors: [Color]
  /// The same in 16 bits, where 8 would not do.
  let wide: [WideColor]?
  /// The greatest value of the range: 1, 255 or 65535.
  let most: Int
  /// The number of records with a value out of range, and the first of them.
  private(set) var outside = (count: 0, first: 0)

  /// Nil without colours.
  ///
  /// - Parameter isText: Whether values may exceed the range of their type.
  init?(_ contents: PLYContents, isText: Bool) {
    guard contents.hasAll(.red, .green, .blue) else { return nil }
    let plan = contents.plan
    let columns = plan.columns(.red, .green, .blue, .alpha)
    let type = plan.typeOfRole[.red] ?? .uint8
    let isExact = type == .uint8 && !isText
    let ranges = isExact ? [] : contents.table.map(columns) { ColorRange($0) }
    most = isExact ? 255 : Self.most(of: ranges, type)
    let scale = 255 / Float(most)
    let hasAlpha = columns.w >= 0
    colors = contents.table.map(columns) { value in
      var color = Color(Vector3(value.x, value.y, value.z), scale: scale)
      if hasAlpha { color.alpha = Color.byte(value.w * scale) }
      return color
    }
    // What rounds to the range is in it.
    let limit = Float(most) * (1 + 0x1p-9)
    for (record, range) in ranges.enumerated() where !range.isWithin(limit) {
      if outside.count == 0 { outside.first = record }
      outside.count += 1
    }
    let all = most == 65535 ? contents.table.map(columns) { WideColor(rounding: $0) } : []
    wide = all.contains { WideColor($0.narrow) != $0 } ? all : nil
  }

  private static func most(of ranges: [ColorRange], _ type: NumberType) -> Int {
    func share(above limit: Float) -> Double {
      Double(ranges.count { $0.most > limit }) / Double(max(1, ranges.count))
    }
    let largest = ranges.reduce(Float(0)) { max($0, $1.most) }
    if !type.isInteger {
      if largest <= 1 { return 1 }
      // A few fractions a little above 1 come from programs that sharpen or interpolate.
      if largest <= 2, share(above: 1) < Self.fewest { return 1 }
    } else if type.size == 2 {
      return largest > 255 ? 65535 : 255
    }
    return share(above: 255) >= Self.fewest ? 65535 : 255
  }

  /// The share of colours that settles their range; fewer are mistakes.
  private static let fewest = 0.1
}

/// The least and the greatest part of a colour.
private struct ColorRange: BitwiseCopyable {
  var least: Float
  var most: Float

  init(_ value: SIMD4<Float>) {
    least = min(value.x, value.y, value.z)
    most = max(value.x, value.y, value.z)
  }

  func isWithin(_ limit: Float) -> Bool { least >= -0.5 && most <= limit }
}

extension WideColor {
  fileprivate init(rounding value: SIMD4<Float>) {
    func part(_ value: Float) -> UInt16 {
      value.isNaN ? 0 : UInt16(min(max(value.rounded(), 0), 65535))
    }
    self.init(red: part(value.x), green: part(value.y), blue: part(value.z))
  }
}

extension PLYAssembly {
  /// Warns of colours beyond their range, which are limited to it.
  func warnOfColors(_ colors: PLYColors?, of word: String, in context: ReadingContext) {
    guard let colors, colors.outside.count > 0 else { return }
    context.stage.warn(
      """
      \(FileSystem.name(of: file.path))\(place(of: colors.outside.first, word)) has a colour outside 0 to \(colors.most)\
      \(Self.others(colors.outside.count)); each such value is replaced by the nearest end of this range
      """)
  }

  /// Warns of classes that are not whole numbers from 0 to 65535.
  func warnOfLabels(_ contents: PLYContents, of word: String, in context: ReadingContext) {
    guard let column = contents.plan.columnOfRole[.label],
      contents.plan.typeOfRole[.label] != .uint8 || header.encoding == .text
    else { return }
    let isOdd = contents.table.map(SIMD4(column, -1, -1, -1)) { value in
      !value.x.isNaN && (value.x != value.x.rounded() || !(0...65_535).contains(value.x))
    }
    guard let first = isOdd.firstIndex(of: true) else { return }
    context.stage.warn(
      """
      \(FileSystem.name(of: file.path))\(place(of: first, word)) has a class that is not a whole number from 0 to 65535\
      \(Self.others(isOdd.count { $0 })): fractions are rounded, and others are 'none'
      """)
  }

  private static func others(_ count: Int) -> String {
    switch count {
    case 1: ""
    case 2: ", as has 1 other"
    default: ", as have \(count - 1) others"
    }
  }

  /// The line of a vertex in a text, or its number.
  private func place(of record: Int, _ word: String) -> String {
    guard header.encoding == .text, header.elements.first?.name == "vertex", word != "face" else {
      return ": \(word) \(record)"
    }
    return file.withBytes { bytes in
      // Each of many scans in a text knows its line, which need not be counted from the start.
      let firstLine =
        header.claimsCounts
        ? TextBlocks.lineBreaks(bytes, before: header.bodyOffset) : header.elements[0].line - 1
      var lines = TextLines(header.bodyOffset..<bytes.count, firstLine: firstLine)
      return ":\(lines.line(ofNext: record, bytes) + 1): the point"
    }
  }
}
