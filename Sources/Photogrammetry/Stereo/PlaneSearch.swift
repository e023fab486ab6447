import MeshpipeScene

/// Finds the plane of each pixel of a photograph at one scale by PatchMatch (Bleyer, Rhemann and Rother 2011).
///
/// Pixels of a chessboard's one colour take the planes of the other colour's that fit there best, from eight regions
/// around them, near and far (Galliani, Lasinger and Schindler 2015; Xu and Tao 2019), and vary their own. Random
/// numbers are a function of pixel and round, so that the result does not depend on the number of threads.
struct PlaneSearch: Sendable {
  let size: SIMD2<Int>
  let image: PatchImage
  let camera: StereoCamera
  let cost: PlaneCost
  /// The inverse depths that may be.
  let range: ClosedRange<Float>
  /// The inverse depth that moves a point by a pixel in the other images.
  let pixelStep: Float
  /// The number of the photograph, for random numbers.
  let seed: UInt32
  let likeness: DisjointBuffer<Float>
  let planes: DisjointBuffer<PixelPlane>
  /// What was measured otherwise: inverse depths, 0 where nothing was; empty for none.
  let prior: DisjointBuffer<Float>

  /// How much is tried in a round.
  struct Effort: Sendable {
    /// Planes of other pixels, of the eight that fit best where they are.
    var neighbors: Int
    /// Variations over the whole range.
    var guesses: Int
    /// Variations near the plane, each by half as much as the one before.
    var variations: Int
    /// The first variation in pixels of another image.
    var reach: Float
    var usesPrior = false
  }

  /// Rows of a task; a task's rows are never another one's.
  private static let rows = 8

  /// Draws a plane at random for each pixel without one, and compares all.
  func begin() {
    forEachPixel(of: nil) { x, y, index in
      if planes[index].inverseDepth <= 0 {
        let random = random(index, round: 0)
        let q = range.lowerBound + (range.upperBound - range.lowerBound) * random.w
        planes[index] = PixelPlane(
          slope: slope(x, y, inverseDepth: q, random), inverseDepth: q, cost: .infinity)
      }
      let window = PatchWindow(image, likeness, x: x, y: y)
      planes[index].cost = cost.cost(window, SIMD2(Float(x), Float(y)), planes[index])
    }
  }

  /// Improves the planes of one colour, then of the other.
  func improve(round: Int, _ effort: Effort) {
    for color in 0...1 {
      forEachPixel(of: color) { x, y, index in improve(x, y, index, round: round, effort) }
    }
  }

  private func forEachPixel(
    of color: Int?, _ body: @Sendable (_ x: Int, _ y: Int, _ index: Int) -> Void
  ) {
    Parallel.forEachChunk(of: size.y, chunkSize: Self.rows) { _, rows in
      for y in rows {
        let first = color.map { ($0 + y) % 2 } ?? 0
        for x in stride(from: first, to: size.x, by: color == nil ? 1 : 2) {
          body(x, y, y * size.x + x)
        }
      }
    }
  }

  // MARK: A pixel

  /// A pixel that takes the best of the planes that are tried.
  private struct Trial {
    let window: PatchWindow
    let pixel: SIMD2<Float>
    var best: PixelPlane
  }

  @inline(__always)
  private func attempt(_ slope: SIMD2<Float>, _ inverseDepth: Float, _ trial: inout Trial) {
    guard inverseDepth >= range.lowerBound, inverseDepth <= range.upperBound else { return }
    var plane = PixelPlane(slope: slope, inverseDepth: inverseDepth, cost: .infinity)
    plane.cost = cost.cost(trial.window, trial.pixel, plane, below: trial.best.cost)
    if plane.cost < trial.best.cost { trial.best = plane }
  }

  private func improve(_ x: Int, _ y: Int, _ index: Int, round: Int, _ effort: Effort) {
    var trial = Trial(
      window: PatchWindow(image, likeness, x: x, y: y), pixel: SIMD2(Float(x), Float(y)),
      best: planes[index])
    var neighbors = neighbors(x, y)
    for _ in 0..<effort.neighbors {
      var (lowest, place) = (Float.infinity, 0)
      for region in 0..<8 where neighbors.costs[region] < lowest {
        (lowest, place) = (neighbors.costs[region], region)
      }
      guard lowest < .infinity else { break }
      neighbors.costs[place] = .infinity
      let other = Int(neighbors.places[place])
      let offset = SIMD2(Float(x - other % size.x), Float(y - other / size.x))
      let plane = planes[other].moved(offset)
      if !isSame(plane, trial.best) { attempt(plane.slope, plane.inverseDepth, &trial) }
    }
    if effort.usesPrior, prior.count > 0, prior[index] > 0 {
      attempt(trial.best.slope, prior[index], &trial)
    }
    guess(x, y, index, round: round, effort, &trial)
    var reach = effort.reach * pixelStep
    for variation in 0..<effort.variations {
      let random = random(index, round: round * 16 + variation + 8) * 2 - 1
      // A slope moves the window's border as much as its centre.
      let tilt = SIMD2(random.x, random.y) * (reach / PatchWindow.reach)
      attempt(
        trial.best.slope + (variation % 2 == 0 ? tilt : .zero),
        trial.best.inverseDepth + random.w * reach, &trial)
      reach *= 0.5
    }
    planes[index] = trial.best
  }

