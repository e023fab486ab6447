import Foundation
import MeshPipeline
import MeshTestSupport
import SurfaceKernels
import Testing

@Suite struct HoleFillingTests {
  /// Removes the faces whose middle is within a distance of a point.
  private func cut(_ mesh: Mesh, at center: SIMD3<Double>, radius: Double) -> Mesh {
    var mesh = mesh
    mesh.keepFaces(
      (0..<mesh.faceCount).map { (mesh.centroid(ofFace: $0) - center).length > radius })
    return mesh
  }

  private func filled(
    _ mesh: Mesh, isSmooth: Bool = true, allowsIntersections: Bool = false
  ) -> (mesh: Mesh, outcomes: [HoleFilling.Outcome]) {
    var mesh = mesh
    let options = HoleFilling.Options(
      maximumSize: .infinity, maximumEdges: .max, isSmooth: isSmooth,
      allowsIntersections: allowsIntersections, openLabels: [])
    let holes = HoleFilling.run(&mesh, options) { _ in }
    return (mesh, holes.map(\.outcome))
  }

  /// A cube of edge 2 about the origin, each face a grid.
  private func cube(cells: Int) -> Mesh {
    var mesh = Mesh()
    var vertices: [SIMD3<Double>: UInt32] = [:]
    let grid = MeshFixtures.grid(columns: cells, rows: cells)
    for axis in 0..<3 {
      for side in [-1.0, 1] {
        for vertex in grid.indices {
          let place = grid.positions[Int(vertex)].double * 2 / Double(cells) - 1
          // A grid looks the way of z × x.
          var point = SIMD3<Double>.zero
          point[axis] = side
          point[(axis + 1) % 3] = side > 0 ? place.z : place.x
          point[(axis + 2) % 3] = side > 0 ? place.x : place.z
          if vertices[point] == nil {
            vertices[point] = UInt32(mesh.positions.count)
            mesh.positions.append(Vector3(SIMD3<Float>(point)))
          }
          mesh.indices.append(vertices[point] ?? 0)
        }
      }
    }
    return mesh
  }

  // Off the poles, whose fans are not like a scan.
  @Test(
    arguments: [
      (10.0, SIMD3(0.8, 0.6, 0)), (20, SIMD3(0.8, 0.6, 0)), (30, SIMD3(0.8, 0.6, 0)),
      (45, SIMD3(1, 0, 0)), (60, SIMD3(1, 0, 0)),
    ])
  func `a hole in a sphere comes back round`(angle: Double, center: SIMD3<Double>) {
    let sphere = MeshFixtures.sphere(segments: 48, rings: 24)
    let hole = cut(sphere, at: center, radius: 2 * sin(angle * .pi / 360))
    let (result, outcomes) = filled(hole)
    #expect(outcomes == [.smooth])
    #expect(result.isWatertight)
    #expect(result.nonManifoldEdgeCount == 0)
    for position in result.positions[hole.vertexCount...] {
      #expect(abs(position.double.length - 1) < 0.01)
    }
    // As dense as around: the sphere's own faces are about those removed.
    let (removed, added) = (
      sphere.faceCount - hole.faceCount, result.faceCount - hole.faceCount
    )
    #expect(added > removed / 2 && added < removed * 2)
  }

  @Test func `more than half of a sphere comes back as a dome`() {
    let sphere = MeshFixtures.sphere(segments: 48, rings: 24)
    let hole = cut(sphere, at: SIMD3(1, 0, 0), radius: 2 * sin(95 * .pi / 360))
    let (result, outcomes) = filled(hole)
    #expect(outcomes == [.smooth])
    let errors = result.positions[hole.vertexCount...].map { abs($0.double.length - 1) }
    #expect(errors.reduce(0, +) / Double(errors.count) < 0.05)
  }

