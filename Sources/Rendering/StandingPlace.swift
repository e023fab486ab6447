import MeshpipeScene
import NativeLibraries
import POSIX

/// Finds a position for a person in a scene: among its surfaces, not behind a wall of a corridor.
struct StandingPlace {
  /// The height of the eyes over the floor, in metres.
  private static let eyeHeight = 1.6
  /// Columns along the longer horizontal side of the box, each of which is tried once.
  private static let columns = 24
  /// The number of view directions tested from each position.
  private static let directions = 128
  /// A position with this share of the best one's visible fronts is as good; among these the
  /// roomiest is used.
  private static let nearlyBest = 0.95

  let tracer: RayTracer
  let surface: SceneSurface
  let box: Box
  let system: CoordinateSystem

  /// A position at eye height that sees the fronts of surfaces in most directions, with as much
  /// space around it as possible; nil if nothing is above a floor.
  func find() -> SIMD3<Double>? {
    let columns = self.columns
    let looks = Self.sphere(Self.directions)
    let found = Parallel.map(count: columns.count) { index in
      self.place(over: columns[index], looks)
    }
    let places = found.compactMap(\.self)
    guard let most = places.map(\.surroundings).max(), most > 0 else { return nil }
    let good = places.filter { $0.surroundings >= Self.nearlyBest * most }
    // The first of equal ones, on any number of threads.
    let roomiest = good.indices.max { (good[$0].room, -$0) < (good[$1].room, -$1) }
    return roomiest.map { SIMD3<Double>(good[$0].position) }
  }

  private struct Place: Sendable {
    var position: SIMD3<Float>
    /// The share of directions with a surface; one that shows its back counts half.
    var surroundings: Double
    /// The geometric mean of the distances to surrounding surfaces, in which near surfaces
    /// dominate.
    var room: Double
  }

  private var up: SIMD3<Float> { SIMD3<Float>(system.up.vector) }

  /// Points at half the height of the box, on a horizontal grid.
  private var columns: [SIMD3<Float>] {
    let (right, ahead) = (SIMD3<Float>(system.right), SIMD3<Float>(system.forward.vector))
    let (width, depth) = (abs(box.size.dot(right)), abs(box.size.dot(ahead)))
    let step = max(width, depth) / Float(Self.columns)
    guard step > 0, step.isFinite else { return [] }
    func offsets(_ extent: Float) -> [Float] {
      let count = max(1, Int((extent / step).rounded()))
      return (0..<count).map { extent * ((Float($0) + 0.5) / Float(count) - 0.5) }
    }
    return offsets(depth).flatMap { y in
      offsets(width).map { x in box.center + right * x + ahead * y }
    }
  }

  private func place(over column: SIMD3<Float>, _ looks: [SIMD3<Float>]) -> Place? {
    guard let below = tracer.firstHit(from: column, along: -up) else { return nil }
    let above = tracer.firstHit(from: column, along: up)?.distance
    let half = abs(box.size.dot(up)) / 2
    let height = below.distance + (above ?? half)
    // In a low room, or a scan in an unknown unit, slightly above half its height.
    let eyes = min(Float(Self.eyeHeight / system.metersPerUnit), 0.55 * height)
    let position = column + up * (eyes - below.distance)
    var (sum, logarithms, count) = (0.0, 0.0, 0)
    for look in looks {
      guard let hit = tracer.firstHit(from: position, along: look), hit.distance > 0 else {
        continue
      }
      sum += isFront(Int(hit.face), along: look) ? 1 : 0.5
      logarithms += log(Double(hit.distance))
      count += 1
    }
    guard count > 0 else { return nil }
    return Place(
      position: position, surroundings: sum / Double(looks.count),
      room: exp(logarithms / Double(count)))
  }

  private func isFront(_ face: Int, along ray: SIMD3<Float>) -> Bool {
    let first = surface.corner(face, 0)
    let normal = (surface.corner(face, 1) - first).cross(surface.corner(face, 2) - first)
    return normal.dot(ray) < 0
  }

  /// Directions distributed evenly over the sphere: a spiral by the golden angle.
  private static func sphere(_ count: Int) -> [SIMD3<Float>] {
    let golden = Double.pi * (3 - 5.squareRoot())
    return (0..<count).map { index in
      let z = 1 - (2 * Double(index) + 1) / Double(count)
      let radius = (1 - z * z).squareRoot()
      let angle = golden * Double(index)
      return SIMD3(Float(radius * cos(angle)), Float(radius * sin(angle)), Float(z))
    }
  }
}
