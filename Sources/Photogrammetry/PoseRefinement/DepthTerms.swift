import MeshpipeBase
import MeshpipeScene

/// The distances at which frames measured the same landmarks, linearised at the present poses.
///
/// Of each landmark the surface's distance along its normal is unknown, and eliminated: a surface that was fused from the
/// same frames has their errors, and would hold them in place. A frame's residual is how far its own measurement is from
/// that: point to plane (Chen and Medioni 1992), between all frames that measured the same
/// point at once (as in Liu and Zhang, "BALM", 2021).
struct DepthTerms: LandmarkTerms {
  private let landmarks: DepthLandmarks
  private let rows: [Row]
  /// For each landmark one over the sum of its weights; 0 if there are none.
  private let inverses: [Float]
  /// The typical error of measurements over what the sensor's should be (``DepthNoise``).
  let error: Float
  /// The error of each frame, if it is greater: a frame with a wrong pose disagrees with all others at once, and would
  /// be ignored as an outlier if its residuals were compared with theirs.
  let errors: [Float]
  let unknownCount: Int

  var landmarkCount: Int { landmarks.count }

  /// The row of one observation in the equations.
  private struct Row: Sendable {
    var frame: Int32
    /// The distance from where all measured the surface, along the landmark's normal.
    var residual: Float
    /// 0 if it is held out.
    var weight: Float
    /// The vector from the camera to the measured point, in the axes of the world.
    var offset: Vector3
  }

  /// The typical error that is assumed at first, and the least: weights stay finite for exact depths.
  private static let initialError: Float = 1
  private static let leastError: Float = 0.1
  /// The number of residuals of a frame that a median needs.
  private static let fewestResiduals = 20
  private static let chunkSize = 256

  /// - Parameter unknownCount: At least six for each frame; more do not appear here.
  init(_ landmarks: DepthLandmarks, at poses: [Transform], unknownCount: Int) {
    self.landmarks = landmarks
    self.unknownCount = unknownCount
    let cameras = poses.map(DepthCamera.init)
    let first = Self.linearised(
      landmarks, cameras, errors: [Float](repeating: Self.initialError, count: poses.count))
    (error, errors) = Self.typicalErrors(of: first.rows, landmarks, frames: poses.count)
    (rows, inverses) = Self.linearised(landmarks, cameras, errors: errors)
  }

  private static func linearised(
    _ landmarks: DepthLandmarks, _ cameras: [DepthCamera], errors: [Float]
  ) -> (rows: [Row], inverses: [Float]) {
    let chunks = Parallel.mapChunks(of: landmarks.count, chunkSize: chunkSize) { range in
      var (rows, inverses): ([Row], [Float]) = ([], [])
      for landmark in range {
        let fit = SurfaceFit(landmarks, landmark, cameras, errors: errors)
        inverses.append(fit.weight > 0 ? 1 / fit.weight : 0)
        for (index, observation) in landmarks.observations[landmarks.range(of: landmark)]
          .enumerated()
        {
          let offset = cameras[Int(observation.frame)].turned(observation.point.simd)
          rows.append(
            Row(
              frame: observation.frame, residual: fit.distances[index] - fit.distance,
              weight: fit.weights[index], offset: Vector3(offset)))
        }
      }
      return (rows, inverses)
    }
    return (Parallel.joined(chunks.map(\.0)), Parallel.joined(chunks.map(\.1)))
  }

  /// The typical residuals over the sensor's error: of all frames, and of each one.
  private static func typicalErrors(
    of rows: [Row], _ landmarks: DepthLandmarks, frames: Int
  ) -> (all: Float, ofFrames: [Float]) {
    var ratios = [[Float]](repeating: [], count: frames)
    for (row, observation) in zip(rows, landmarks.observations) where row.weight > 0 {
      ratios[Int(row.frame)].append(abs(row.residual) * observation.precision.squareRoot())
    }
    let typical = ratios.joined().median() ?? 1
    let all = max(typical * SurfaceFit.deviationPerMedian, leastError)
    return (
      all,
      ratios.map {
        guard $0.count >= fewestResiduals, let own = $0.median() else { return all }
        return max(own * SurfaceFit.deviationPerMedian, all)
      }
    )
  }

  /// The change of a residual after a motion of its camera.
  @inline(__always)
  private func change(_ row: Row, _ normal: SIMD3<Float>, _ step: [Double]) -> Float {
    let base = 6 * Int(row.frame)
    let turn = SIMD3(Float(step[base]), Float(step[base + 1]), Float(step[base + 2]))
    let shift = SIMD3(Float(step[base + 3]), Float(step[base + 4]), Float(step[base + 5]))
    return normal.dot(turn.cross(row.offset.simd) + shift)
  }

