import MeshpipeBase
import MeshpipeScene
import NativeLibraries

/// The depth and the face of the mesh at each pixel of a camera, by one ray through its centre.
struct TracedDepths: Sendable {
  let width: Int
  let height: Int
  /// Distance from the plane of the camera in units of the scene; infinite where a ray hits
  /// nothing.
  let depths: [Float]
  /// The face; `.max` where a ray hits nothing.
  let faces: [UInt32]

  /// Traces an image of `size`, on all cores, or on this thread if `inParallel` is false.
  init(
    _ frame: Capture.Frame, size: SIMD2<Int>, of surface: ObservedSurface, inParallel: Bool = true
  ) {
    let camera = Camera(frame, size: size)
    let tracer = surface.tracer
    let row: @Sendable (Int) -> [RayTracer.Hit?] = { y in
      (0..<size.x).map { x in
        tracer.firstHit(
          from: camera.position,
          along: camera.ray(through: SIMD2(Float(x) + 0.5, Float(y) + 0.5)))
      }
    }
    let rows = inParallel ? Parallel.map(count: size.y, row) : (0..<size.y).map(row)
    (width, height) = (size.x, size.y)
    var depths: [Float] = []
    var faces: [UInt32] = []
    depths.reserveCapacity(width * height)
    faces.reserveCapacity(width * height)
    for row in rows {
      for hit in row {
        depths.append(hit?.distance ?? .infinity)
        faces.append(hit?.face ?? .max)
      }
    }
    self.depths = depths
    self.faces = faces
  }

  /// One ray of this number, along columns and rows, is compared with the depth map.
  private static let scatterStep = 4
  /// The number of comparisons that a median needs.
  private static let leastResiduals = 100

  /// The median error of measured depths, as a share of the depth; nil if too few were measured.
  ///
  /// The median ignores what is missing in the mesh and what moved.
  func scatter(of depth: DepthMap, _ scale: MetricScale) -> Float? {
    var residuals: [Float] = []
    for y in stride(from: 0, to: height, by: Self.scatterStep) {
      for x in stride(from: 0, to: width, by: Self.scatterStep) {
        let meters = scale.meters(depths[y * width + x])
        let index =
          (2 * y + 1) * depth.height / (2 * height) * depth.width
          + (2 * x + 1) * depth.width / (2 * width)
        guard meters.isFinite, meters > 0, depth.meters[index] > 0,
          depth.confidences.map({ $0[index] > 0 }) ?? true
        else { continue }
        residuals.append(abs(depth.meters[index] - meters) / meters)
      }
    }
    return residuals.count >= Self.leastResiduals ? residuals.median() : nil
  }

  /// The least depth within `radius` pixels of each pixel: the depth that may occlude a point whose
  /// projection is uncertain by that much.
  func nearest(within radius: Int) -> [Float] {
    func filtered(_ values: [Float], count: Int, length: Int, step: Int, stride: Int) -> [Float] {
      var result = values
      for line in 0..<count {
        for place in 0..<length {
          let range = max(0, place - radius)...min(length - 1, place + radius)
          var least = Float.infinity
          for other in range { least = min(least, values[line * stride + other * step]) }
          result[line * stride + place * step] = least
        }
      }
      return result
    }
    let rows = filtered(depths, count: height, length: width, step: 1, stride: width)
    return filtered(rows, count: width, length: height, step: width, stride: 1)
  }
}
