import MeshpipeScene

/// Points spread over faces, each representing the same area, in the order of the faces.
///
/// The faces are laid out by area, and each stretch of equal area gets one point (stratified sampling).
package struct FaceSamples: Sendable {
  /// The face of each point.
  package let faces: [UInt32]
  /// The area that each point represents, in the unit of the areas.
  package let areaPerSample: Double
  /// Where the sequence of positions on faces begins.
  private let start: SIMD2<Double>

  package var count: Int { faces.count }

  /// - Parameters:
  ///   - areas: The area of each face; a face whose area is not a positive number gets no point.
  ///   - count: The number of points; none without area.
  ///   - seed: Another one gives other points; the same one the same.
  package init(areas: [Double], count: Int, seed: Int = 0) {
    let total = areas.reduce(0) { $1.isFinite ? $0 + $1 : $0 }
    let step = total / Double(max(count, 1))
    var faces: [UInt32] = []
    faces.reserveCapacity(step > 0 ? count : 0)
    var reached = 0.0
    for face in areas.indices where areas[face] > 0 && areas[face].isFinite {
      reached += areas[face]
      guard step > 0 else { continue }
      while (Double(faces.count) + 0.5) * step < reached { faces.append(UInt32(face)) }
    }
    self.faces = faces
    areaPerSample = faces.isEmpty ? 0 : total / Double(faces.count)
    var random = SplitMix64(seed: UInt64(bitPattern: Int64(seed)))
    start = seed == 0 ? SIMD2(0.5, 0.5) : SIMD2(random.unit(), random.unit())
  }

  /// The barycentric weights of a point, by the additive recurrence of the plastic number (Roberts 2018).
  package func weights(of sample: Int) -> SIMD3<Double> {
    func fraction(_ value: Double) -> Double { value - value.rounded(.down) }
    let root = fraction(start.x + Double(sample) * 0.754_877_666_246_692_8).squareRoot()
    let share = fraction(start.y + Double(sample) * 0.569_840_290_998_053_2)
    return SIMD3(1 - root, root * (1 - share), root * share)
  }
}
