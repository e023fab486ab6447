import MeshpipeScene

/// Points of the surface, and what the depth maps of several frames measured there.
///
/// In: depth maps and poses, and points on a surface near the true one, in units of the scene. Frames that measured the
/// same point should measure it at the same distance along its normal, wherever the surface itself lies
/// (``DepthTerms``); so it need not be exact.
struct DepthLandmarks: Sendable {
  private(set) var positions: [Vector3] = []
  /// The mean of the measured normals, of length 1.
  private(set) var normals: [Vector3] = []
  /// Where the observations of each landmark begin; one more element than there are landmarks.
  private(set) var starts: [Int] = [0]
  private(set) var observations: [Observation] = []

  var count: Int { positions.count }

  /// No landmarks.
  init() {}

  /// A frame's measurement at a landmark.
  struct Observation: Sendable {
    var frame: Int32
    /// The cell of the image, of ``columns`` columns.
    var cell: UInt16
    /// Whether the observation takes no part in a fit, but judges it.
    var isHeldOut: Bool
    /// The precision of the measured distance: one over its variance.
    var precision: Float
    /// The observation's part of its cell, whose observations count as one measurement together.
    var share: Float = 1
    /// The measured point in camera coordinates.
    var point: Vector3
  }

  /// The error of a phone's depths is smooth: over a sixteenth of the image it is about the same, so that many pixels say
  /// no more than one, and a pose is not pulled by it as if by thousands.
  static let columns = 16
  static let rows = 12

  /// At a more grazing angle than 75°, a small error of the pose changes much.
  private static let leastCosine: Float = 0.25
  /// The least cosine (45°) between the surface's normal and a measured one.
  private static let leastNormalCosine: Float = 0.7
  private static let chunkSize = 256

  /// One landmark as it was found.
  private struct Found: Sendable {
    var position: SIMD3<Float>
    var normal: SIMD3<Float>
    var observations: [Observation]
  }

  /// - Parameters:
  ///   - frames: Nil for frames without depths.
  ///   - reach: The largest distance of a measurement from the surface.
  init(
    of frames: [DepthPoints?], at poses: [Transform], on samples: SurfaceSamples, reach: Float
  ) {
    let cameras = poses.map(DepthCamera.init)
    let chunks = Parallel.mapChunks(of: samples.count, chunkSize: Self.chunkSize) { range in
      range.compactMap { sample in
        Self.landmark(
          at: samples.positions[sample].simd, normal: samples.normals[sample].simd, frames: frames,
          cameras: cameras, reach: reach)
      }
    }
    for landmark in chunks.joined() {
      positions.append(Vector3(landmark.position))
      normals.append(Vector3(landmark.normal))
      observations += landmark.observations
      starts.append(observations.count)
    }
    shareCells(frames.count)
  }

  private static func landmark(
    at position: SIMD3<Float>, normal surfaceNormal: SIMD3<Float>, frames: [DepthPoints?],
    cameras: [DepthCamera], reach: Float
  ) -> Found? {
    var observations: [Observation] = []
    var sum = SIMD3<Float>.zero
    for index in frames.indices {
      guard let frame = frames[index] else { continue }
      let camera = cameras[index]
      let offset = position - camera.position
      // Faces may be seen from either side.
      let cosine = surfaceNormal.dot(offset) / offset.length
      guard abs(cosine) > leastCosine,
        let measured = frame.measured(towards: camera.local(position))
      else { continue }
      let normal = camera.turned(measured.normal)
      let agreement = normal.dot(surfaceNormal) * (cosine < 0 ? -1 : 1)
      let distance = normal.dot(camera.turned(measured.position) - offset)
      guard agreement > leastNormalCosine, abs(distance) < reach else { continue }
      sum += (cosine < 0 ? -normal : normal) * measured.precision
      observations.append(Observation(measured, Int32(truncatingIfNeeded: index)))
    }
    guard observations.count > 1, sum.lengthSquared > 0 else { return nil }
    return Found(position: position, normal: sum.normalized, observations: observations)
  }

  /// Lets the observations in one cell of an image count as one.
  private mutating func shareCells(_ frameCount: Int) {
    let cells = Self.columns * Self.rows
    var counts = [Int32](repeating: 0, count: cells * frameCount)
    for observation in observations {
      counts[Int(observation.frame) * cells + Int(observation.cell)] += 1
    }
    for index in observations.indices {
      let cell = Int(observations[index].frame) * cells + Int(observations[index].cell)
      observations[index].share = 1 / Float(counts[cell])
    }
  }

  @inline(__always)
  func range(of landmark: Int) -> Range<Int> { starts[landmark]..<starts[landmark + 1] }
}

extension DepthLandmarks.Observation {
  fileprivate init(_ measured: DepthPoints.Point, _ frame: Int32) {
    let columns = DepthLandmarks.columns
    let column = min(Int(measured.place.x * Float(columns)), columns - 1)
    let row = min(Int(measured.place.y * Float(DepthLandmarks.rows)), DepthLandmarks.rows - 1)
    self.init(
      frame: frame, cell: UInt16(row * columns + column),
      isHeldOut: Landmark.isHeldOut(cell: column, row), precision: measured.precision,
      point: Vector3(measured.position))
  }
}
