package import MeshpipeScene
import POSIX

/// The planes, spheres, cylinders, cones and tori in the meshes and point clouds of a scene.
///
/// Planes of meshes are regions of faces (``PlaneRegions``), everything else is found by drawing samples
/// (``ShapeSearch``).
package struct ShapeDetection {
  /// Lengths and areas in the units of the scene.
  package struct Options: Sendable {
    let kinds: [Shape.Kind]
    /// The greatest distance from a shape; nil for one by the noise.
    let maximumDistance: Double?
    /// The maximum angle between the normals of a shape and of what is on it, in radians.
    let maximumAngle: Double
    /// The minimum area of a shape of faces; nil for one by the extent.
    let leastArea: Double?
    /// The minimum number of points of a shape of points.
    let leastPoints: Int
    /// The usual distance of neighbours; nil for the measured one.
    let spacing: Double?
    /// The gaps that are part of a shape, in distances of neighbours.
    let bridging: Double
    /// A ball on the only shape to find; nil for all shapes.
    let seed: Seed?

    package init(
      kinds: [Shape.Kind], maximumDistance: Double?, maximumAngle: Double, leastArea: Double?,
      leastPoints: Int, spacing: Double?, bridging: Double, seed: Seed?
    ) {
      self.kinds = kinds
      self.maximumDistance = maximumDistance
      self.maximumAngle = maximumAngle
      self.leastArea = leastArea
      self.leastPoints = leastPoints
      self.spacing = spacing
      self.bridging = bridging
      self.seed = seed
    }
  }

  /// A ball in which faces or points are on one shape for the most part.
  package struct Seed: Sendable {
    package var center: SIMD3<Double>
    package var radius: Double

    package init(center: SIMD3<Double>, radius: Double) {
      self.center = center
      self.radius = radius
    }
  }

  /// The shapes, those of faces first, the largest first.
  package private(set) var shapes: [Shape] = []
  /// The number of the shape of each face of each mesh; -1 for none.
  package private(set) var faceLabels: [[Int32]] = []
  /// The number of the shape of each point of each cloud; -1 for none.
  package private(set) var pointLabels: [[Int32]] = []
  /// The greatest distances that were used, in the units of the scene; nil without faces or points.
  package private(set) var faceTolerance: Double?
  package private(set) var pointTolerance: Double?

  private let options: Options

  /// By default a tolerance is this many deviations of the noise, at least this share of the extent.
  private static let deviations = 3.2
  private static let (leastFaceTolerance, leastPointTolerance) = (0.001, 0.0005)
  /// By default a shape of faces has an area of the square of this share of the extent.
  private static let leastSize = 0.05
  /// Planes of meshes in parts are found by parts of this share of the least area.
  private static let partShare = 0.25

  /// Finds the shapes of a scene.
  ///
  /// - Parameter progress: Called with the share done; an error ends the search.
  package init(
    _ scene: borrowing Scene, _ options: Options, progress: (Double) throws -> Void
  ) rethrows {
    self.options = options
    faceLabels = scene.meshes.map { [Int32](repeating: -1, count: $0.faceCount) }
    pointLabels = scene.pointClouds.map { [Int32](repeating: -1, count: $0.positions.count) }
    let share = scene.faceCount == 0 ? 0 : scene.pointCount == 0 ? 1 : 0.5
    try findInFaces(of: scene) { try progress($0 * share) }
    try findInPoints(of: scene) { try progress(share + $0 * (1 - share)) }
    var counts: [Shape.Kind: Int] = [:]
    for index in shapes.indices {
      let kind = shapes[index].kind
      counts[kind, default: 0] += 1
      shapes[index].name = "\(kind.rawValue)-\(counts[kind] ?? 1)"
    }
  }

  // MARK: Faces

  private mutating func findInFaces(
    of scene: borrowing Scene, progress: (Double) throws -> Void
  ) rethrows {
    let surface = scene.meshes.joinedSurface
    let mesh = Mesh(positions: surface.positions, indices: surface.indices)
    guard let frame = WorkingFrame(mesh.bounds), mesh.faceCount > 0,
      let smooth = SmoothingSurface(mesh, holdsBorders: false)
    else { return }
    let noise = NoiseEstimate.standardDeviation(of: smooth) ?? 0
    let tolerance =
      options.maximumDistance
      ?? max(Self.deviations * noise, Self.leastFaceTolerance) * frame.scale
    let leastArea =
      options.leastArea ?? (Self.leastSize * frame.scale) * (Self.leastSize * frame.scale)
    guard tolerance > 0 else { return }
    let regions = try PlaneRegions(
      mesh, on: smooth, noise: noise, tolerance: tolerance,
      leastArea: leastArea * Self.partShare, cosine: Float(cosine)
    ) { try progress(0.6 * $0) }
    faceTolerance = tolerance
    let samples = ShapeSamples(faces: mesh, regions, frame)
    let search = search(
      samples, tolerance: tolerance / frame.scale, leastArea / frame.scale / frame.scale)
    let merged: [ShapeSearch.Found]
    let planes = regions.found(samples, frame)
    let free = samples.numbers { regions.labels[$0] < 0 }
    var round = search
    round.kinds.removeAll { $0 == .plane }
    if let seed = options.seed {
      let planes = self.merged(planes, samples, search, facing: true)
      let others =
        round.kinds.isEmpty
        ? [] : around(seed, samples: samples, numbers: free, search: round, frame: frame)
      merged = heaviest(planes + others, at: seed, samples, frame)
    } else if round.kinds.isEmpty {
      merged = self.merged(planes, samples, search, facing: true)
    } else {
      var run = ShapeSearch(samples, free, round)
      try run.run { try progress(0.6 + 0.4 * $0) }
      merged = self.merged(planes + run.found, samples, search, facing: true)
    }
    let first = shapes.count
    for find in merged {
      var shape = find.model.shape(in: frame)
      shape.measure(find, samples: samples, frame: frame, isArea: true) { add in
        for number in find.numbers {
          let (a, b, c) = mesh.vertices(ofFace: Int(number))
          for vertex in [a, b, c] { add(mesh.positions[Int(vertex)].double) }
        }
      }
      shapes.append(shape)
    }
    Self.setOutlines(
      of: &shapes[first...], found: merged, gap: search.gap, samples: samples, frame: frame
    ) {
      number, flat, coverage in
      let (a, b, c) = mesh.vertices(ofFace: Int(number))
      func corner(_ vertex: UInt32) -> SIMD2<Double> { flat(mesh.positions[Int(vertex)].double) }
      coverage.cover(corner(a), corner(b), corner(c))
    }
    Self.label(&faceLabels, merged, from: first)
    try progress(1)
  }

  // MARK: Points

  private mutating func findInPoints(
    of scene: borrowing Scene, progress: (Double) throws -> Void
  ) rethrows {
    let clouds = scene.pointClouds
    let all = Parallel.joined(clouds.map(\.positions))
    guard let frame = WorkingFrame(Box(all)) else { return }
    let positions = Parallel.array(count: all.count) { frame.working(all[$0]) }
    let normals =
      clouds.allSatisfy { $0.normals != nil }
      ? Parallel.joined(clouds.map { $0.normals ?? [] }) : nil
    let points = try PointSamples(positions, normals: normals) { try progress(0.4 * $0) }
    let tolerance =
      options.maximumDistance.map { $0 / frame.scale }
      ?? max(Self.deviations * points.noise, Self.leastPointTolerance)
    guard tolerance > 0 else { return }
    pointTolerance = tolerance * frame.scale
    let search = search(points.samples, tolerance: tolerance, Double(options.leastPoints))
    let numbers = points.samples.numbers { _ in true }
    let merged: [ShapeSearch.Found]
    if let seed = options.seed {
      merged = around(seed, samples: points.samples, numbers: numbers, search: search, frame: frame)
    } else {
      var run = ShapeSearch(points.samples, numbers, search)
      try run.run { try progress(0.4 + 0.6 * $0) }
      merged = self.merged(run.found, points.samples, search, facing: false)
    }
    let first = shapes.count
    for find in merged {
      var shape = find.model.shape(in: frame)
      shape.measure(find, samples: points.samples, frame: frame, isArea: false) { add in
        for number in find.numbers { add(all[Int(number)].double) }
      }
      shapes.append(shape)
    }
    Self.setOutlines(
      of: &shapes[first...], found: merged, gap: search.gap, samples: points.samples, frame: frame
    ) {
      number, flat, coverage in
      coverage.cover(flat(all[Int(number)].double))
    }
    Self.label(&pointLabels, merged, from: first)
    try progress(1)
  }

  // MARK: Both

  private var cosine: Double { cos(options.maximumAngle) }

  private func search(
    _ samples: ShapeSamples, tolerance: Double, _ leastWeight: Double
  ) -> ShapeSearch.Options {
    let gap = max(options.bridging * samples.spacing, tolerance)
    return ShapeSearch.Options(
      kinds: options.kinds, tolerance: ShapeTolerance(distance: tolerance, cosine: cosine),
      leastWeight: leastWeight, gap: gap, reach: gap)
  }

  /// Sets the outlines of the planes among shapes, which are found in the same order.
  ///
  /// - Parameter cover: Covers a face or point, given the coordinates of a position in the plane.
  private static func setOutlines(
    of shapes: inout ArraySlice<Shape>, found: [ShapeSearch.Found], gap: Double,
    samples: ShapeSamples, frame: WorkingFrame,
    _ cover: @Sendable (Int32, (SIMD3<Double>) -> SIMD2<Double>, inout FlatCoverage) -> Void
  ) {
    let known = Array(shapes)
    let outlines = Parallel.map(count: found.count) { index -> [[SIMD2<Double>]] in
      let shape = known[index]
      guard shape.kind == .plane else { return [] }
      let across = shape.axis.cross(shape.reference)
      func flat(_ point: SIMD3<Double>) -> SIMD2<Double> {
        let offset = point - shape.center
        return SIMD2(offset.dot(shape.reference), offset.dot(across))
      }
      return PlaneOutline(
        size: shape.size, spacing: samples.spacing * frame.scale, gap: gap * frame.scale
      ) { coverage in
        for number in found[index].numbers { cover(number, flat, &coverage) }
      }.loops
    }
    for (index, outline) in zip(shapes.indices, outlines) { shapes[index].outline = outline }
  }

  /// The shape at a seed, if there is one.
  private func around(
    _ seed: Seed, samples: ShapeSamples, numbers: [Int32], search: ShapeSearch.Options,
    frame: WorkingFrame
  ) -> [ShapeSearch.Found] {
    let near = self.numbers(numbers, at: seed, samples, frame)
    return ShapeSearch.around(samples, numbers, seed: near, search).map { [$0] } ?? []
  }

  /// The samples within the ball of a seed.
  private func numbers(
    _ numbers: [Int32], at seed: Seed, _ samples: ShapeSamples, _ frame: WorkingFrame
  ) -> [Int32] {
    let center = (seed.center - frame.middle) / frame.scale
    let radius = seed.radius / frame.scale
    return numbers.filter {
      (samples.positions[Int($0)].double - center).lengthSquared <= radius * radius
    }
  }

  /// The shape that has most of what is at a seed; none if there is nothing.
  private func heaviest(
    _ found: [ShapeSearch.Found], at seed: Seed, _ samples: ShapeSamples, _ frame: WorkingFrame
  ) -> [ShapeSearch.Found] {
    let weights = found.map { samples.weight(of: numbers($0.numbers, at: seed, samples, frame)) }
    guard let best = weights.indices.max(by: { weights[$0] < weights[$1] }), weights[best] > 0
    else { return [] }
    return [found[best]]
  }

  /// Joins finds that are on one shape, and leaves out those that are too small or not asked for.
  private func merged(
    _ found: [ShapeSearch.Found], _ samples: ShapeSamples, _ search: ShapeSearch.Options,
    facing: Bool
  ) -> [ShapeSearch.Found] {
    ShapeSearch.merged(found, samples, search.tolerance, facing: facing).filter {
      $0.weight >= search.leastWeight && options.kinds.contains($0.model.kind)
    }
  }

  /// Sets the labels of elements, which are numbered across all owners.
  private static func label(
    _ labels: inout [[Int32]], _ found: [ShapeSearch.Found], from first: Int
  ) {
    var flat = [Int32](repeating: -1, count: labels.reduce(0) { $0 + $1.count })
    for (place, find) in found.enumerated() {
      for number in find.numbers { flat[Int(number)] = Int32(first + place) }
    }
    var start = 0
    for owner in labels.indices {
      let end = start + labels[owner].count
      labels[owner] = Array(flat[start..<end])
      start = end
    }
  }
}

