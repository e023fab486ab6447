import MeshPipeline
import SurfaceKernels

/// Bundle adjustment of poses and spots, where spots are on the mesh up to its error.
///
/// Each spot may slide along the mesh freely and leave it slightly; spots are eliminated, and poses
/// solved together, so that the first and the last frame of a loop meet (Triggs et al., "Bundle
/// adjustment – a modern synthesis", 1999).
struct TrackSolver {
  let tracks: TileTracks
  /// The precision of the recorded poses: one over their variances, six per frame.
  let prior: [Double]
  /// The error in pixels that all sightings may share.
  let commonError: Double
  /// The length of a metre in units of the scene.
  let unitsPerMeter: Float
  /// Whether a factor of the focal length, common to all frames, is solved together with the poses.
  var solvesFocalLength = false

  private static let rounds = 6
  private static let chunkSize = 256
  /// The precision of the logarithm of the focal length: one over the square of 3 %.
  private static let focalPrior = 1 / (0.03 * 0.03)

  /// A sighting, linearised.
  private struct Row: Sendable {
    var frame: Int32
    /// The observed minus the predicted position of the spot, in pixels.
    var miss: SIMD2<Float> = .zero
    /// Derivatives of the pixel by the spot's position.
    var slopes: (x: SIMD3<Float>, y: SIMD3<Float>) = (.zero, .zero)
    /// From the camera to the spot.
    var offset: SIMD3<Float> = .zero
    /// Derivative of the pixel by the logarithm of the focal length.
    var radial: SIMD2<Float> = .zero
    /// 0 if the spot can't be projected.
    var weight: Float = 0

    /// Derivatives by the step of the frame.
    @inline(__always)
    func change(_ turn: SIMD3<Float>, _ shift: SIMD3<Float>) -> SIMD2<Float> {
      let motion = turn.cross(offset) + shift
      return SIMD2(-slopes.x.dot(motion), -slopes.y.dot(motion))
    }
  }

  /// Moves poses so that spots project to where they were found.
  ///
  /// - Parameter focal: The logarithm of the factor of all focal lengths.
  func solve(
    _ poses: inout [Transform], _ focal: inout Double, recorded: [Transform],
    viewed: ([Transform], Double) -> [ViewedFrame]
  ) {
    guard tracks.count > 0 else { return }
    var positions = tracks.positions.map(\.simd)
    var distances = [Float](repeating: 0, count: tracks.count)
    var meshError = 0.005 * unitsPerMeter
    for _ in 0..<Self.rounds {
      var rows = self.rows(positions, viewed(poses, focal))
      weigh(&rows)
      let spots = Spots(tracks, rows, distances, meshError: meshError)
      let step = step(rows, spots, moved: PoseChange.motions(from: recorded, to: poses), focal)
      for spot in 0..<tracks.count {
        let motion = spots.motion(spot, tracks, rows) { change(rows[$0], step) }
        guard motion.x.isFinite, motion.y.isFinite, motion.z.isFinite else { continue }
        positions[spot] += motion
        distances[spot] += motion.dot(tracks.normals[spot].simd)
      }
      let typical = distances.map(abs).sorted()[tracks.count / 2] * 1.48
      // Tied to the mesh, spots come out too close to it: three times their typical distance is best
      // for exact meshes, and even more for those that deviate by more than half a millimetre.
      let weak = 8 * (typical - 0.0005 * unitsPerMeter)
      meshError = min(max(3 * typical, weak, 0.0005 * unitsPerMeter), 0.02 * unitsPerMeter)
      poses = poses.moved(bySteps: step)
      focal += step[prior.count]
    }
    let solved = focal
    hold(&poses, to: recorded, positions, distances) { viewed($0, solved) }
  }

