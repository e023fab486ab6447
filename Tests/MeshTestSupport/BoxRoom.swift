import MeshPipeline

/// A room without furniture, whose walls are coloured by place: what a camera sees in it is known.
package enum BoxRoom {
  package static let minimum = SIMD3(-1.0, 0, -2)
  package static let maximum = SIMD3(2.0, 2.5, 1)

  /// The point of a wall, and its distance in lengths of `direction`, seen from within.
  package static func hit(
    from origin: SIMD3<Double>, along direction: SIMD3<Double>
  ) -> (distance: Double, point: SIMD3<Double>) {
    var distance = Double.infinity
    for axis in 0..<3 where direction[axis] != 0 {
      let wall = direction[axis] > 0 ? maximum[axis] : minimum[axis]
      distance = min(distance, (wall - origin[axis]) / direction[axis])
    }
    return (distance, origin + direction * distance)
  }

  /// The colour of a point, 0 to 255 and not rounded.
  package static func color(of point: SIMD3<Double>) -> SIMD3<Double> {
    (point - minimum) / (maximum - minimum) * 255
  }

  /// The mesh, faces inwards, as OBJ.
  package static var obj: String { obj(x: [1, 0, 0], y: [0, 1, 0], z: [0, 0, 1]) }

  /// The mesh with every point mapped by the rows of a matrix.
  package static func obj(x: SIMD3<Double>, y: SIMD3<Double>, z: SIMD3<Double>) -> String {
    var text = "g wall\n"
    for corner in 0..<8 {
      let point = SIMD3(
        corner & 1 == 0 ? minimum.x : maximum.x, corner & 2 == 0 ? minimum.y : maximum.y,
        corner & 4 == 0 ? minimum.z : maximum.z)
      text += "v \((x * point).sum()) \((y * point).sum()) \((z * point).sum())\n"
    }
    for quad in [
      [0, 1, 3, 2], [4, 6, 7, 5], [0, 2, 6, 4], [1, 5, 7, 3], [0, 4, 5, 1], [2, 3, 7, 6],
    ] {
      text += "f " + quad.map { String($0 + 1) }.joined(separator: " ") + "\n"
    }
    return text
  }
}

/// A camera of the test, with all that it takes to write it in any convention.
package struct TestCamera: Sendable {
  package var size = SIMD2(64, 48)
  package var focalLength = SIMD2(50.0, 52.0)
  /// The centre of the first pixel is (0.5, 0.5).
  package var principalPoint = SIMD2(33.2, 22.6)
  /// Camera to world, OpenGL's axes.
  package var pose = Transform.identity
  /// Where the lens moves a point of the plane at distance 1, Y down.
  package var lens: @Sendable (SIMD2<Double>) -> SIMD2<Double> = { $0 }

  /// A camera that looks from one point to another, turned about its axis.
  package static func looking(
    from eye: SIMD3<Double>, to target: SIMD3<Double>, roll: Double
  ) -> TestCamera {
    let backward = (eye - target).unit
    let right = SIMD3(0, 1, 0).crossed(backward).unit
    let up = backward.crossed(right)
    let (c, s) = (cosine(roll), sine(roll))
    return TestCamera(
      pose: Transform(
        x: right * c + up * s, y: up * c - right * s, z: backward, translation: eye))
  }

  package static let several = [
    looking(from: SIMD3(0.3, 1.4, 0.2), to: SIMD3(-0.4, 1.1, -2), roll: 0.1),
    looking(from: SIMD3(0.9, 1.2, -0.8), to: SIMD3(2, 0.8, 0.4), roll: -0.3),
    looking(from: SIMD3(-0.2, 1.6, -0.5), to: SIMD3(0.6, 0.2, 1), roll: 1.5),
    looking(from: SIMD3(0.4, 0.9, 0.1), to: SIMD3(-1, 1.9, -0.6), roll: 0),
  ]

  /// Rows of the matrix, camera to world.
  package var rows: [[Double]] {
    (0..<3).map { [pose.x[$0], pose.y[$0], pose.z[$0], pose.translation[$0]] } + [[0, 0, 0, 1]]
  }

  /// The ray through a pixel, with a depth of 1.
  package func ray(through pixel: SIMD2<Double>) -> SIMD3<Double> {
    let bent = (pixel - principalPoint) / focalLength
    var plane = bent
    for _ in 0..<50 { plane += bent - lens(plane) }
    return pose.x * plane.x - pose.y * plane.y - pose.z
  }

  /// What the camera sees of the room.
  package var picture: Image {
    var pixels: [UInt8] = []
    for y in 0..<size.y {
      for x in 0..<size.x {
        let ray = ray(through: SIMD2(Double(x) + 0.5, Double(y) + 0.5))
        let color = BoxRoom.color(of: BoxRoom.hit(from: pose.translation, along: ray).point)
        for channel in 0..<3 { pixels.append(UInt8(min(max(color[channel].rounded(), 0), 255))) }
      }
    }
    return Image(width: size.x, height: size.y, pixels: pixels)
  }

  /// What its sensor measures, in millimetres, at a size of its own.
  package func depths(_ depthSize: SIMD2<Int> = SIMD2(32, 24)) -> [UInt16] {
    let scale = SIMD2<Double>(size) / SIMD2<Double>(depthSize)
    var depths: [UInt16] = []
    for y in 0..<depthSize.y {
      for x in 0..<depthSize.x {
        let ray = ray(through: SIMD2(Double(x) + 0.5, Double(y) + 0.5) * scale)
        let distance = BoxRoom.hit(from: pose.translation, along: ray).distance
        depths.append(UInt16(min(max((distance * 1000).rounded(), 0), 65_535)))
      }
    }
    return depths
  }

  private static func cosine(_ angle: Double) -> Double { sine(angle + .pi / 2) }

  private static func sine(_ angle: Double) -> Double {
    var (term, sum) = (angle, angle)
    for n in 1..<20 {
      term *= -angle * angle / Double(2 * n * (2 * n + 1))
      sum += term
    }
    return sum
  }
}

extension SIMD3<Double> {
  fileprivate var unit: SIMD3<Double> { self / (self * self).sum().squareRoot() }

  fileprivate func crossed(_ other: SIMD3<Double>) -> SIMD3<Double> {
    SIMD3(
      y * other.z - z * other.y, z * other.x - x * other.z, x * other.y - y * other.x)
  }
}