/// Coordinates relative to the middle of a box, in units of its extent, so that no digits are lost.
struct WorkingFrame: Sendable {
  let middle: SIMD3<Double>
  let scale: Double

  /// - Returns: Nil for a box without an extent.
  init?(_ box: Box) {
    let low = SIMD3<Double>(box.minimum)
    let high = SIMD3<Double>(box.maximum)
    scale = (high - low).max()
    middle = low + (high - low) / 2
    guard !box.isEmpty, scale > 0 else { return nil }
  }

  @inline(__always)
  func working(_ position: Vector3) -> Vector3 { working(position.double) }

  @inline(__always)
  func working(_ position: SIMD3<Double>) -> Vector3 {
    Vector3(SIMD3<Float>((position - middle) / scale))
  }
}

extension ShapeSamples {
  /// The middles of faces.
  init(faces mesh: Mesh, _ regions: PlaneRegions, _ frame: WorkingFrame) {
    positions = Parallel.array(count: mesh.faceCount) { face in
      let (a, b, c) = mesh.vertices(ofFace: face)
      let sum =
        mesh.positions[Int(a)].double + mesh.positions[Int(b)].double
        + mesh.positions[Int(c)].double
      return frame.working(sum / 3)
    }
    normals = Parallel.array(count: mesh.faceCount) { face in
      let normal = regions.normals[face]
      return Vector3(SIMD3(normal.x, normal.y, normal.z))
    }
    weights = regions.normals.map(\.w)
    // Of two triangles in a square.
    let areas = weights.filter { $0 > 0 }
    let mean = areas.reduce(0.0) { $0 + Double($1) } / Double(max(areas.count, 1))
    spacing = (2 * mean).squareRoot()
  }

  /// The samples with a weight, a position and a normal that fulfil a condition.
  func numbers(where condition: (Int) -> Bool) -> [Int32] {
    positions.indices.compactMap { number in
      weights[number] > 0 && positions[number].isFinite && normals[number].isFinite
        && normals[number] != .zero && condition(number) ? Int32(number) : nil
    }
  }
}

extension PlaneRegions {
  /// The regions as shapes of samples.
  fileprivate func found(_ samples: ShapeSamples, _ frame: WorkingFrame) -> [ShapeSearch.Found] {
    var numbers = [[Int32]](repeating: [], count: regions.count)
    for face in labels.indices where labels[face] >= 0 && samples.weights[face] > 0 {
      numbers[Int(labels[face])].append(Int32(face))
    }
    return zip(regions, numbers).map { region, numbers in
      ShapeSearch.Found(
        model: ShapeModel(
          kind: .plane, center: (region.center - frame.middle) / frame.scale,
          axis: region.plane.normal),
        numbers: numbers, weight: samples.weight(of: numbers))
    }
  }
}