  /// Tries planes anywhere in the range: another depth, another slope, or both.
  @inline(__always)
  private func guess(
    _ x: Int, _ y: Int, _ index: Int, round: Int, _ effort: Effort, _ trial: inout Trial
  ) {
    for guess in 0..<effort.guesses {
      let random = random(index, round: round * 16 + guess + 1)
      let any = range.lowerBound + (range.upperBound - range.lowerBound) * random.w
      let own = trial.best
      if guess % 3 != 1 { attempt(own.slope * (any / own.inverseDepth), any, &trial) }
      if guess % 3 != 0 {
        let q = guess % 3 == 1 ? own.inverseDepth : any
        attempt(slope(x, y, inverseDepth: q, random), q, &trial)
      }
    }
  }

  /// Whether planes differ by less than a few hundredths of a pixel.
  @inline(__always)
  private func isSame(_ a: PixelPlane, _ b: PixelPlane) -> Bool {
    let limit = 0.03 * pixelStep
    return abs(a.inverseDepth - b.inverseDepth) < limit
      && abs(a.slope.x - b.slope.x) * PatchWindow.reach < limit
      && abs(a.slope.y - b.slope.y) * PatchWindow.reach < limit
  }

  /// The pixels of the other colour that fit best where they are, of eight regions.
  @inline(__always)
  private func neighbors(_ x: Int, _ y: Int) -> (costs: SIMD8<Float>, places: SIMD8<Int32>) {
    var costs = SIMD8<Float>(repeating: .infinity)
    var places = SIMD8<Int32>.zero
    @inline(__always) func look(_ region: Int, _ dx: Int, _ dy: Int) {
      let (column, row) = (x + dx, y + dy)
      guard column >= 0, row >= 0, column < size.x, row < size.y else { return }
      let place = row * size.x + column
      let cost = planes[place].cost
      guard cost < costs[region] else { return }
      costs[region] = cost
      places[region] = Int32(truncatingIfNeeded: place)
    }
    @inline(__always) func lookBothWays(_ region: Int, along: Int, across: Int) {
      look(region, across, -along)
      look(region + 1, -across, along)
      look(region + 2, -along, -across)
      look(region + 3, along, across)
    }
    lookBothWays(0, along: 1, across: 0)
    lookBothWays(0, along: 2, across: 1)
    lookBothWays(0, along: 2, across: -1)
    lookBothWays(0, along: 3, across: 2)
    lookBothWays(0, along: 3, across: -2)
    lookBothWays(4, along: 3, across: 0)
    lookBothWays(4, along: 5, across: 0)
    lookBothWays(4, along: 7, across: 0)
    lookBothWays(4, along: 11, across: 0)
    lookBothWays(4, along: 17, across: 0)
    lookBothWays(4, along: 25, across: 0)
    return (costs, places)
  }

  // MARK: Finer than a variation

  /// Moves each plane to the lowest point of a parabola through its cost and those of two more planes.
  func sharpen(reach: Float) {
    let step = reach * pixelStep
    forEachPixel(of: nil) { x, y, index in
      let window = PatchWindow(image, likeness, x: x, y: y)
      let pixel = SIMD2(Float(x), Float(y))
      let plane = planes[index]
      @inline(__always) func moved(_ by: Float) -> PixelPlane {
        PixelPlane(slope: plane.slope, inverseDepth: plane.inverseDepth + by, cost: .infinity)
      }
      let nearer = cost.cost(window, pixel, moved(step))
      let farther = cost.cost(window, pixel, moved(-step))
      let curvature = nearer + farther - 2 * plane.cost
      guard curvature > 1e-5 else { return }
      let shift = 0.5 * (farther - nearer) / curvature
      guard abs(shift) < 1 else { return }
      planes[index].inverseDepth += shift * step
      planes[index].cost -= 0.5 * curvature * shift * shift
    }
  }

  // MARK: Chance

  /// Four numbers from 0 to 1.
  @inline(__always)
  private func random(_ index: Int, round: Int) -> SIMD4<Float> {
    let number = UInt32(truncatingIfNeeded: index) ^ (seed &* 0x9E37_79B9)
    let bits = SplitMix64.hash(of: number &+ UInt32(truncatingIfNeeded: round) &* 0x85EB_CA6B)
    return SIMD4(
      Float(bits & 0xFFFF), Float(bits &>> 16 & 0xFFFF), Float(bits &>> 32 & 0xFFFF),
      Float(bits &>> 48)) * 0x1p-16
  }

  /// The slope of a surface that looks to the camera, more likely straight than at an angle.
  @inline(__always)
  private func slope(
    _ x: Int, _ y: Int, inverseDepth: Float, _ random: SIMD4<Float>
  ) -> SIMD2<Float> {
    let ray = camera.ray(Float(x), Float(y))
    let direction = ray / ray.length
    let any = SIMD3(random.x, random.y, random.z) * 2 - 1
    let normal = direction * 1.2 + any
    let cosine = normal.dot(ray)
    guard cosine > 0.1 else { return .zero }
    return SIMD2(normal.x, normal.y) / camera.focalLength * (inverseDepth / cosine)
  }
}
