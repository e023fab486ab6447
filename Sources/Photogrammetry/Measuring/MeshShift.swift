import MeshpipeBase
import MeshpipeScene
import NativeLibraries

/// Where a mesh went that was moved without its cameras, however far: centred, or put down elsewhere.
///
/// Each pair of a measured point and a point on the mesh votes for the shift between them, by voxels (a generalized
/// Hough transform: Ballard, "Generalizing the Hough transform to detect arbitrary shapes", Pattern Recognition 13,
/// 1981).
/// The depth maps are brought onto the mesh from the shifts of most votes, and judge them.
struct MeshShift {
  /// Moves all cameras, in the coordinates of the scene.
  let motion: Transform
  /// The distance that the motion moves the measured points, in metres.
  let meters: Double
  /// The share of the measured depths that are on the mesh then.
  let depth: Double
  /// The share of those that meet the mesh, by the narrower tolerance of ``DepthResiduals``.
  let share: Double
  /// Whether the surface shows motions in all directions, and clearly more of what meets the mesh is on it than where the
  /// cameras are.
  ///
  /// A floor slides on itself. And of a part of a scan that is where it belongs, few depths meet the mesh, but nearly all of
  /// them are on it.
  let isSure: Bool

  /// The least size of a voxel in metres: a few times the error of depths.
  private static let leastVoxel: Float = 0.1
  /// Points on the mesh.
  private static let samples = 60_000
  /// Shifts that are tried, and the distance of two of them in voxels.
  private static let (trials, leastDistance) = (24, Int32(2))
  /// The number of those shifts to start from, and the maximum distance of the depths from them, in metres.
  private static let (starts, reach) = (6, Float(0.4))
  /// The share of the depths that must be on the mesh, and by how much it must exceed that of any other shift and of the
  /// cameras as they are.
  ///
  /// Floor lies on floor wherever a scan is put down: the depths of a garden reached 0.46 in a living room.
  private static let (least, leastLead) = (0.6, 0.1)
  /// The determinant of the normals' second moments (see ``MeshOffset``): a garden with a chair has 0.05, boards on a floor
  /// 0.0001, and a floor whose normals are off by ten degrees 0.02.
  private static let leastSpread: Float = 0.03
  /// The distance in metres within which shifts are one: those of drifting poses may be as long.
  private static let leastApart = 0.25

  /// Nil if no shift brings the depths onto the mesh, if several do, or if they are hardly better there.
  init?(_ check: FitCheck, insteadOf present: Double) throws {
    let (frames, unit) = (check.scan.capture.frames, check.scene.coordinateSystem.metersPerUnit)
    guard let cameras = CommonMotion(check.probe, frames, metersPerUnit: unit) else { return nil }
    let places = cameras.places
    let surface = try SurfaceSamples(of: ObservedSurface(check.scene), count: Self.samples)
    let votes = ShiftVotes(
      from: places, to: surface.positions.map(\.simd), leastVoxel: Self.leastVoxel / Float(unit))
    func depth(_ motion: Transform) -> Double {
      var moved = check.probe.excerpt(of: check.scan)
      moved.move(by: motion)
      return check.probe.score(moved, metersPerUnit: unit).depth ?? 0
    }
    let starts = votes.peaks(atMost: Self.trials, apart: Self.leastDistance)
      .map { shift in
        let motion = Transform(translation: SIMD3<Double>(shift))
        return (motion: motion, depth: depth(motion))
      }
      .sorted { $0.depth > $1.depth }.prefix(Self.starts)
    let everywhere = Array(cameras.views.indices)
    let found = starts.map { start in
      let motion = cameras.motion(everywhere, near: start.motion, within: Self.reach)
      return (motion: motion, depth: depth(motion))
    }
    guard let best = found.max(by: { $0.depth < $1.depth }) else { return nil }
    let points = places.evenly(atMost: Self.mostMeasured).map(SIMD3<Double>.init)
    func meters(_ motion: Transform, _ other: Transform) -> Double {
      motion.distance(from: other, at: points) * unit
    }
    let rival =
      found.lazy.filter { meters($0.motion, best.motion) > Self.leastApart }
      .map(\.depth).max() ?? 0
    func share(_ motion: Transform) -> Double {
      let residuals = cameras.residuals(everywhere, motion)
      let hits = residuals.reduce(0) { $0 + $1.rays.count }
      return Double(residuals.reduce(0) { $0 + $1.nearCount }) / Double(max(hits, 1))
    }
    (motion, self.depth, self.share) = (best.motion, best.depth, share(best.motion))
    self.meters = meters(motion, .identity)
    isSure =
      self.share > share(.identity) + Self.leastLead
      && cameras.residuals(everywhere, best.motion).spreadOfNormals > Self.leastSpread
    guard self.meters > Self.leastApart, self.depth >= Self.least,
      self.depth > max(present, rival) + Self.leastLead
    else { return nil }
  }

  /// Points by which the distance of two motions is measured.
  private static let mostMeasured = 1000
}

/// Votes for the shift from one set of points to another, by voxels.
private struct ShiftVotes {
  private let voxel: Float
  /// The shift of the first cell, in voxels.
  private let first: SIMD3<Int32>
  private let size: SIMD3<Int32>
  /// The x axis is fastest.
  private var counts: [UInt16]