  /// Nothing says how a tube ends: the patch never comes to rest, and would stretch with each round.
  @Test func `the end of a tube keeps its edges short`() {
    var tube = Mesh(name: "tube")
    for row in 0...20 {
      tube.positions += (0..<63).map { segment in
        let angle = 2 * Double.pi * Double(segment) / 63
        return Vector3(Float(cos(angle)), Float(row) / 10, Float(-sin(angle)))
      }
    }
    for row in 0..<UInt32(20) {
      for segment in 0..<UInt32(63) {
        let (a, b) = (63 * row + segment, 63 * row + (segment + 1) % 63)
        tube.indices += [a, b, b + 63, a, b + 63, a + 63]
      }
    }
    let (result, outcomes) = filled(tube)
    #expect(outcomes == [.smooth, .smooth])
    #expect(result.isWatertight)
    let edges = result.indices.indices.map { corner in
      (result.positions[Int(result.indices[corner])].double
        - result.positions[Int(result.indices[nextCorner(corner)])].double).length
    }
    #expect(edges.max() ?? 0 < 0.45)
  }

  @Test func `a hole in a plane stays plane, and its faces have the plane's orientation`() {
    let grid = MeshFixtures.grid(columns: 24, rows: 24)
    let (result, outcomes) = filled(cut(grid, at: SIMD3(12, 0, 12), radius: 6))
    #expect(outcomes.sorted { $0.rawValue < $1.rawValue } == [.outline, .smooth])
    #expect(result.positions.allSatisfy { abs($0.y) < 1e-5 })
    #expect(abs(result.surfaceArea - 576) < 1e-3)
    #expect((0..<result.faceCount).allSatisfy { result.areaVector($0).y > 0 })
  }

  @Test(
    arguments: [
      (SIMD3<Double>(1, 1, 0), false), (SIMD3(1, 1, 1), false), (SIMD3(1, 1, 0), true),
      (SIMD3(1, 1, 1), true),
    ])
  func `planes are continued up to their edges and corners`(center: SIMD3<Double>, isRoom: Bool) {
    var whole = cube(cells: 16)
    if isRoom {
      for face in 0..<whole.faceCount { whole.indices.swapAt(3 * face, 3 * face + 1) }
    }
    let hole = cut(whole, at: center, radius: 0.45)
    #expect(whole.isWatertight && !hole.isWatertight)
    let (result, outcomes) = filled(hole)
    #expect(outcomes == [.planes])
    #expect(result.isWatertight)
    #expect(abs(abs(result.volume) - 8) < 1e-4)
    #expect(abs(result.surfaceArea - 24) < 1e-3)
  }

  /// Holes with ragged outlines, as furniture that is cut out of a scan leaves them.
  @Test(
    arguments: [SIMD3<Double>(1, 1, 0), SIMD3(1, 1, 1)], [UInt64](1...6))
  func `ragged holes are closed along planes, too`(center: SIMD3<Double>, seed: UInt64) {
    var whole = cube(cells: 30)
    var random = SeededGenerator(seed: seed)
    for vertex in whole.positions.indices {
      // Within the planes, so that the triangles are not those of a grid.
      for axis in 0..<3 where abs(whole.positions[vertex].simd[axis]) < 0.99 {
        whole.positions[vertex].simd[axis] += Float.random(in: -0.015...0.015, using: &random)
      }
    }
    if seed.isMultiple(of: 2) {
      for face in 0..<whole.faceCount { whole.indices.swapAt(3 * face, 3 * face + 1) }
    }
    let waves = (0..<3).map { _ in
      SIMD3<Double>((0..<3).map { _ in Double.random(in: -12...12, using: &random) })
    }
    var hole = whole
    hole.keepFaces(
      (0..<whole.faceCount).map { face in
        let place = whole.centroid(ofFace: face)
        let raggedness = waves.reduce(0) { $0 + sin($1.dot(place)) }
        return (place - center).length > 0.5 + 0.1 * raggedness
      })
    // Of islands in the hole only the walls stay.
    let parts = FaceComponents(edges: Edges(hole), faceCount: hole.faceCount)
    let largest = parts.faceCounts.indices.max { parts.faceCounts[$0] < parts.faceCounts[$1] }
    hole.keepFaces(parts.labels.map { Int($0) == largest })
    let (result, outcomes) = filled(hole)
    #expect(outcomes.contains(.planes))
    #expect(result.isWatertight)
    #expect(SelfIntersections(of: result).faces.isEmpty)
    #expect(abs(abs(result.volume) - 8) < 1e-3 && abs(result.surfaceArea - 24) < 1e-2)
  }

