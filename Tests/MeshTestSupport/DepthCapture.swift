import Foundation
import MeshPipeline

/// Depth maps of a shape that is known exactly, and their cameras.
package struct DepthCapture {
  package let folder: TemporaryFolder
  package var frames: [Capture.DepthFrame] = []
  package static let size = SIMD2(64, 48)
  /// In pixels of the depth map.
  package static let focalLength = 48.0

  /// The distance along a ray to the first point of a shape, in lengths of the ray's direction.
  package typealias Shape = (_ origin: SIMD3<Double>, _ direction: SIMD3<Double>) -> Double?

  package init() throws { folder = try TemporaryFolder() }

  /// Adds what a camera sees of a shape.
  package mutating func add(
    _ shape: Shape, from eye: SIMD3<Double>, lookingAt target: SIMD3<Double>
  ) throws {
    let pose = SyntheticCapture.pose(at: eye, lookingAt: target)
    let depths = Self.rays.map { ray in
      Float(shape(eye, pose.apply(toVector: ray)) ?? 0)
    }
    try add(depths, pose: pose)
  }

  /// Adds given depths, row by row, and the confidence of each.
  package mutating func add(
    _ depths: [Float], confidences: [UInt8]? = nil, pose: Transform
  ) throws {
    let bytes = depths.flatMap { depth in
      withUnsafeBytes(of: depth.bitPattern.littleEndian) { Array($0) }
    }
    let path = try folder.write("depth_\(frames.count).bin", bytes)
    let size = SIMD2<Double>(Self.size)
    frames.append(
      Capture.DepthFrame(
        name: "frame_\(frames.count)",
        depth: Capture.DepthSource(
          path: path, encoding: .float32(width: Self.size.x, height: Self.size.y)),
        imageSize: Self.size,
        intrinsics: Capture.Intrinsics(
          focalLength: SIMD2(Self.focalLength, Self.focalLength), principalPoint: size / 2),
        pose: pose))
  }

  /// Cameras on a sphere around a point that look at it, evenly spread.
  package static func eyes(_ count: Int, around center: SIMD3<Double>, radius: Double)
    -> [SIMD3<Double>]
  {
    (0..<count).map { index in
      // A spiral of equal areas that ends short of the poles, where no camera is upright.
      let height = 0.95 * (1 - (2 * Double(index) + 1) / Double(count))
      let angle = Double(index) * .pi * (3 - 5.0.squareRoot())
      let ring = (1 - height * height).squareRoot()
      return center + SIMD3(ring * cos(angle), height, ring * sin(angle)) * radius
    }
  }

  /// The rays of the pixels in camera coordinates, to depth 1.
  package static var rays: [SIMD3<Double>] {
    (0..<size.x * size.y).map { pixel in
      let x = Double(pixel % size.x) + 0.5 - Double(size.x) / 2
      let y = Double(pixel / size.x) + 0.5 - Double(size.y) / 2
      return SIMD3(x / focalLength, -y / focalLength, -1)
    }
  }

  // MARK: Shapes

  package static func sphere(_ center: SIMD3<Double>, radius: Double) -> Shape {
    { origin, direction in
      let offset = origin - center
      let (a, b) = (direction.lengthSquared, offset.dot(direction))
      let root = b * b - a * (offset.lengthSquared - radius * radius)
      guard root > 0 else { return nil }
      let distance = (-b - root.squareRoot()) / a
      return distance > 0 ? distance : nil
    }
  }

  package static func box(_ low: SIMD3<Double>, _ high: SIMD3<Double>) -> Shape {
    { origin, direction in
      let (a, b) = ((low - origin) / direction, (high - origin) / direction)
      let near = pointwiseMin(a, b).max()
      return near > 0 && near < pointwiseMax(a, b).min() ? near : nil
    }
  }

  /// A box seen from inside.
  package static func room(_ half: SIMD3<Double>) -> Shape {
    { origin, direction in
      pointwiseMax((-half - origin) / direction, (half - origin) / direction).min()
    }
  }

  package static func nearest(of shapes: [Shape]) -> Shape {
    { origin, direction in shapes.compactMap { $0(origin, direction) }.min() }
  }
}
