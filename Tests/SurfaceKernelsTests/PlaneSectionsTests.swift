import Foundation
import MeshPipeline
import MeshTestSupport
import SurfaceKernels
import Testing

/// Sections of shapes whose outlines are known.
struct PlaneSectionsTests {
  /// Horizontal planes of a scene with y up, seen from above.
  private static let fromAbove = Transform(
    x: SIMD3(1, 0, 0), y: SIMD3(0, 0, -1), z: SIMD3(0, 1, 0))

  private func chains(
    of meshes: [Mesh], at heights: [Double], axes: Transform = fromAbove
  ) -> [[SectionChain]] {
    PlaneSections(of: meshes, axes: axes, heights: heights) { mesh, _ in UInt32(mesh) }.chains
  }

  private func area(_ chains: [SectionChain]) -> Double {
    chains.reduce(0) { $0 + $1.area }
  }

  @Test func `a cube gives its square at every height between its faces`() {
    // From the lower face, in the plane, to the upper one.
    let bounds = MeshFixtures.cube.bounds
    let (low, high) = (Double(bounds.minimum.y), Double(bounds.maximum.y))
    let side = Double(bounds.size.x)
    let found = chains(
      of: [MeshFixtures.cube], at: [low - 1, low, low + 0.3, (low + high) / 2, high, high + 1])
    #expect(found.map(\.count) == [0, 0, 1, 1, 1, 0])
    for chain in found.joined() {
      #expect(chain.isClosed)
      // The solid is on the left.
      #expect(abs(chain.area - side * side) < 1e-9)
      #expect(abs(chain.length - 4 * side) < 1e-9)
      #expect(chain.simplified(tolerance: 1e-6).points.count == 4)
    }
  }

  @Test func `faces without common vertices give the same curve as a welded mesh`() {
    let torus = MeshFixtures.torus()
    let heights = [-0.11, 0.02, 0.13]
    let welded = chains(of: [torus], at: heights)
    let loose = chains(of: [MeshFixtures.soup(of: torus)], at: heights)
    for (one, other) in zip(welded, loose) {
      #expect(one.count == other.count && one.allSatisfy(\.isClosed))
      #expect(one.map(\.length) == other.map(\.length))
    }
  }

  @Test func `a sphere of many faces has the circles of its heights`() {
    let sphere = MeshFixtures.sphere(segments: 256, rings: 128)
    let heights = stride(from: -0.9, through: 0.9, by: 0.1).map { $0 }
    for (height, chains) in zip(heights, chains(of: [sphere], at: heights)) {
      #expect(chains.count == 1 && chains[0].isClosed)
      let expected = Double.pi * (1 - height * height)
      #expect(abs(area(chains) - expected) < 0.003 * expected, "\(height)")
    }
  }

  @Test func `a torus cut along its axis is two circles, and across it a ring`() {
    let torus = MeshFixtures.torus()
    let size = torus.bounds.size
    let upright = size.y < size.x
    let ring = chains(of: [torus], at: [0.01], axes: upright ? Self.fromAbove : .identity)[0]
    #expect(ring.count == 2)
    // One counterclockwise around the solid, the other one clockwise around the hole.
    #expect(ring.map { $0.area > 0 }.sorted { $0 && !$1 } == [true, false])
    let side = Transform(x: SIMD3(0, 0, -1), y: SIMD3(0, 1, 0), z: SIMD3(1, 0, 0))
    let circles = chains(of: [torus], at: [0.01], axes: side)[0]
    #expect(circles.count == 2 && circles.allSatisfy { $0.isClosed && $0.area > 0 })
  }