  /// The hole of a radiator: floor, wall, and a sill that is parallel to the floor.
  @Test func `a wall between parallel planes is continued, and each plane keeps its class`() {
    var step = MeshFixtures.grid(columns: 50, rows: 30)
    func place(_ along: Float) -> (height: Float, depth: Float) {
      (min(max(along - 20, 0), 12), min(along, 20) + max(along - 32, 0))
    }
    for vertex in step.positions.indices {
      let (along, across) = (step.positions[vertex].x, step.positions[vertex].z)
      step.positions[vertex] = Vector3(place(along).depth, place(along).height, across)
    }
    let label: (SIMD3<Double>) -> UInt16 = { $0.y > 11.9 ? 3 : $0.y > 0.1 ? 2 : 1 }
    step.classes = FaceClasses(
      labels: (0..<step.faceCount).map { label(step.centroid(ofFace: $0)) })
    var hole = step
    hole.keepFaces(
      (0..<step.faceCount).map { face in
        let place = step.centroid(ofFace: face)
        return abs(place.z - 15) > 7 || abs(place.x - 20) > 5
      })
    let options = HoleFilling.Options(
      maximumSize: 20, maximumEdges: .max, isSmooth: true, allowsIntersections: false,
      openLabels: [])
    var result = hole
    let holes = HoleFilling.run(&result, options) { _ in }
    #expect(Set(holes.map(\.outcome)) == [.planes, .tooLarge])
    #expect(abs(result.surfaceArea - step.surfaceArea) < 1e-2)
    for face in hole.faceCount..<result.faceCount {
      #expect(result.classes?.labels[face] == label(result.centroid(ofFace: face)))
    }
  }

  @Test func `without new vertices holes are closed flat`() {
    let hole = cut(
      MeshFixtures.sphere(segments: 48, rings: 24), at: SIMD3(0.8, 0.6, 0), radius: 0.3)
    let (result, outcomes) = filled(hole, isSmooth: false)
    #expect(outcomes == [.flat])
    #expect(result.isWatertight && result.vertexCount == hole.vertexCount)
  }

  /// A triangle across the cap of a hole, which begins beyond or before the plane of its border.
  @Test(arguments: [(0.93, HoleFilling.Outcome.flat), (0.5, .intersecting)])
  func `no patch intersects the surface`(start: Double, expected: HoleFilling.Outcome) {
    let sphere = MeshFixtures.sphere(segments: 48, rings: 24)
    let center = SIMD3(0.8, 0.6, 0)
    var hole = cut(sphere, at: center, radius: 2 * sin(30 * .pi / 360))
    let first = UInt32(hole.vertexCount)
    hole.positions += [
      Vector3(SIMD3<Float>(start * center)), Vector3(SIMD3<Float>(1.1 * center)),
      Vector3(SIMD3<Float>(1.1 * center + SIMD3(0, 0, 0.02))),
    ]
    hole.indices += [first, first + 1, first + 2]
    let (result, outcomes) = filled(hole)
    #expect(Set(outcomes) == [expected, .outline])
    #expect(SelfIntersections(of: result).faces.isEmpty)
    let (closed, allowed) = filled(hole, allowsIntersections: true)
    #expect(Set(allowed) == [.smooth, .outline])
    #expect(!SelfIntersections(of: closed).faces.isEmpty)
  }

