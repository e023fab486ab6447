import MeshPipeline

extension SIMD3<Double> {
  /// The coordinates of a place, for people: `(1.000, 2.500, 0.000)`.
  var placeText: String {
    let numbers = [x, y, z].map { NumberText.fixed($0, digits: 3) }
    return "(\(numbers.joined(separator: ", ")))"
  }
}
