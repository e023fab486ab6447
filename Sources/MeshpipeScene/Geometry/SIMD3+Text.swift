import MeshpipeBase

/// Places in messages and reports.
extension SIMD3<Double> {
  /// The coordinates to the thousandth: `(1.000, 2.500, 0.000)`.
  package var placeText: String {
    let numbers = [x, y, z].map { NumberText.fixed($0, digits: 3) }
    return "(\(numbers.joined(separator: ", ")))"
  }

  /// The coordinates with as many digits as they have: `692000, 5335000, 0`.
  package var shortText: String {
    [x, y, z].map { JSONValue.text(of: $0) }.joined(separator: ", ")
  }
}
