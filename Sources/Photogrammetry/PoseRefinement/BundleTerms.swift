import MeshpipeBase
import MeshpipeScene
import SurfaceKernels

/// The observations of landmarks in frames, linearised at the present poses and positions.
///
/// One observation is a row of the Jacobian of two residuals, by six unknowns of its camera, three of its landmark and
/// those of the lens that all share (``LensPart``); it is stored as the derivative by the landmark's position (2 × 3), from
/// which that by the camera's motion follows: a camera that moves one way sees the point move the other way.
struct BundleTerms: LandmarkTerms {
  private let tracks: PatchTracks
  private let rows: [Row]
  /// For each landmark the inverse of its own matrix E, with the prior that holds it on the mesh, and its
  /// gradient: see ``LandmarkTerms``.
  private var inverses: [SymmetricMatrix] = []
  private var gradients: [SIMD3<Float>] = []
  let unknownCount: Int

  var landmarkCount: Int { tracks.count }

  /// The row of one observation in the equations.
  private struct Row: Sendable {
    var frame: Int32
    /// The predicted minus the observed position, in pixels.
    var residual: SIMD2<Float> = .zero
    /// The Jacobian by the landmark's position: the derivatives of the pixel's x and y.
    var jacobian: (x: SIMD3<Float>, y: SIMD3<Float>) = (.zero, .zero)
    /// The vector from the camera to the landmark.
    var offset: SIMD3<Float> = .zero
    /// The derivatives of the pixel by the numbers of the lens: the logarithm of the focal length, k1 and k2.
    var byFocalLength: SIMD2<Float> = .zero
    var byK1: SIMD2<Float> = .zero
    var byK2: SIMD2<Float> = .zero
    /// 0 if the landmark can't be projected.
    var weight: Float = 0

    /// The pixel's motion after a rotation and a translation of the camera.
    @inline(__always)
    func motion(_ rotation: SIMD3<Float>, _ translation: SIMD3<Float>) -> SIMD2<Float> {
      let motion = rotation.cross(offset) + translation
      return SIMD2(-jacobian.x.dot(motion), -jacobian.y.dot(motion))
    }
  }

  /// The weight of a residual falls to a quarter at twice the typical one, which is at least this, in
  /// pixels, so that weights stay finite for exact poses.
  private static let leastTypicalResidual: Float = 0.1
  /// The typical residual, the root of the mean square, over the median: √2 / 1.18 for two coordinates with normal
  /// errors (Rayleigh's distribution).
  private static let typicalPerMedian: Float = 1.2
  /// A landmark's matrix is damped by this share of its trace, so that it has an inverse.
  private static let damping = 1e-6
  /// The minimum damping, for a landmark without observations.
  private static let leastDamping = 1e-30
  /// The step of numeric derivatives, as a share of the depth: about a pixel, over which the projection is linear.
  private static let derivativeStep: Float = 1e-3

  private static let chunkSize = 256

  /// - Parameters:
  ///   - positions: The landmarks' positions, and their distances from the mesh.
  ///   - meshError: In units of the scene.
  init(
    _ tracks: PatchTracks, _ positions: [SIMD3<Float>], _ distances: [Float],
    in frames: [ViewedFrame], meshError: Float
  ) {
    self.tracks = tracks
    unknownCount = 6 * frames.count + LensPart.numberCount
    rows = Self.weighted(Self.rows(tracks, positions, frames))
    eliminate(distances, precision: 1 / (meshError * meshError))
  }

  private static func rows(
    _ tracks: PatchTracks, _ positions: [SIMD3<Float>], _ frames: [ViewedFrame]
  ) -> [Row] {
    let chunks = Parallel.mapChunks(of: tracks.count, chunkSize: chunkSize) { range in
      var rows: [Row] = []
      for landmark in range {
        for index in tracks.range(of: landmark) {
          let frame = tracks.frames[index]
          rows.append(
            row(
              of: positions[landmark], at: tracks.pixels[index], in: frames[Int(frame)],
              number: frame))
        }
      }
      return rows
    }
    return Array(chunks.joined())
  }

  private static func row(
    of point: SIMD3<Float>, at pixel: SIMD2<Float>, in frame: ViewedFrame, number: Int32
  ) -> Row {
    var row = Row(frame: number)
    let camera = frame.camera
    guard let projected = frame.place(of: point), let depth = camera.project(point)?.z else {
      return row
    }
    let step = depth * derivativeStep
    guard let right = frame.place(of: point + camera.right * step),
      let down = frame.place(of: point + camera.down * step)
    else { return row }
    let (byRight, byDown) = ((right - projected) / step, (down - projected) / step)
    row.offset = point - camera.position
    row.byFocalLength = projected - camera.principalPoint / frame.image.scale
    // A point that moves along its ray keeps its projection.
    let (x, y) = (camera.right.dot(row.offset) / depth, camera.down.dot(row.offset) / depth)
    row.byK1 = camera.focalLength / frame.image.scale * SIMD2(x, y) * (x * x + y * y)
    row.byK2 = row.byK1 * (x * x + y * y)
    let byForward = -(byRight * x + byDown * y)
    row.jacobian.x =
      camera.right * byRight.x + camera.down * byDown.x + camera.forward * byForward.x
    row.jacobian.y =
      camera.right * byRight.y + camera.down * byDown.y + camera.forward * byForward.y
    row.residual = projected - pixel
    row.weight = 1
    return row
  }

