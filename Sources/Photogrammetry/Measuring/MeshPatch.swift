import MeshpipeScene
import NativeLibraries
import SurfaceKernels

/// An image patch on the mesh, for comparison with other images of the same point.
///
/// Compared by normalised cross-correlation, which is invariant to exposure.
struct MeshPatch: Sendable {
  /// Patches are 2 · `radius` + 1 pixels wide, of images of 240: small enough to be flat, and many of them together
  /// decide.
  static let radius = 4
  /// The search radius in pixels around the position predicted by the other pose: phones' poses are
  /// off by one or two at this resolution.
  static let reach = 3
  static let places = 2 * reach + 1
  private static let side = 2 * radius + 1
  /// The minimum standard deviation of a patch in 8-bit levels: more than noise and compression
  /// cause.
  private static let leastContrast: Float = 3

  private let center: SIMD3<Float>
  /// Points of the mesh some pixels left, right, above and below the centre.
  private let around: (SIMD3<Float>, SIMD3<Float>, SIMD3<Float>, SIMD3<Float>)
  private let normal: SIMD3<Float>
  /// The photographed patch, normalised to mean 0 and length 1.
  private let values: [Float]

  /// The distance in pixels from the centre to the points around it.
  private static let arm: Float = 3

  /// - Returns: Nil without detail, or where the mesh is not approximately flat.
  init?(
    at pixel: SIMD2<Float>, of image: HighPassImage, _ camera: Camera, _ tracer: RayTracer
  ) {
    guard
      var values = image.patch(
        around: pixel, SIMD2(1, 0), SIMD2(0, 1), radius: Self.radius)
    else { return nil }
    let mean = values.reduce(0, +) / Float(values.count)
    for index in values.indices { values[index] -= mean }
    let energy = values.reduce(0) { $0 + $1 * $1 }
    guard energy > Self.leastEnergy else { return nil }
    let scale = 1 / energy.squareRoot()
    self.values = values.map { $0 * scale }
    func depth(_ step: SIMD2<Float>) -> (Float, SIMD3<Float>)? {
      let ray = camera.ray(through: pixel + step * Self.arm)
      return tracer.firstHit(from: camera.position, along: ray).map {
        ($0.distance, camera.position + ray * $0.distance)
      }
    }
    guard let middle = depth(SIMD2(0, 0)), let left = depth(SIMD2(-1, 0)),
      let right = depth(SIMD2(1, 0)), let above = depth(SIMD2(0, -1)),
      let below = depth(SIMD2(0, 1)),
      Self.areFlat(left.0, middle.0, right.0), Self.areFlat(above.0, middle.0, below.0)
    else { return nil }
    center = middle.1
    around = (left.1, right.1, above.1, below.1)
    let normal = (below.1 - above.1).cross(right.1 - left.1).normalized
    let view = (camera.position - center).normalized
    // The normal faces the camera, whatever the winding.
    self.normal = normal.dot(view) < 0 ? -normal : normal
    guard abs(normal.dot(view)) > Self.leastCosine else { return nil }
  }

  private static let leastEnergy = leastContrast * leastContrast * Float(side * side)
  /// The minimum cosine between normal and line of sight: at grazing angles pixels smear the
  /// surface.
  private static let leastCosine: Float = 0.25

  /// The largest bend of the inverse depth, as a share of it: see ``ReliabilityMask``, which has the same.
  private static let greatestBend: Float = 0.03
  /// The squared scale of a patch in another image, 0.4 to 2.5 along each axis: from farther away its detail is gone,
  /// and from nearer it has none.
  private static let squaredScales: (least: Float, greatest: Float) = (0.16, 6.25)
  /// The part of a ray that must be free: its end is excluded because of noise in the mesh.
  private static let freePart: Float = 0.97

  /// Whether three consecutive depths are those of a plane, whose inverse depth is linear.
  private static func areFlat(_ before: Float, _ here: Float, _ after: Float) -> Bool {
    abs(1 / before + 1 / after - 2 / here) < greatestBend / here
  }

