import MeshpipeScene

/// Samples along a space-filling curve, in blocks of neighbours, so that those far from a shape are passed over together.
struct SampleBlocks: Sendable {
  /// The samples along the curve.
  let order: [Int32]
  /// The middle of each block, and the distance of its farthest sample from there.
  private let balls: [SIMD4<Double>]

  /// The samples of a block.
  private static let size = 32

  init(_ samples: ShapeSamples, along order: [Int32]) {
    self.order = order
    let count = (order.count + Self.size - 1) / Self.size
    balls = Parallel.array(count: count, chunkSize: 256) { blocks, balls in
      for block in blocks {
        let numbers = order[Self.places(of: block, order.count)]
        let box = samples.box(of: numbers)
        let middle = (SIMD3<Double>(box.minimum) + SIMD3<Double>(box.maximum)) / 2
        let squared = numbers.reduce(0.0) {
          max($0, (samples.positions[Int($1)].double - middle).lengthSquared)
        }
        balls.append(SIMD4(middle, squared.squareRoot()))
      }
    }
  }

  private static func places(of block: Int, _ count: Int) -> Range<Int> {
    size * block..<min(size * (block + 1), count)
  }

  /// The samples that fulfil a condition, in ascending order.
  ///
  /// - Parameters:
  ///   - distance: From a shape, beyond which no sample fulfils the condition.
  func numbers(
    within distance: Double, of model: ShapeModel, where condition: @Sendable (Int32) -> Bool
  ) -> [Int32] {
    Parallel.mapChunks(of: balls.count, chunkSize: 64) { blocks in
      var numbers: [Int32] = []
      for block in blocks {
        let ball = balls[block]
        // Between two points the distance from a shape changes by no more than their distance.
        let offset = model.nearest(to: SIMD3(ball.x, ball.y, ball.z)).distance.magnitude
        guard offset <= distance + ball.w + Self.rounding else { continue }
        for index in Self.places(of: block, order.count) where condition(order[index]) {
          numbers.append(order[index])
        }
      }
      return numbers
    }.flatMap(\.self).sorted()
  }

  /// More than the errors of the distances, in extents of all samples.
  private static let rounding = 1e-9
}
