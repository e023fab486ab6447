import Foundation
import MeshTestSupport
import MeshpipeScene
import SurfaceKernels
import Testing

/// Scans of a room of which the place of each is known.
@Suite struct RegistrationTests {
  private static let up = SIMD3<Double>(0, 1, 0)
  /// The room of the fixture, with the middle of the floor as the origin: x from −2.5 to 2.5, z from −2 to 2.
  ///
  /// Its table stands in the middle, where half a turn brings the room nearly onto itself: here it stands aside.
  private static let room = {
    var room = RoomFixture.scan()
    let table = (0..<room.faceCount).filter { face in
      let place = room.centroid(ofFace: face)
      return abs(place.x) < 0.9 && abs(place.z) < 0.5 && place.y > 0.01 && place.y < 0.9
    }
    for vertex in Set(table.flatMap { room.indices[3 * $0..<3 * $0 + 3] }) {
      let point = room.positions[Int(vertex)].simd
      room.positions[Int(vertex)] = Vector3(point + SIMD3(0, 0, 0.7))
    }
    return room
  }()

  /// A part of a mesh, with noise of its own, moved away; and what moves it back.
  private static func scan(
    _ mesh: Mesh, seed: UInt64, degrees: Double = 0, shift: SIMD3<Double> = .zero,
    where isSeen: (SIMD3<Double>) -> Bool = { _ in true }
  ) -> (mesh: Mesh, back: Transform) {
    var (part, random) = (mesh, SplitMix64(seed: seed))
    part.indices = (0..<mesh.faceCount).filter { isSeen(mesh.centroid(ofFace: $0)) }
      .flatMap { mesh.indices[3 * $0..<3 * $0 + 3] }
    part.classes = nil
    let away =
      Transform(translation: shift) * Transform(rotationAbout: up, by: degrees * .pi / 180)
    part.positions = part.positions.map { point in
      // A sum of uniform numbers is nearly normal; its deviation is 5 mm.
      func noise() -> Double { 0.005 * ((0..<12).reduce(0) { sum, _ in sum + random.unit() } - 6) }
      let place = point.double + SIMD3(noise(), noise(), noise())
      return Vector3(SIMD3<Float>(away.apply(toPoint: place)))
    }
    return (part, away.inverse ?? .identity)
  }

  /// Empty for a mesh without faces.
  private static func surface(_ mesh: Mesh) -> RegisteredSurface {
    RegisteredSurface(ofFaces: mesh, up: up)
      ?? RegisteredSurface(points: [], normals: [], area: 0, up: up)
  }

  private static func registered(_ second: Mesh, onto first: Mesh) throws -> SurfaceRegistration {
    try SurfaceRegistration(of: surface(second), onto: surface(first)) {}
  }

  /// Degrees, and metres at the middle of the room.
  private static func error(_ found: Transform, _ truth: Transform) -> (turn: Double, shift: Double)
  {
    let rest = found * (truth.inverse ?? .identity)
    let cosine = (rest.x.x + rest.y.y + rest.z.z - 1) / 2
    let middle = SIMD3<Double>(0, 1.2, 0)
    return (
      acos(min(max(cosine, -1), 1)) * 180 / .pi, (rest.apply(toPoint: middle) - middle).length
    )
  }

  @Test(arguments: [1, 2, 3, 4]) func `halves of a room find each other from anywhere`(
    seed: UInt64
  ) throws {
    var random = SplitMix64(seed: seed)
    let shift = SIMD3(8 * random.unit() - 4, random.unit(), 8 * random.unit() - 4)
    let (first, _) = Self.scan(Self.room, seed: 10 * seed) { $0.x < 1 }
    let (second, truth) = Self.scan(
      Self.room, seed: 10 * seed + 1, degrees: 360 * random.unit(), shift: shift
    ) { $0.x > -1 }
    let found = try Self.registered(second, onto: first)
    #expect(found.verdict == .fits)
    let error = Self.error(found.transform, truth)
    #expect(error.turn < 0.1 && error.shift < 0.005, "\(error)")
    #expect(found.overlap > 0.3 && found.overlap < 0.7, "\(found.overlap)")
    #expect(found.residual < 0.006)
  }

  @Test func `an empty room fits in two places, and a corridor slides`() throws {
    var shell = Self.room
    shell.indices = (0..<shell.faceCount).filter { face in
      let place = shell.centroid(ofFace: face)
      // Floor, ceiling and walls without openings and furniture: what is alike from both sides.
      return abs(place.x) > 2.499 && place.z < 0 && place.y < 2.5 || abs(place.y - 2.5) < 1e-3
        || place.y < 1e-3 && abs(place.x) < 1.8
    }.flatMap { shell.indices[3 * $0..<3 * $0 + 3] }
    let (first, _) = Self.scan(shell, seed: 1) { abs($0.z) < 1.9 }
    let (second, _) = Self.scan(shell, seed: 2, degrees: 30) { abs($0.z) < 1.9 }
    let found = try Self.registered(second, onto: first)
    #expect(found.verdict != .fits, "\(found.verdict)")
    let tunnel = Self.scan(Self.room, seed: 3) { abs($0.x) < 2.45 && abs($0.z) > 1.9 && $0.x > 0.4 }
    let other = Self.scan(Self.room, seed: 4, degrees: 50) {
      abs($0.x) < 2.45 && abs($0.z) > 1.9 && $0.x > 0.4
    }
    #expect(try Self.registered(other.mesh, onto: tunnel.mesh).verdict != .fits)
  }

  @Test func `a mirrored scan and one of something else are refused`() throws {
    let (first, _) = Self.scan(Self.room, seed: 1)
    var (mirrored, _) = Self.scan(Self.room, seed: 2)
    mirrored.apply(Transform(scale: SIMD3(-1, 1, 1)))
    #expect(try Self.registered(mirrored, onto: first).verdict != .fits)
    var ball = MeshFixtures.sphere(segments: 48, rings: 24)
    ball.apply(Transform(scale: SIMD3(repeating: 1.5)))
    #expect(try Self.registered(ball, onto: first).verdict != .fits)
    #expect(try Self.registered(Mesh(name: "nothing"), onto: first).verdict == .isApart)
  }

  @Test func `scans of one room come into one frame, and one of elsewhere is left out`() throws {
    let parts: [(Double, SIMD3<Double>) -> Bool] = [
      { _, place in place.x < 0.6 }, { _, place in place.x > -0.8 }, { _, place in place.z < 0.8 },
    ]
    var (scans, truths): ([RegisteredSurface], [Transform]) = ([], [])
    for (index, isSeen) in parts.enumerated() {
      let (mesh, truth) = Self.scan(
        Self.room, seed: UInt64(20 + index), degrees: 100 * Double(index),
        shift: SIMD3(3, 0.2, -1) * Double(index)
      ) { isSeen(0, $0) }
      scans.append(Self.surface(mesh))
      truths.append(truth)
    }
    var ball = MeshFixtures.sphere(segments: 48, rings: 24)
    ball.apply(Transform(scale: SIMD3(repeating: 1.5)))
    scans.append(Self.surface(ball))
    let network = try SurfaceNetwork(scans) {}
    #expect(network.placements[3] == nil)
    #expect(network.refusals[3] != nil)
    for scan in 1..<3 {
      let placement = try #require(network.placements[scan])
      let error = Self.error(placement.transform, truths[scan])
      #expect(error.turn < 0.1 && error.shift < 0.005, "\(scan): \(error)")
      #expect(placement.deviation.shift < 0.01)
    }
  }
}