  /// A slit along a sphere, with hundreds of edges.
  @Test func `a long slit comes back round`() {
    let sphere = MeshFixtures.sphere(segments: 160, rings: 80)
    var slit = sphere
    slit.keepFaces(
      (0..<sphere.faceCount).map { face in
        let middle = sphere.centroid(ofFace: face)
        let along = atan2(middle.z, middle.x)
        return !(abs(along) < 1.25 && abs(middle.y - 0.15 * along) < 0.04)
      })
    let (result, outcomes) = filled(slit)
    #expect(outcomes == [.smooth])
    #expect(result.isWatertight && SelfIntersections(of: result).faces.isEmpty)
    for position in result.positions[slit.vertexCount...] {
      #expect(abs(position.double.length - 1) < 0.01)
    }
  }

  @Test func `colours, normals and confidences are continued`() throws {
    var sphere = MeshFixtures.sphere(segments: 48, rings: 24)
    sphere.normals = sphere.positions
    sphere.colors = sphere.positions.map {
      Color(red: UInt8(100 + 50 * $0.x), green: UInt8(100 + 50 * $0.y), blue: 7)
    }
    sphere.confidences = sphere.positions.map { _ in 2 }
    let hole = cut(sphere, at: SIMD3(0.8, 0.6, 0), radius: 0.3)
    let (result, outcomes) = filled(hole)
    #expect(outcomes == [.smooth] && result.vertexCount > hole.vertexCount)
    let (colors, normals) = (try #require(result.colors), try #require(result.normals))
    for vertex in hole.vertexCount..<result.vertexCount {
      let position = result.positions[vertex]
      #expect(abs(Float(colors[vertex].red) - (100 + 50 * position.x)) < 5)
      #expect(abs(Float(colors[vertex].green) - (100 + 50 * position.y)) < 5)
      #expect(colors[vertex].blue == 7)
      #expect(normals[vertex].double.dot(position.double.normalized) > 0.98)
      #expect(result.confidences?[vertex] == 0)
    }
    try result.validate(materialCount: 0)
  }

  @Test func `a hole across charts of a texture takes single texels`() throws {
    var grid = MeshFixtures.grid(columns: 16, rows: 16)
    // Two charts, of which the second lies elsewhere in the texture.
    grid.textureCoordinates = (0..<grid.cornerCount).map { corner in
      let position = grid.positions[Int(grid.indices[corner])]
      let isSecond = grid.centroid(ofFace: corner / 3).x > 8
      return Vector2(position.x / 100 + (isSecond ? 0.7 : 0), position.z / 100)
    }
    let hole = cut(grid, at: SIMD3(8, 0, 8), radius: 4)
    let (result, _) = filled(hole)
    let coordinates = try #require(result.textureCoordinates)
    #expect(result.vertexCount > hole.vertexCount)
    for corner in hole.cornerCount..<result.cornerCount {
      let value = coordinates[corner]
      #expect(value.x <= 0.081 || value.x >= 0.779)
    }
    let continuous = cut(MeshFixtures.grid(columns: 16, rows: 16), at: SIMD3(8, 0, 8), radius: 4)
    var single = continuous
    single.textureCoordinates = single.indices.map {
      Vector2(single.positions[Int($0)].x / 16, single.positions[Int($0)].z / 16)
    }
    let (whole, _) = filled(single)
    for corner in single.cornerCount..<whole.cornerCount {
      let position = whole.positions[Int(whole.indices[corner])]
      let value = try #require(whole.textureCoordinates?[corner])
      // Vertices were spread since they were made.
      #expect(abs(value.x - position.x / 16) < 0.06 && abs(value.y - position.z / 16) < 0.06)
    }
  }

  @Test func `the number of threads does not matter`() {
    let torus = MeshFixtures.torus()
    var keep = [Bool](repeating: true, count: torus.faceCount)
    for face in stride(from: 0, to: keep.count, by: 7) { keep[face] = false }
    var holes = torus
    holes.keepFaces(keep)
    let one = Parallel.withThreads(1) { filled(holes).mesh }
    #expect(one == filled(holes).mesh)
    #expect(one.nonManifoldEdgeCount == 0)
  }
}
