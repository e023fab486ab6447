import MeshpipeScene
import NativeLibraries

/// Colours for points from photographs in whose frames they were not measured.
///
/// A point has the colour of the photograph that shows it best: nearest and most directly. What hides
/// it are the points themselves, drawn with coarse cells into each photograph.
struct PhotographColors {
  /// The colour of each point; transparent where it is missing.
  private(set) var colors: [Color]
  private let cloud: PointCloud
  private let scale: MetricScale
  private let cellAngle: Float
  /// The score of the photograph that has given each point its colour.
  private var scores: [Float]
  /// The photographs that are in memory at a time.
  private static let batch = 8
  /// The width to which photographs are reduced at most: a point is a pixel of a depth map, which has
  /// a third of this.
  private static let leastSize = SIMD2(480, 360)

  /// - Parameters:
  ///   - colors: One per point; transparent ones are missing.
  ///   - cloud: With normals.
  ///   - angle: Between neighbouring points as a camera sees them, about; in radians.
  init(_ colors: [Color], of cloud: PointCloud, _ scale: MetricScale, angle: Float) {
    self.colors = colors
    self.cloud = cloud
    self.scale = scale
    // Twice as wide, or a surface has gaps through which those behind it are seen.
    cellAngle = 2 * angle
    scores = colors.map { $0.alpha == 0 ? 0 : .infinity }
  }

  /// Takes colours from some photographs, where these show points better than those before.
  ///
  /// - Returns: Frames whose photograph can't be read, and why.
  mutating func add(
    _ frames: [Capture.Frame], from store: FrameStore, _ progress: (Double) throws -> Void
  ) rethrows -> [(frame: String, reason: String)] {
    var faults: [(frame: String, reason: String)] = []
    for first in stride(from: 0, to: frames.count, by: Self.batch) {
      let batch = Array(frames[first..<min(first + Self.batch, frames.count)])
      let images = Parallel.map(count: batch.count) { index in
        Swift.Result { try batch[index].image(atLeast: Self.leastSize, from: store) }
      }
      for (frame, image) in zip(batch, images) {
        switch image {
        case .success(let image): add(image, of: frame)
        case .failure(let error): faults.append((frame.name, error.userMessage))
        }
      }
      try progress(Double(first + batch.count) / Double(frames.count))
    }
    return faults
  }

  private mutating func add(_ image: Image, of frame: Capture.Frame) {
    let view = PointsView(
      Camera(frame, size: image.size), of: cloud.positions, scale, cellAngle: cellAngle)
    let light = LinearImage(image)
    let (positions, normals) = (cloud.positions, cloud.normals ?? [])
    scores.withDisjointBuffer { scores in
      colors.withDisjointBuffer { colors in
        Parallel.forEachChunk(of: positions.count) { _, range in
          for point in range where scores[point] < .infinity {
            guard let seen = view.sees(positions[point].simd, normal: normals[point].simd),
              seen.score > scores[point],
              image.mask?.hides(Int(seen.pixel.x), Int(seen.pixel.y)) != true
            else { continue }
            scores[point] = seen.score
            colors[point] = Color(light: light.bilinear(seen.pixel))
          }
        }
      }
    }
  }
}

/// A camera's view of points that hide one another.
private struct PointsView: Sendable {
  private let camera: Camera
  private let scale: MetricScale
  private let limits = FrameObserver.Limits()
  private let size: SIMD2<Int>
  /// The least depth in each cell in units of the scene, infinite without a point.
  private let nearest: [Float]

  /// The fewest and the most cells along a side.
  private static let sides = 8...160
  /// The maximum distance of a point from what the cells around it show, in cells.
  private static let reach: Float = 2

  init(_ camera: Camera, of positions: [Vector3], _ scale: MetricScale, cellAngle: Float) {
    self.camera = camera
    self.scale = scale
    let wanted = camera.size / (camera.focalLength * cellAngle)
    let size = SIMD2(Self.sides.clamped(wanted.x), Self.sides.clamped(wanted.y))
    self.size = size
    let chunk = max(1 << 14, positions.count / 32)
    let parts = Parallel.mapChunks(of: positions.count, chunkSize: chunk) { range in
      var nearest = [Float](repeating: .infinity, count: size.x * size.y)
      for point in range {
        guard let seen = camera.project(positions[point].simd),
          camera.contains(SIMD2(seen.x, seen.y))
        else { continue }
        let cell = Self.cell(SIMD2(seen.x, seen.y), camera, size)
        nearest[cell.y * size.x + cell.x] = min(nearest[cell.y * size.x + cell.x], seen.z)
      }
      return nearest
    }
    nearest = (0..<size.x * size.y).map { cell in
      parts.reduce(.infinity) { min($0, $1[cell]) }
    }
  }

  private static func cell(
    _ pixel: SIMD2<Float>, _ camera: Camera, _ size: SIMD2<Int>
  ) -> SIMD2<Int> {
    let position = SIMD2<Int>(pixel / camera.size * SIMD2<Float>(size))
    return pointwiseMin(position, size &- 1)
  }

  /// Where a point is in the picture, and how well it is seen there: nil if something hides it.
  func sees(
    _ point: SIMD3<Float>, normal: SIMD3<Float>
  ) -> (pixel: SIMD2<Float>, score: Float)? {
    let toCamera = camera.position - point
    let distance = toCamera.length
    let cosine = normal.dot(toCamera) / distance
    guard cosine >= limits.minimumCosine, let seen = camera.project(point) else { return nil }
    let pixel = SIMD2(seen.x, seen.y)
    guard camera.contains(pixel, margin: limits.border) else { return nil }
    let slope = (1 - min(cosine * cosine, 1)).squareRoot() / cosine
    let step = Self.reach * slope * camera.size.x / (camera.focalLength.x * Float(size.x))
    let limit =
      seen.z * (1 - limits.relativeDepthError - step)
      - scale.units(meters: limits.depthError)
    let cell = Self.cell(pixel, camera, size)
    for y in max(0, cell.y - 1)...min(size.y - 1, cell.y + 1) {
      for x in max(0, cell.x - 1)...min(size.x - 1, cell.x + 1)
      where nearest[y * size.x + x] < limit {
        return nil
      }
    }
    return (pixel, cosine / (distance * distance))
  }
}

extension ClosedRange<Int> {
  /// The nearest number of the range; the first one for NaN.
  fileprivate func clamped(_ value: Float) -> Int {
    value > Float(lowerBound) ? Int(Swift.min(value, Float(upperBound))) : lowerBound
  }
}
