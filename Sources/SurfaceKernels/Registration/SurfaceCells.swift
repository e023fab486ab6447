import MeshpipeScene

/// A surface in cells: its samples, and the space in front of them that must be empty, since they were seen through it.
struct SurfaceCells: Sendable {
  /// The edge of a cell, which is about the distance between samples.
  let size: Float
  /// One for each cell and side of the surface in it: the mean of the points.
  private(set) var points: [SIMD3<Float>] = []
  private(set) var normals: [SIMD3<Float>] = []
  /// What each sample counts, 1 on average: that of a large plane, of which every room has some, less than others.
  private(set) var weights: [Float] = []

  private let origin: SIMD3<Float>
  private let counts: SIMD3<Int32>
  /// Where the samples of each cell begin.
  private var starts: [Int32] = []
  private var isFree: [Bool] = []

  /// How far in front of a surface it is empty, in cells, unless there is another surface.
  private static let reach: Float = 6
  /// The width of the space around the surface that has cells, in cells.
  static let margin = reach + 1
  /// Where a surface is rough within a cell, it has no normal.
  private static let leastUnity: Float = 0.5

  init(_ surface: RegisteredSurface, size: Float) {
    self.size = size
    let margin = SIMD3<Float>(repeating: Self.margin * size)
    origin = surface.box.minimum - margin
    counts = SIMD3<Int32>((surface.box.size + 2 * margin) / size) &+ 1
    thin(surface)
    isFree = [Bool](repeating: false, count: cellCount)
    if surface.knowsSides { markFree() }
    weigh()
  }

  private var cellCount: Int { Int(counts.x) * Int(counts.y) * Int(counts.z) }

  private func place(of point: SIMD3<Float>) -> SIMD3<Int32> {
    let place = ((point - origin) / size).rounded(.down)
    // A place beyond all cells is in none.
    return SIMD3<Int32>(
      place.clamped(lowerBound: .init(repeating: -9), upperBound: .init(repeating: 1e8)))
  }

  private func cell(at place: SIMD3<Int32>) -> Int? {
    guard all(place .>= 0), all(place .< counts) else { return nil }
    return (Int(place.z) * Int(counts.y) + Int(place.y)) * Int(counts.x) + Int(place.x)
  }

  /// Makes the samples, in the order of their cells.
  private mutating func thin(_ surface: RegisteredSurface) {
    // A wall's two sides are two surfaces.
    let sides = 6
    let keys = surface.points.indices.map { index -> Int in
      let normal = surface.normals[index]
      let size = pointwiseMax(normal, -normal)
      let axis = size.x >= size.y && size.x >= size.z ? 0 : size.y >= size.z ? 1 : 2
      let side = 2 * axis + (normal[axis] < 0 ? 1 : 0)
      return (cell(at: place(of: surface.points[index])) ?? 0) * sides + side
    }
    let order = keys.indices.sorted { (keys[$0], $0) < (keys[$1], $1) }
    starts = [Int32](repeating: 0, count: cellCount + 1)
    var first = 0
    while first < order.count {
      let key = keys[order[first]]
      var (sum, normal, end) = (SIMD3<Float>.zero, SIMD3<Float>.zero, first)
      while end < order.count, keys[order[end]] == key {
        sum += surface.points[order[end]]
        normal += surface.normals[order[end]]
        end += 1
      }
      let count = Float(end - first)
      if normal.length > Self.leastUnity * count {
        points.append(sum / count)
        normals.append(normal.normalized)
        starts[key / sides + 1] += 1
      }
      first = end
    }
    for cell in 1..<starts.count { starts[cell] += starts[cell - 1] }
  }

  /// The number of samples by which the size of planes is found, and of these on the smallest plane.
  private static let (planeSamples, leastPlane) = (1000, Float(4))

  /// Gives each sample the inverse of the square root of the number of those on its plane.
  private mutating func weigh() {
    let (points, normals, size) = (points, normals, size)
    let others = points.indices.map(\.self).evenly(atMost: Self.planeSamples)
    weights = Parallel.array(count: points.count, chunkSize: 256) { index in
      var plane: Float = 0
      for other in others where normals[index].dot(normals[other]) > 0.95 {
        let height = (points[other] - points[index]).dot(normals[index])
        if abs(height) < size { plane += 1 }
      }
      return 1 / max(plane, Self.leastPlane).squareRoot()
    }
    let mean = weights.reduce(0, +) / Float(max(weights.count, 1))
    for index in weights.indices { weights[index] /= mean }
  }

  private mutating func markFree() {
    for (point, normal) in zip(points, normals) {
      var distance: Float = 1.5
      while distance <= Self.reach,
        let cell = cell(at: place(of: point + normal * (distance * size)))
      {
        // What stands in front of it was seen instead.
        if starts[cell] < starts[cell + 1] { break }
        isFree[cell] = true
        distance += 1
      }
    }
  }

  /// What the surface says of a sample of another one.
  enum Relation {
    /// It is on this one, whose plane here goes through a point.
    case agrees(point: SIMD3<Float>, normal: SIMD3<Float>)
    /// It is where this one shows that nothing is, or beside it, as a doubled wall is.
    case contradicts
    /// This one does not say.
    case isUnknown
  }

  /// The distance beyond which two surfaces that look the same way are two, as a multiple of that within which they are one.
  private static let doubled: Float = 2.5
  private static let leastCosine: Float = 0.75
  /// The square of the distance along the surface at which a sample no longer counts, in cells.
  private static let width: Float = 1.44

  /// The plane is that of all samples around, the nearer the more: of the one that happens to fit best, noise would hide
  /// how far the surfaces are apart.
  ///
  /// - Parameters:
  ///   - tolerance: The distance from the plane of a sample within which both are one surface.
  @inline(__always)
  func relation(of point: SIMD3<Float>, _ normal: SIMD3<Float>, within tolerance: Float)
    -> Relation
  {
    let place = place(of: point)
    guard let own = cell(at: place) else { return .isUnknown }
    var (nearest, isBeside) = (Float.infinity, false)
    var (total, middle, mean) = (Float.zero, SIMD3<Float>.zero, SIMD3<Float>.zero)
    for z in max(place.z - 1, 0)..<min(place.z + 2, counts.z) {
      for y in max(place.y - 1, 0)..<min(place.y + 2, counts.y) {
        let row = (Int(z) * Int(counts.y) + Int(y)) * Int(counts.x)
        let (low, high) = (max(place.x - 1, 0), min(place.x + 2, counts.x))
        for sample in Int(starts[row + Int(low)])..<Int(starts[row + Int(high)]) {
          isBeside = true
          guard normals[sample].dot(normal) > Self.leastCosine else { continue }
          let gap = points[sample] - point
          let height = abs(gap.dot(normals[sample]))
          let weight = Self.width - (gap.lengthSquared - height * height) / (size * size)
          guard weight > 0 else { continue }
          nearest = min(nearest, height)
          guard height <= tolerance else { continue }
          total += weight
          middle += gap * weight
          mean += normals[sample] * weight
        }
      }
    }
    if total > 0 { return .agrees(point: point + middle / total, normal: mean.normalized) }
    if nearest < .infinity {
      return nearest > Self.doubled * tolerance ? .contradicts : .isUnknown
    }
    return !isBeside && isFree[own] ? .contradicts : .isUnknown
  }
}