  /// Moves all poses together towards the recorded ones, as far as images allow.
  ///
  /// The relative poses of cameras are well determined, their common position hardly: an error of a
  /// fraction of a pixel that all matches share moves all cameras by millimetres. Recorded poses
  /// with independent errors have a much more precise mean; those that drift do not.
  private func hold(
    _ poses: inout [Transform], to recorded: [Transform], _ positions: [SIMD3<Float>],
    _ distances: [Float], _ viewed: ([Transform]) -> [ViewedFrame]
  ) {
    var rows = self.rows(positions, viewed(poses))
    weigh(&rows)
    let weight = rows.reduce(0) { $0 + Double($1.weight) }
    guard weight > 0 else { return }
    // Colours will be on the mesh, so misalignment there counts.
    let spots = Spots(tracks, rows, distances, meshError: 0.0005 * unitsPerMeter)
    let center = poses.reduce(SIMD3<Double>.zero) { $0 + $1.translation } / Double(poses.count)
    let modes = (0..<6).map { mode in
      poses.flatMap { pose -> [Double] in
        var (turn, shift) = (SIMD3<Double>.zero, SIMD3<Double>.zero)
        if mode < 3 { turn[mode] = 1 } else { shift[mode - 3] = 1 }
        shift += turn.cross(pose.translation - center)
        return [turn.x, turn.y, turn.z, shift.x, shift.y, shift.z]
      }
    }
    let moved = PoseChange.motions(from: recorded, to: poses)
    let certainty = Self.certaintyOfMean(moved, prior)
    let scale = 1 / (weight * commonError * commonError)
    var block = Block6()
    var right = [Double](repeating: 0, count: 6)
    for row in 0..<6 {
      let seen = product(modes[row], rows, spots)
      for index in moved.indices {
        right[row] -= modes[row][index] * certainty[index % 6] * moved[index]
      }
      for column in 0...row {
        var sum = 0.0
        for index in moved.indices {
          sum +=
            modes[column][index]
            * (scale * seen[index] + certainty[index % 6] * modes[row][index])
        }
        block.add(sum, row: row, column: column)
      }
    }
    block.factor()
    var solution = right
    block.solve(right, at: 0, into: &solution)
    var step = [Double](repeating: 0, count: moved.count)
    for mode in 0..<6 {
      for index in step.indices { step[index] += solution[mode] * modes[mode][index] }
    }
    poses = poses.moved(bySteps: step)
  }

  /// Each frame's contribution to the precision of the mean of the recorded poses: six numbers.
  ///
  /// From how far frames moved on their own, and how much each moved like the one before.
  private static func certaintyOfMean(_ moved: [Double], _ prior: [Double]) -> [Double] {
    let count = moved.count / 6
    guard count > 3 else { return Array(prior.prefix(6)) }
    let means = (0..<6).map { axis in
      stride(from: axis, to: moved.count, by: 6).reduce(0) { $0 + moved[$1] } / Double(count)
    }
    let own = moved.indices.map { moved[$0] - means[$0 % 6] }
    var (shared, all) = (0.0, 0.0)
    for index in 6..<own.count { shared += prior[index] * own[index] * own[index - 6] }
    for index in own.indices { all += prior[index] * own[index] * own[index] }
    // A first-order autoregression: the more similar neighbours are, the fewer frames count.
    let likeness = all > 0 ? min(max(shared / all, 0), 0.99) : 0
    let share = (1 - likeness) / (1 + likeness)
    return (0..<6).map { axis in
      let variance =
        stride(from: axis, to: own.count, by: 6).reduce(0) { $0 + own[$1] * own[$1] }
        / Double(count)
      return share / (variance + 1e-3 / prior[axis])
    }
  }

  private func rows(_ positions: [SIMD3<Float>], _ frames: [ViewedFrame]) -> [Row] {
    let chunks = Parallel.mapChunks(of: tracks.count, chunkSize: Self.chunkSize) { range in
      var rows: [Row] = []
      for spot in range {
        for index in tracks.starts[spot]..<tracks.starts[spot + 1] {
          let frame = tracks.frames[index]
          rows.append(
            Self.row(positions[spot], tracks.pixels[index], frames[Int(frame)], frame))
        }
      }
      return rows
    }
    return Array(chunks.joined())
  }

  private static func row(
    _ point: SIMD3<Float>, _ pixel: SIMD2<Float>, _ frame: ViewedFrame, _ number: Int32
  ) -> Row {
    var row = Row(frame: number)
    let camera = frame.camera
    guard let place = frame.place(of: point), let depth = camera.project(point)?.z else {
      return row
    }
    let step = depth * 1e-3
    guard let right = frame.place(of: point + camera.right * step),
      let down = frame.place(of: point + camera.down * step)
    else { return row }
    let (byRight, byDown) = ((right - place) / step, (down - place) / step)
    row.offset = point - camera.position
    row.radial = place - camera.principalPoint / frame.picture.scale
    // A point that moves along its ray keeps its projection.
    let (x, y) = (camera.right.dot(row.offset) / depth, camera.down.dot(row.offset) / depth)
    let byForward = -(byRight * x + byDown * y)
    row.slopes.x =
      camera.right * byRight.x + camera.down * byDown.x + camera.forward * byForward.x
    row.slopes.y =
      camera.right * byRight.y + camera.down * byDown.y + camera.forward * byForward.y
    row.miss = place - pixel
    row.weight = 1
    return row
  }

