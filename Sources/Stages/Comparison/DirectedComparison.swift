import MeshPipeline
import NativeLibraries
import POSIX
import SurfaceKernels

/// How far one scene is from another, measured at points of the one.
struct DirectedComparison: Sendable {
  /// Distances to the nearest place of the other, in units of the scenes.
  private(set) var distances: DistanceStatistics
  /// The position of the greatest distance.
  private(set) var farthest = SIMD3<Float>.zero
  /// Distances with their sign; nil if no side is clear, as between point clouds.
  private(set) var signed: SignedDistances?
  /// Angles between normals, in degrees; nil without faces on both sides.
  private(set) var normals: DistanceStatistics?
  /// CIEDE2000; nil without colours on both sides.
  private(set) var colors: DistanceStatistics?
  /// Nil without classes on both sides.
  private(set) var classes: ClassAgreement?

  /// Distances in front of and behind the other surface.
  struct SignedDistances: Sendable, Equatable {
    /// Of those on it or on a clear side, positive in front.
    var mean: Double
    /// The shares of the points in front of it and behind it; others are on it, or no side is clear.
    var front: Double
    var behind: Double
  }

  /// - Parameters:
  ///   - one: Where it is measured: at points spread over its faces by area, and for the greatest distance also at its
  ///     vertices; at its points if it has no faces.
  ///   - samples: The number of points on the faces.
  init(
    from one: ComparedScene, to target: ComparisonTarget, samples count: Int, seed: Int
  ) {
    let samples = one.samples(count: count, seed: seed)
    let weights = (0..<(samples?.count ?? 0)).map {
      SIMD3<Float>(samples?.weights(of: $0) ?? .zero)
    }
    let points =
      samples.map { samples in
        samples.faces.indices.map {
          Vector3(one.position(onFace: Int(samples.faces[$0]), weights[$0]))
        }
      } ?? one.points
    let places = target.places(nearestTo: points)
    distances = DistanceStatistics(places.map(\.distance))
    if let index = places.indices.max(by: { places[$0].distance < places[$1].distance }) {
      farthest = points[index].simd
    }
    signed = SignedDistances(places)
    guard let samples else { return }
    if let vertex = target.farthestVertex(of: one.surface, beyond: Float(distances.maximum)) {
      distances.raise(maximumTo: Double(vertex.distance))
      farthest = vertex.position
    }
    guard target.scene.isSurface else { return }
    let isColored = one.hasColors && target.scene.hasColors
    let looks: [SIMD2<Float>] = Parallel.array(count: samples.count) { index in
      Self.difference(
        one.sampler.sight(
          ofFace: Int(samples.faces[index]), SIMD2(weights[index].y, weights[index].z),
          area: Float(samples.areaPerSample)),
        target.scene.sampler.sight(
          ofFace: Int(places[index].face), places[index].barycentric,
          area: Float(samples.areaPerSample)),
        isColored: isColored)
    }
    normals = DistanceStatistics(looks.map(\.x))
    if isColored { colors = DistanceStatistics(looks.map(\.y)) }
    classes = ClassAgreement(
      one.classes, samples.faces, target.scene.classes, places.map(\.face))
  }

  /// The angle between normals in degrees, and the difference of colours.
  private static func difference(
    _ one: SceneSampler.Sight, _ other: SceneSampler.Sight, isColored: Bool
  ) -> SIMD2<Float> {
    let cosine = Double(min(max(one.normal.dot(other.normal), -1), 1))
    let angle = Angle(radians: acos(cosine)).degrees
    let color =
      isColored ? LabColor(light: one.color).difference(from: LabColor(light: other.color)) : 0
    return SIMD2(Float(angle), Float(color))
  }
}

extension DirectedComparison.SignedDistances {
  /// Nil if no side is clear.
  fileprivate init?(_ places: [NearestSurface.Place]) {
    var (sum, clear, front, behind) = (0.0, 0, 0, 0)
    for place in places {
      guard let side = place.side else { continue }
      clear += 1
      sum += Double(place.distance) * Double(side)
      if side > 0 { front += 1 } else if side < 0 { behind += 1 }
    }
    guard clear > 0 else { return nil }
    let count = Double(places.count)
    self.init(
      mean: sum / Double(clear), front: Double(front) / count,
      behind: Double(behind) / count)
  }
}

/// How the classes of two surfaces agree, by area.
struct ClassAgreement: Sendable, Equatable {
  /// The classes of both scenes at a place.
  struct Pair: Sendable, Hashable {
    var one: String
    var other: String
  }

  /// The number of places for each pair of classes, those that agree, too.
  private var counts: [Pair: Int] = [:]
  private let total: Int

  /// The share of the area with the same class.
  var agreement: Double {
    let same = counts.reduce(0) { $0 + ($1.key.one == $1.key.other ? $1.value : 0) }
    return Double(same) / Double(total)
  }

  /// Nil if one of the scenes has no classes.
  init?(
    _ one: FaceClasses?, _ faces: [UInt32], _ other: FaceClasses?, _ otherFaces: [UInt32]
  ) {
    guard let one, let other, !faces.isEmpty else { return nil }
    total = faces.count
    var labels: [SIMD2<UInt16>: Int] = [:]
    for (face, otherFace) in zip(faces, otherFaces) {
      labels[SIMD2(one.labels[Int(face)], other.labels[Int(otherFace)]), default: 0] += 1
    }
    for (labels, count) in labels {
      let pair = Pair(one: one.names[Int(labels.x)], other: other.names[Int(labels.y)])
      counts[pair, default: 0] += count
    }
  }

  /// The pairs with the largest shares first, equal ones by name.
  var table: [(pair: Pair, share: Double)] {
    counts.map { (pair: $0.key, share: Double($0.value) / Double(total)) }.sorted {
      ($1.share, $0.pair.one, $0.pair.other) < ($0.share, $1.pair.one, $1.pair.other)
    }
  }
}