  @Test func `open, mixed, many-sided and broken faces are followed as far as they go`() {
    // A sheet of which the plane shows one line, through vertices and in between.
    let sheet = MeshFixtures.grid(columns: 6, rows: 4)
    let side = Transform(x: SIMD3(0, 0, -1), y: SIMD3(0, 1, 0), z: SIMD3(1, 0, 0))
    for chains in chains(of: [sheet], at: [0.5, 1, 2.25], axes: side) {
      #expect(chains.count == 1 && !chains[0].isClosed)
      #expect(abs(chains[0].length - 4) < 1e-9)
      #expect(chains[0].simplified(tolerance: 1e-9).points.count == 2)
    }
    // Faces wound both ways.
    var flipped = MeshFixtures.cube
    flipped.indices.swapAt(0, 1)
    flipped.indices.swapAt(9, 10)
    let loop = chains(of: [flipped], at: [Double(flipped.bounds.center.y) + 0.1])[0]
    #expect(loop.count == 1 && loop[0].isClosed)
    // A face that is there twice, and seen from both sides.
    var doubled = MeshFixtures.cube
    doubled.indices += doubled.indices + doubled.indices.reversed()
    let once = chains(of: [doubled], at: [Double(doubled.bounds.center.y) + 0.1])[0]
    #expect(once.count == 1 && abs(once[0].length - loop[0].length) < 1e-9)
    // More than two faces at an edge.
    let fin = chains(of: [MeshFixtures.fin], at: [0.25], axes: .identity)[0]
    #expect(fin.allSatisfy { $0.points.count >= 2 && $0.labels.count >= 1 })
    var broken = MeshFixtures.cube
    broken.positions[0] = Vector3(.nan, 0, 0)
    broken.positions[1] = Vector3(.infinity, 0, 0)
    for chain in chains(of: [broken], at: [Double(broken.bounds.center.y)])[0] {
      #expect(chain.points.allSatisfy { $0.x.isFinite && $0.y.isFinite })
    }
  }

  @Test func `a curve ends where the label changes, and parts together are the whole`() {
    let chain = SectionChain(
      points: [SIMD2(0, 0), SIMD2(1, 0), SIMD2(1, 1), SIMD2(0, 1)], labels: [7, 7, 8, 7],
      isClosed: true)
    let parts = chain.partsByLabel
    #expect(parts.map(\.labels) == [[8], [7, 7, 7]] && !parts.contains(where: \.isClosed))
    #expect(parts[0].points == [SIMD2(1, 1), SIMD2(0, 1)])
    #expect(parts[1].points == [SIMD2(0, 1), SIMD2(0, 0), SIMD2(1, 0), SIMD2(1, 1)])
    let open = SectionChain(
      points: [SIMD2(0, 0), SIMD2(1, 0), SIMD2(2, 0)], labels: [1, 2], isClosed: false)
    #expect(open.partsByLabel.map(\.points.count) == [2, 2])
    let uniform = SectionChain(points: chain.points, labels: [3, 3, 3, 3], isClosed: true)
    #expect(uniform.partsByLabel == [uniform])
  }

  @Test func `simplifying keeps within its tolerance and keeps corners`() {
    let points = (0..<400).map { index -> SIMD2<Double> in
      let angle = 2 * Double.pi * Double(index) / 400
      return SIMD2(cos(angle), sin(angle))
    }
    let circle = SectionChain(
      points: points, labels: [UInt32](repeating: 0, count: 400), isClosed: true)
    for tolerance in [1e-3, 1e-2] {
      let thin = circle.simplified(tolerance: tolerance)
      // The sagitta of n equal chords is 1 - cos(pi / n).
      let fewest = Double.pi / acos(1 - tolerance)
      #expect(Double(thin.points.count) >= fewest && Double(thin.points.count) < 2.5 * fewest)
      #expect(abs(thin.area - circle.area) < 2 * Double.pi * tolerance)
    }
  }

  @Test func `a million faces take well under a second`() {
    let sphere = MeshFixtures.sphere(segments: 1000, rings: 500)
    #expect(sphere.faceCount > 990_000)
    let heights = (0..<40).map { -0.975 + 0.05 * Double($0) }
    let seconds = Parallel.withThreads(1) {
      threadSeconds {
        #expect(chains(of: [sphere], at: heights).allSatisfy { $0.count == 1 })
      }
    }
    #expect(seconds < 2, "\(seconds) s")
  }
}