  /// Weights sightings by their residuals.
  private func weigh(_ rows: inout [Row]) {
    var lengths: [Float] = []
    for row in rows where row.weight > 0 {
      lengths.append((row.miss * row.miss).sum().squareRoot())
    }
    guard !lengths.isEmpty else { return }
    let median = lengths.sorted()[lengths.count / 2]
    let error = max(1.2 * median, 0.1)
    for index in rows.indices where rows[index].weight > 0 {
      let ratio = (rows[index].miss * rows[index].miss).sum() / (4 * error * error)
      rows[index].weight = 1 / (error * error * (1 + ratio) * (1 + ratio))
    }
  }

  /// What is eliminated.
  private struct Spots: Sendable {
    /// The inverse of each spot's block, and its gradient.
    var inverses: [SymmetricMatrix] = []
    var gradients: [SIMD3<Float>] = []

    init(_ tracks: TileTracks, _ rows: [Row], _ distances: [Float], meshError: Float) {
      let certainty = 1 / (meshError * meshError)
      for spot in 0..<tracks.count {
        let normal = tracks.normals[spot].simd
        var block = SymmetricMatrix()
        block.addSquare(of: normal, times: certainty)
        var gradient = normal * (certainty * distances[spot])
        for row in rows[tracks.starts[spot]..<tracks.starts[spot + 1]] where row.weight > 0 {
          block.addSquare(of: row.slopes.x, times: row.weight)
          block.addSquare(of: row.slopes.y, times: row.weight)
          gradient += (row.slopes.x * row.miss.x + row.slopes.y * row.miss.y) * row.weight
        }
        let hold = Double(block.trace) * 1e-6 + 1e-30
        let diagonal = SIMD3(Double(block.xx), Double(block.yy), Double(block.zz)) + hold
        // An undetermined spot stays where it is.
        inverses.append(block.inverse(diagonal: diagonal) ?? SymmetricMatrix())
        gradients.append(gradient)
      }
    }

    /// The motion of a spot when its sightings change.
    func motion(
      _ spot: Int, _ tracks: TileTracks, _ rows: [Row], _ change: (Int) -> SIMD2<Float>
    ) -> SIMD3<Float> {
      var sum = gradients[spot]
      for index in tracks.starts[spot]..<tracks.starts[spot + 1] where rows[index].weight > 0 {
        let change = change(index)
        sum +=
          (rows[index].slopes.x * change.x + rows[index].slopes.y * change.y) * rows[index].weight
      }
      return -(inverses[spot] * sum)
    }
  }

  /// The next step of all poses, six numbers each, followed by that of the focal length.
  private func step(
    _ rows: [Row], _ spots: Spots, moved: [Double], _ focal: Double
  ) -> [Double] {
    // Against the gradient, with the spots at their optimum for the present poses.
    var right = gathered(rows) { spot, add in
      let motion = spots.motion(spot, tracks, rows) { _ in .zero }
      for index in tracks.starts[spot]..<tracks.starts[spot + 1] where rows[index].weight > 0 {
        let row = rows[index]
        add(row, -(row.miss + SIMD2(row.slopes.x.dot(motion), row.slopes.y.dot(motion))))
      }
    }
    for index in prior.indices { right[index] -= prior[index] * moved[index] }
    let blocks = blocks(rows)
    func solved(_ right: [Double]) -> [Double] {
      // The last number is unconditioned, so it stays 0.
      ConjugateGradients.solve(right, blocks) { step in
        var result = product(step, rows, spots)
        for index in prior.indices { result[index] += prior[index] * step[index] }
        return result
      }
    }
    var step = solved(right)
    guard solvesFocalLength else { return step }
    // The focal length borders the system of the poses: it is eliminated last, by its Schur
    // complement.
    var unit = [Double](repeating: 0, count: step.count)
    unit[prior.count] = 1
    let border = product(unit, rows, spots)
    let response = solved(border)
    func dot(_ a: [Double], _ b: [Double]) -> Double {
      prior.indices.reduce(0) { $0 + a[$1] * b[$1] }
    }
    let gradient = right[prior.count] - Self.focalPrior * focal - dot(border, step)
    let curvature = border[prior.count] + Self.focalPrior - dot(border, response)
    guard curvature > 0, gradient.isFinite else { return step }
    let change = gradient / curvature
    for index in prior.indices { step[index] -= change * response[index] }
    step[prior.count] = change
    return step
  }

