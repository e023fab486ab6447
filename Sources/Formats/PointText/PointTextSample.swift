import MeshPipeline

/// Some points of a text, spread over the whole of it, by which columns without names are known.
struct PointTextSample {
  /// The values by column.
  private(set) var columns: [Column]

  struct Column {
    var values: [Double] = []
    /// Whether all values are written without a decimal point.
    var isWhole = true
    /// The largest number of digits.
    var digits = 0
    /// The smallest and the largest number of them after the point.
    var decimals: ClosedRange<Int>?

    /// Whether all values are identifiers that are larger than any measure or colour.
    var isLongInteger: Bool { digits >= 16 && isUnsigned }
    var isUnsigned: Bool { isWhole && values.allSatisfy { $0 >= 0 } }

    var isByte: Bool { isWhole && values.allSatisfy { (0...255).contains($0) } }
    /// Bytes besides a few mistakes.
    var isMostlyByte: Bool { isWhole && share { (0...255).contains($0) } > 0.9 }
    /// Whole numbers of 16 bits that are mostly too large for bytes.
    var isMostlyWide: Bool {
      isWhole && share { (0...65_535).contains($0) } > 0.9 && share { $0 > 255 } > 0.5
    }
    var isFraction: Bool { values.allSatisfy { (0...1).contains($0) } }

    private func share(_ isMeant: (Double) -> Bool) -> Double {
      Double(values.count(where: isMeant)) / Double(max(1, values.count))
    }
  }

  /// - Parameter end: Of the points to look at; nil for all.
  init(_ bytes: Span<UInt8>, _ header: PointTextHeader, until end: Int? = nil) {
    columns = Array(repeating: Column(), count: header.width)
    let blocks = TextBlocks.ranges(
      bytes, of: header.bodyOffset..<(end ?? header.bodyEnd), joinsLines: false)
    let step = (blocks.count + 63) / 64
    let most = max(16, 1024 / max(1, blocks.count))
    for block in stride(from: 0, to: blocks.count, by: max(1, step)) {
      var lines = TextLines(blocks[block])
      for _ in 0..<most {
        guard let range = try? lines.next(bytes) else { break }
        add(header.words(text(bytes, range)))
      }
    }
  }

  /// Lines of another width are at fault, as reading them will show.
  private mutating func add(_ words: [String]) {
    let numbers = words.compactMap(Double.init)
    guard words.count == columns.count, numbers.count == words.count else { return }
    for (column, word) in words.enumerated() {
      columns[column].values.append(numbers[column])
      if word.contains(where: { ".eE".contains($0) }) { columns[column].isWhole = false }
      columns[column].digits = max(columns[column].digits, word.filter(\.isNumber).count)
      let decimals = PointTextSample.decimals(of: word)
      let known = columns[column].decimals ?? decimals...decimals
      columns[column].decimals =
        min(known.lowerBound, decimals)...max(known.upperBound, decimals)
    }
  }

  /// The number of digits after the point.
  static func decimals(of word: some StringProtocol) -> Int {
    word.firstIndex(of: ".").map { word[$0...].dropFirst().prefix(while: \.isNumber).count } ?? 0
  }

  // MARK: Names

  /// The names of the columns of points without a header.
  ///
  /// Three columns of bytes, of numbers of 16 bits or of fractions are a colour, three of unit length a normal; a single
  /// one before a colour is the intensity, as in PTS.
  var guessedNames: [String] {
    var names = ["x", "y", "z"]
    if columns.count > 3, columns[0].isLongInteger { names.insert("identifier", at: 0) }
    while names.count < columns.count {
      let index = names.count
      if isNormal(at: index), !names.contains("nx") {
        names += ["nx", "ny", "nz"]
      } else if isColor(at: index), !isColor(at: index + 1), !names.contains("red") {
        names += ["red", "green", "blue"]
      } else if isFraction(at: index), !names.contains("red") {
        names += ["red", "green", "blue"]
      } else if columns[index].isLongInteger, !names.contains("identifier") {
        names.append("identifier")
      } else {
        names.append(names.contains("intensity") ? "column_\(index + 1)" : "intensity")
      }
    }
    return names
  }

  private func three(at place: Int) -> [Column]? {
    place + 3 <= columns.count ? Array(columns[place..<place + 3]) : nil
  }

  private func isColor(at index: Int) -> Bool {
    guard let three = three(at: index) else { return false }
    return three.allSatisfy(\.isMostlyByte) || three.allSatisfy(\.isMostlyWide)
  }

  private func isFraction(at index: Int) -> Bool {
    three(at: index)?.allSatisfy { $0.isFraction && !$0.isWhole } == true
  }

  private func isNormal(at index: Int) -> Bool {
    guard let three = three(at: index),
      three.contains(where: { !$0.isWhole || $0.values.contains { $0 < 0 } })
    else { return false }
    let unit = three[0].values.indices.filter { row in
      let square = three.reduce(0) { $0 + $1.values[row] * $1.values[row] }
      return square == 0 || (0.96...1.04).contains(square)
    }
    return !unit.isEmpty && unit.count * 20 >= three[0].values.count * 19
  }

  // MARK: Types

  /// The properties of a PLY file that hold the columns.
  func properties(_ names: [String]) -> [PLYHeader.Property] {
    let roles = names.map { PLYRole(propertyName: $0) }
    let colors = zip(roles, columns).filter { [.red, .green, .blue].contains($0.0) }.map(\.1)
    // Their range is that of all points, not of the sample.
    let colorType: NumberType =
      colors.allSatisfy(\.isByte) ? .uint8 : colors.allSatisfy(\.isWhole) ? .int32 : .float32
    return names.indices.map { index in
      let type: NumberType =
        switch roles[index] {
        case .red, .green, .blue, .alpha: colorType
        case nil
        where columns[index].isUnsigned
          && (columns[index].digits > 15 || CustomAttribute.isIdentifier(names[index])):
          .uint64
        case nil: columns[index].digits > 7 ? .float64 : .float32
        default: .float64
        }
      return PLYHeader.Property(name: names[index], type: type, countType: nil)
    }
  }

  /// The origin to subtract from the coordinates of scans with some columns.
  static func origin(_ samples: [PointTextSample], _ names: [[String]]) -> SIMD3<Double> {
    var origin = SIMD3<Double>.zero
    for (axis, name) in ["x", "y", "z"].enumerated() {
      let columns = zip(samples, names).compactMap { sample, names in
        names.firstIndex(of: name).map { sample.columns[$0].values }
      }
      origin[axis] = DistantOrigin.coordinate(of: columns.joined(), skipsZeros: true)
    }
    return origin
  }
}