  /// Voxels of each set that vote, evenly over it: fewer than a count can hold.
  private static let mostVoters = 4000
  /// Voxels along the longest side of all shifts, so that their counts fit into memory.
  private static let voxelsAlong: Float = 300
  /// Coordinates in voxels beyond which a point is none of a scan.
  private static let farthest: Float = 1e8

  init(
    from places: [SIMD3<Float>], to surface: [SIMD3<Float>], leastVoxel: Float
  ) {
    let extent = [places, surface].reduce(SIMD3<Float>.zero) { sum, points in
      sum + Box(points.lazy.map { Vector3($0) }).size
    }
    voxel = max(leastVoxel, extent.max() / Self.voxelsAlong)
    let sources = Self.voxels(of: places, voxel).evenly(atMost: Self.mostVoters)
    let targets = Self.voxels(of: surface, voxel).evenly(atMost: Self.mostVoters)
    guard let source = sources.first, let target = targets.first else {
      (first, size, counts) = (.zero, .zero, [])
      return
    }
    first = targets.reduce(target, pointwiseMin) &- sources.reduce(source, pointwiseMax)
    let last = targets.reduce(target, pointwiseMax) &- sources.reduce(source, pointwiseMin)
    size = last &- first &+ 1
    counts = [UInt16](repeating: 0, count: Int(size.x) * Int(size.y) * Int(size.z))
    let steps = SIMD3<Int32>(1, size.x, size.x &* size.y)
    // The shift's cell is the difference of two numbers, one of each voxel.
    let starts = sources.map { (($0 &+ first) &* steps).wrappedSum() }
    for target in targets {
      let end = (target &* steps).wrappedSum()
      for start in starts { counts[Int(end &- start)] += 1 }
    }
  }

  /// The occupied voxels, in the order of the first points in them.
  private static func voxels(of points: [SIMD3<Float>], _ voxel: Float) -> [SIMD3<Int32>] {
    var seen: Set<SIMD3<Int32>> = []
    return points.compactMap { point in
      let scaled = (point / voxel).rounded(.down)
      // False for what is not a number, too.
      guard scaled.x.magnitude < farthest, scaled.y.magnitude < farthest,
        scaled.z.magnitude < farthest
      else { return nil }
      let position = SIMD3<Int32>(scaled)
      return seen.insert(position).inserted ? position : nil
    }
  }

  /// Shifts of the most votes, the first of the most, none nearer to another than `distance` voxels.
  func peaks(atMost limit: Int, apart distance: Int32) -> [SIMD3<Float>] {
    let most = counts.max() ?? 0
    guard most > 0 else { return [] }
    let high = counts.indices.filter { 2 * Int(counts[$0]) > Int(most) }
      .sorted { (counts[$1], $0) < (counts[$0], $1) }
    var peaks: [SIMD3<Int32>] = []
    for cell in high where peaks.count < limit {
      let (row, x) = Int32(cell).quotientAndRemainder(dividingBy: size.x)
      let (z, y) = row.quotientAndRemainder(dividingBy: size.y)
      let shift = first &+ SIMD3(x, y, z)
      let isApart = peaks.allSatisfy { peak in
        let step = shift &- peak
        return max(abs(step.x), abs(step.y), abs(step.z)) >= distance
      }
      if isApart { peaks.append(shift) }
    }
    return peaks.map { SIMD3<Float>($0) * voxel }
  }
}

extension FitCheck {
  /// The one number that brings the depths onto the mesh, instead.
  private var scaleOfAll: DepthScaleSearch.Found? {
    DepthScaleSearch(
      probe, scan.capture.frames, metersPerUnit: scene.coordinateSystem.metersPerUnit
    ).best()
  }

  /// Moves all cameras onto a mesh that was moved far without them, or warns where depths leave it open by how much.
  ///
  /// - Returns: False if the cameras are elsewhere and have to stay, so that there is nothing left to measure.
  /// - Throws: What ``ObservedSurface`` does.
  mutating func followMesh() throws -> Bool {
    guard let present = score.depth, present < Self.convincingDepth,
      let shift = try MeshShift(self, insteadOf: present),
      shift.depth > (betterReading(by: .depth)?.score.depth ?? 0),
      shift.share > (scaleOfAll?.share ?? 0)
    else { return true }
    func percent(_ share: Double) -> String { NumberText.fixed(100 * share, digits: 0) }
    let evidence =
      "\(percent(shift.depth)) % of the measured depths are on it there, and \(percent(present)) % where the frames are"
    let meters = NumberText.fixed(shift.meters, digits: shift.isSure ? 2 : 1)
    guard shift.isSure else {
      context.warn(
        "\(path): the mesh seems to have been moved without its frames, by about \(meters) m: \(evidence); its surface "
          + "does not show exactly where it went, so that they stay")
      return true
    }
    guard changed({ $0.move(by: shift.motion) }) != nil else { return true }
    findings.meshOffset = shift.meters
    context.warn(
      "\(path): the mesh was moved without its frames, by \(meters) m: \(evidence); they "
        + "\(misfits == .kept ? "should be" : "are") moved onto it")
    return misfits != .kept
  }
}