  /// The matrix of the sightings, with spots eliminated, times a step.
  private func product(_ step: [Double], _ rows: [Row], _ spots: Spots) -> [Double] {
    gathered(rows) { spot, add in
      let rest = spots.inverses[spot] * spots.gradients[spot]
      let motion = spots.motion(spot, tracks, rows) { change(rows[$0], step) } + rest
      for index in tracks.starts[spot]..<tracks.starts[spot + 1] where rows[index].weight > 0 {
        let row = rows[index]
        add(row, change(row, step) + SIMD2(row.slopes.x.dot(motion), row.slopes.y.dot(motion)))
      }
    }
  }

  @inline(__always)
  private func change(_ row: Row, _ step: [Double]) -> SIMD2<Float> {
    let base = 6 * Int(row.frame)
    let focal = step.count > prior.count ? Float(step[prior.count]) : 0
    return row.change(
      SIMD3(Float(step[base]), Float(step[base + 1]), Float(step[base + 2])),
      SIMD3(Float(step[base + 3]), Float(step[base + 4]), Float(step[base + 5])))
      + row.radial * focal
  }

  /// Sums the contributions of `body` over spots, in chunks and in order: equal on any number of
  /// threads.
  ///
  /// - Returns: Six numbers for each pose, and one for the focal length.
  private func gathered(
    _ rows: [Row],
    _ body: @Sendable (_ spot: Int, _ add: (Row, SIMD2<Float>) -> Void) -> Void
  ) -> [Double] {
    let count = prior.count + 1
    let parts = Parallel.mapChunks(of: tracks.count, chunkSize: Self.chunkSize * 4) { range in
      var sums = [Double](repeating: 0, count: count)
      for spot in range {
        body(spot) { row, value in
          let slope = (row.slopes.x * value.x + row.slopes.y * value.y) * -row.weight
          let turn = row.offset.cross(slope)
          let base = 6 * Int(row.frame)
          for axis in 0..<3 {
            sums[base + axis] += Double(turn[axis])
            sums[base + 3 + axis] += Double(slope[axis])
          }
          sums[count - 1] += Double((row.radial * value).sum() * row.weight)
        }
      }
      return sums
    }
    var total = [Double](repeating: 0, count: count)
    for part in parts { for index in 0..<count { total[index] += part[index] } }
    return total
  }

  private func blocks(_ rows: [Row]) -> [Block6] {
    var blocks = [Block6](repeating: Block6(), count: prior.count / 6)
    for row in rows where row.weight > 0 {
      for slope in [row.slopes.x, row.slopes.y] {
        blocks[Int(row.frame)].addSquare(of: row.offset.cross(slope), slope, row.weight)
      }
    }
    for frame in blocks.indices {
      blocks[frame].addDiagonal(prior[6 * frame..<6 * frame + 6])
      blocks[frame].factor()
    }
    return blocks
  }
}

extension PoseChange {
  /// The motion from some poses to others: rotation and translation of each, six numbers.
  static func motions(from recorded: [Transform], to poses: [Transform]) -> [Double] {
    zip(recorded, poses).flatMap { old, new -> [Double] in
      let change = PoseChange(from: old, to: new)
      let (turn, shift) = (change.rotation, change.translation)
      return [turn.x, turn.y, turn.z, shift.x, shift.y, shift.z]
    }
  }
}

extension [Transform] {
  /// Poses after six numbers of motion each.
  func moved(bySteps step: [Double]) -> [Transform] {
    indices.map { index in
      let part = step[6 * index..<6 * index + 6].map(\.self)
      return self[index].moved(
        by: PoseChange(
          rotation: SIMD3(part[0], part[1], part[2]),
          translation: SIMD3(part[3], part[4], part[5])))
    }
  }
}