  /// The patch's position in another camera, and the map from its pixels to the other image's.
  ///
  /// - Returns: Nil if the camera doesn't see this side, or at a different scale.
  func place(in camera: Camera) -> Place? {
    let offset = camera.position - center
    guard offset.dot(normal) > Self.leastCosine * offset.dot(offset).squareRoot(),
      let middle = camera.project(center), camera.contains(SIMD2(middle.x, middle.y)),
      let left = camera.project(around.0), let right = camera.project(around.1),
      let above = camera.project(around.2), let below = camera.project(around.3)
    else { return nil }
    let across = SIMD2(right.x - left.x, right.y - left.y) / (2 * Self.arm)
    let down = SIMD2(below.x - above.x, below.y - above.y) / (2 * Self.arm)
    let (a, d) = ((across * across).sum(), (down * down).sum())
    guard min(a, d) > Self.squaredScales.least, max(a, d) < Self.squaredScales.greatest else {
      return nil
    }
    return Place(pixel: SIMD2(middle.x, middle.y), across: across, down: down)
  }

  struct Place {
    var pixel: SIMD2<Float>
    var across: SIMD2<Float>
    var down: SIMD2<Float>
  }

  /// Whether the mesh occludes the patch from a camera.
  func isHidden(from camera: Camera, _ tracer: RayTracer) -> Bool {
    tracer.isBlocked(
      from: camera.position, along: center - camera.position, near: 0, far: Self.freePart)
  }

  /// Adds the correlation with another image at each shift in the search radius, row by row.
  ///
  /// - Returns: Whether the images can be compared here.
  func addCorrelations(
    with image: HighPassImage, at place: Place, to sums: inout [Float]
  ) -> Bool {
    let reach = Self.radius + Self.reach
    guard
      let window = image.patch(around: place.pixel, place.across, place.down, radius: reach)
    else { return false }
    let energies = Self.energies(window)
    let width = 2 * reach + 1
    for row in 0..<Self.places {
      // All shifts of a row at once; the last of the eight lanes is unused.
      var products = SIMD8<Float>.zero
      for y in 0..<Self.side {
        let start = (row + y) * width
        var run = SIMD8(
          0, window[start], window[start + 1], window[start + 2], window[start + 3],
          window[start + 4], window[start + 5], window[start + 6])
        for x in 0..<Self.side {
          let next = start + x + Self.places
          run = SIMD8(
            run[1], run[2], run[3], run[4], run[5], run[6], run[7],
            next < window.count ? window[next] : 0)
          products += run * values[y * Self.side + x]
        }
      }
      for column in 0..<Self.places {
        let index = row * Self.places + column
        // Where the other image is plain, it does not show this patch.
        sums[index] += products[column] / max(energies[index], Self.leastEnergy / 2).squareRoot()
      }
    }
    return true
  }

  /// The sum of squared deviations from the mean in the patch's square, at each shift.
  private static func energies(_ window: [Float]) -> [Float] {
    let width = side + places - 1
    var (rows, squareRows) = ([Float](), [Float]())
    for row in 0..<width {
      let start = row * width
      var (sum, square) = (Float.zero, Float.zero)
      for x in start..<start + width {
        sum += window[x]
        square += window[x] * window[x]
        guard x >= start + side - 1 else { continue }
        rows.append(sum)
        squareRows.append(square)
        let old = window[x - side + 1]
        sum -= old
        square -= old * old
      }
    }
    var energies = [Float](repeating: 0, count: places * places)
    for column in 0..<places {
      var (sum, square) = (Float.zero, Float.zero)
      for row in 0..<width {
        sum += rows[row * places + column]
        square += squareRows[row * places + column]
        let top = row - side + 1
        guard top >= 0 else { continue }
        energies[top * places + column] = square - sum * sum / Float(side * side)
        sum -= rows[top * places + column]
        square -= squareRows[top * places + column]
      }
    }
    return energies
  }
}