  /// Adds Jᵀ W times a value of an observation.
  @inline(__always)
  private func add(_ row: Row, _ normal: SIMD3<Float>, _ value: Float, to sums: inout [Double]) {
    let slope = normal * (value * row.weight)
    let turn = row.offset.simd.cross(slope)
    let base = 6 * Int(row.frame)
    for axis in 0..<3 {
      sums[base + axis] += Double(turn[axis])
      sums[base + 3 + axis] += Double(slope[axis])
    }
  }

  func addProduct(of landmark: Int, with vector: [Double], to sums: inout [Double]) {
    let normal = landmarks.normals[landmark].simd
    let range = landmarks.range(of: landmark)
    var mean: Float = 0
    for row in rows[range] where row.weight > 0 { mean += row.weight * change(row, normal, vector) }
    mean *= inverses[landmark]
    for row in rows[range] where row.weight > 0 {
      add(row, normal, change(row, normal, vector) - mean, to: &sums)
    }
  }

  /// Residuals are those at the optimum of the surface's distance already.
  func addRightHandSide(of landmark: Int, to sums: inout [Double]) {
    let normal = landmarks.normals[landmark].simd
    for row in rows[landmarks.range(of: landmark)] where row.weight > 0 {
      add(row, normal, -row.residual, to: &sums)
    }
  }

  /// Adds to the matrix's blocks of single cameras, without the part of eliminated distances.
  func add(to blocks: inout [SymmetricBlock]) {
    for landmark in 0..<landmarks.count {
      let normal = landmarks.normals[landmark].simd
      for row in rows[landmarks.range(of: landmark)] where row.weight > 0 {
        blocks[Int(row.frame)].addSquare(of: row.offset.simd.cross(normal), normal, row.weight)
      }
    }
  }
}

/// Where frames measured the surface at one landmark, robustly: the distance along its normal.
struct SurfaceFit {
  /// The distance of each observation along the normal.
  private(set) var distances: [Float] = []
  /// The weight of each observation; 0 if it is held out.
  private(set) var weights: [Float] = []
  /// Where all measured the surface.
  private(set) var distance: Float = 0
  /// The sum of weights; 0 if all are held out.
  private(set) var weight: Float = 0

  /// The standard deviation of a normal distribution over its median absolute deviation.
  static let deviationPerMedian: Float = 1.48
  /// Rounds of reweighting, from the median: the mean hardly moves after three.
  private static let rounds = 3
  /// Residuals of this many typical errors count a quarter (Geman–McClure).
  static let quarter: Float = 2

  /// - Parameter errors: The typical error of each frame's measurements over the sensor's.
  init(
    _ landmarks: DepthLandmarks, _ landmark: Int, _ cameras: [DepthCamera], errors: [Float]
  ) {
    let observations = landmarks.observations[landmarks.range(of: landmark)]
    let position = landmarks.positions[landmark].simd
    let normal = landmarks.normals[landmark].simd
    distances = observations.map { $0.distance(from: position, along: normal, cameras) }
    weights = observations.map { observation in
      let error = errors[Int(observation.frame)]
      return observation.isHeldOut ? 0 : observation.share * observation.precision / (error * error)
    }
    let fitted = zip(distances, weights).filter { $1 > 0 }.map { $0.0 }
    distance = fitted.interpolatedMedian() ?? 0
    let full = weights
    for _ in 0..<Self.rounds {
      var sum: Float = 0
      weight = 0
      for (index, observation) in observations.enumerated() where full[index] > 0 {
        let error = errors[Int(observation.frame)]
        let deviation = (distances[index] - distance) / (Self.quarter * error)
        let ratio = 1 + deviation * deviation * observation.precision
        weights[index] = full[index] / (ratio * ratio)
        weight += weights[index]
        sum += weights[index] * distances[index]
      }
      if weight > 0 { distance = sum / weight }
    }
  }
}

extension DepthLandmarks.Observation {
  /// The distance of the measured point from another along a normal.
  @inline(__always)
  func distance(
    from position: SIMD3<Float>, along normal: SIMD3<Float>, _ cameras: [DepthCamera]
  ) -> Float {
    let camera = cameras[Int(frame)]
    return normal.dot(camera.position - position + camera.turned(point.simd))
  }
}
