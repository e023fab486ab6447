import MeshpipeScene

/// Points with normals that lie on shapes: the middles of faces, or points.
///
/// Relative to the middle of all, in units of their extent.
struct ShapeSamples: Sendable {
  var positions: [Vector3]
  /// Unit normals, either way around.
  var normals: [Vector3]
  /// The area of a face; 1 for points.
  var weights: [Float]
  /// The usual distance of neighbours.
  var spacing: Double

  var count: Int { positions.count }

  @inline(__always)
  func sample(_ number: Int32) -> ShapeModel.Sample {
    (positions[Int(number)].double, normals[Int(number)].double)
  }

  /// The box around some samples.
  func box(of numbers: some Sequence<Int32>) -> Box { Box(numbers.lazy.map { positions[Int($0)] }) }

  /// The weight of samples together.
  func weight(of numbers: [Int32]) -> Double {
    numbers.reduce(0) { $0 + Double(weights[Int($1)]) }
  }
}

/// How near to a shape, and how well turned, a sample is that belongs to it.
struct ShapeTolerance: Sendable {
  /// In the units of the samples.
  var distance: Double
  /// The least cosine between normals.
  var cosine: Double

  /// How well a sample fits, from 0 for one that does not belong to 1 (Torr and Zisserman 2000).
  @inline(__always)
  func agreement(
    of model: ShapeModel, _ position: SIMD3<Double>, _ normal: SIMD3<Double>
  ) -> Double {
    let (offset, direction) = model.nearest(to: position)
    guard offset.magnitude <= distance, direction.dot(normal).magnitude >= cosine else { return 0 }
    let share = offset / distance
    return 1 - share * share
  }

  @inline(__always)
  func accepts(_ model: ShapeModel, _ sample: ShapeModel.Sample) -> Bool {
    agreement(of: model, sample.position, sample.normal) > 0
  }
}