  /// The rows with robust weights, by their residuals: Geman–McClure, 1 / (σ² (1 + r² / 4σ²)²).
  private static func weighted(_ rows: [Row]) -> [Row] {
    var lengths: [Float] = []
    for row in rows where row.weight > 0 {
      lengths.append((row.residual * row.residual).sum().squareRoot())
    }
    guard let median = lengths.median() else { return rows }
    let error = max(typicalPerMedian * median, leastTypicalResidual)
    var rows = rows
    for index in rows.indices where rows[index].weight > 0 {
      let ratio = (rows[index].residual * rows[index].residual).sum() / (4 * error * error)
      rows[index].weight = 1 / (error * error * (1 + ratio) * (1 + ratio))
    }
    return rows
  }

  private mutating func eliminate(_ distances: [Float], precision: Float) {
    for landmark in 0..<tracks.count {
      let normal = tracks.normals[landmark].simd
      var block = SymmetricMatrix()
      block.addSquare(of: normal, times: precision)
      var gradient = normal * (precision * distances[landmark])
      for row in rows[tracks.range(of: landmark)] where row.weight > 0 {
        block.addSquare(of: row.jacobian.x, times: row.weight)
        block.addSquare(of: row.jacobian.y, times: row.weight)
        gradient +=
          (row.jacobian.x * row.residual.x + row.jacobian.y * row.residual.y) * row.weight
      }
      let hold = Double(block.trace) * Self.damping + Self.leastDamping
      let diagonal = SIMD3(Double(block.xx), Double(block.yy), Double(block.zz)) + hold
      // An undetermined landmark stays where it is.
      inverses.append(block.inverse(diagonal: diagonal) ?? SymmetricMatrix())
      gradients.append(gradient)
    }
  }

  /// The sum of the weights of all observations.
  var totalWeight: Double { rows.reduce(0) { $0 + Double($1.weight) } }

  /// The motion of a landmark to where it fits best after a step of the cameras.
  func motion(of landmark: Int, after step: [Double]) -> SIMD3<Float> {
    motion(of: landmark) { change(rows[$0], step) }
  }

  /// - Parameter change: The motion of an observation.
  @inline(__always)
  private func motion(
    of landmark: Int, _ change: (Int) -> SIMD2<Float>
  ) -> SIMD3<Float> {
    var sum = gradients[landmark]
    for index in tracks.range(of: landmark) where rows[index].weight > 0 {
      let change = change(index)
      sum +=
        (rows[index].jacobian.x * change.x + rows[index].jacobian.y * change.y)
        * rows[index].weight
    }
    return -(inverses[landmark] * sum)
  }

  /// The motion of an observation after a step of the cameras, with its landmark at rest.
  @inline(__always)
  private func change(_ row: Row, _ step: [Double]) -> SIMD2<Float> {
    let base = 6 * Int(row.frame)
    let lens = unknownCount - LensPart.numberCount
    return row.motion(
      SIMD3(Float(step[base]), Float(step[base + 1]), Float(step[base + 2])),
      SIMD3(Float(step[base + 3]), Float(step[base + 4]), Float(step[base + 5])))
      + row.byFocalLength * Float(step[lens]) + row.byK1 * Float(step[lens + 1])
      + row.byK2 * Float(step[lens + 2])
  }

  func addProduct(of landmark: Int, with vector: [Double], to sums: inout [Double]) {
    let rest = inverses[landmark] * gradients[landmark]
    let motion = motion(of: landmark) { change(rows[$0], vector) } + rest
    for index in tracks.range(of: landmark) where rows[index].weight > 0 {
      let row = rows[index]
      add(
        row,
        change(row, vector) + SIMD2(row.jacobian.x.dot(motion), row.jacobian.y.dot(motion)),
        to: &sums)
    }
  }

  /// Against the gradient, with the landmark at its optimum for the present poses.
  func addRightHandSide(of landmark: Int, to sums: inout [Double]) {
    let motion = motion(of: landmark) { _ in .zero }
    for index in tracks.range(of: landmark) where rows[index].weight > 0 {
      let row = rows[index]
      add(
        row,
        -(row.residual + SIMD2(row.jacobian.x.dot(motion), row.jacobian.y.dot(motion))),
        to: &sums)
    }
  }

  /// Adds Jᵀ W times a value of an observation.
  @inline(__always)
  private func add(_ row: Row, _ value: SIMD2<Float>, to sums: inout [Double]) {
    let slope = (row.jacobian.x * value.x + row.jacobian.y * value.y) * -row.weight
    let turn = row.offset.cross(slope)
    let base = 6 * Int(row.frame)
    for axis in 0..<3 {
      sums[base + axis] += Double(turn[axis])
      sums[base + 3 + axis] += Double(slope[axis])
    }
    let lens = unknownCount - LensPart.numberCount
    sums[lens] += Double((row.byFocalLength * value).sum() * row.weight)
    sums[lens + 1] += Double((row.byK1 * value).sum() * row.weight)
    sums[lens + 2] += Double((row.byK2 * value).sum() * row.weight)
  }

  /// The matrix's blocks of single cameras, without the part of eliminated landmarks: for preconditioning.
  func blocks(prior: [Double]) -> [SymmetricBlock] {
    var blocks = [SymmetricBlock](repeating: SymmetricBlock(), count: prior.count / 6)
    for row in rows where row.weight > 0 {
      for slope in [row.jacobian.x, row.jacobian.y] {
        blocks[Int(row.frame)].addSquare(of: row.offset.cross(slope), slope, row.weight)
      }
    }
    for camera in blocks.indices {
      blocks[camera].addDiagonal(prior[6 * camera..<6 * camera + 6])
    }
    return blocks
  }
}
