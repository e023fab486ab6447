import MeshPipeline

/// What an object of a recording says.
struct FeatureRecord {
  var points: [SIMD3<Double>] = []
  /// Coordinates one after another, before it is known how many a point has.
  var numbers: [FeatureScanner.Number] = []
  var identifiers: [UInt64] = []
  /// One for all points.
  var identifier: UInt64?
  /// A place that is the point if there are no others.
  var place: SIMD3<Double>?
  var columns: [[FeatureScanner.Number]] = [[], [], []]
  /// Its `id`, which may be that of a frame if it has several points.
  var plainIdentifier: UInt64?
  /// Whether it is one of a list of frames.
  var isFrame = false
  var hasSeveral = false

  var isEmpty: Bool {
    points.isEmpty && numbers.isEmpty && identifiers.isEmpty && place == nil
      && columns.allSatisfy(\.isEmpty)
  }
}

extension FeatureRecord {
  /// Makes points of coordinates.
  mutating func settle(at offset: Int) throws(FeatureRecording.Fault) {
    let lengths = Set(columns.map(\.count))
    guard lengths.count == 1 else {
      throw .init(offset: offset, message: "a point lacks one of x, y and z")
    }
    for row in columns[0].indices {
      points.append(SIMD3(columns[0][row].value, columns[1][row].value, columns[2][row].value))
    }
    columns = [[], [], []]
    if points.isEmpty, numbers.isEmpty, let place { points = [place] }
    place = nil
    guard !numbers.isEmpty else { return }
    defer { numbers = [] }
    // As Swift writes a dictionary: an identifier, then its point.
    if numbers.count == points.count, identifiers.isEmpty, identifier == nil {
      for number in numbers {
        guard let whole = number.identifier else {
          throw .init(offset: offset, message: "the identifier of a point is not a whole number")
        }
        identifiers.append(whole)
      }
      return
    }
    let hasFour =
      identifiers.isEmpty ? numbers.count % 3 != 0 : numbers.count == 4 * identifiers.count
    let width = hasFour ? 4 : 3
    guard points.isEmpty, numbers.count % width == 0 else {
      throw .init(
        offset: offset,
        message: "\(numbers.count) coordinates are not those of points with three each")
    }
    for start in stride(from: 0, to: numbers.count, by: width) {
      points.append(
        SIMD3(numbers[start].value, numbers[start + 1].value, numbers[start + 2].value))
    }
    if points.count > 1 { hasSeveral = true }
  }
}
