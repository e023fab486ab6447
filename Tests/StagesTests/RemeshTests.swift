import Foundation
import MeshPipeline
import MeshTestSupport
import Stages
import SurfaceKernels
import Testing

@Suite struct RemeshTests {
  private func remeshed(
    _ mesh: Mesh, length: Double? = nil, faces: Amount = .fraction(1), error: Double? = nil,
    iterations: Int = 5, context: StageContext = StageContext()
  ) throws -> Mesh {
    var parameters = Remesh.Parameters()
    parameters.iterations = iterations
    parameters.edgeLength = length.map { .length(Length(meters: $0)) }
    parameters.faces = faces
    parameters.maximumError = error.map { .length(Length(meters: $0)) }
    return try Remesh(parameters).run(Scene(meshes: [mesh]), in: context).meshes[0]
  }

  /// Expects a number that differs from another one by at most a share of it.
  private func expectNear(_ one: Double, _ other: Double, within share: Double) {
    #expect(abs(one - other) <= share * other)
  }

  /// The smallest angle of each face, in degrees.
  private func smallestAngles(_ mesh: Mesh) -> [Double] {
    (0..<mesh.faceCount).map { face in
      let points = (0..<3).map { mesh.positions[Int(mesh.indices[3 * face + $0])].double }
      return (0..<3).map { corner in
        let a = (points[(corner + 1) % 3] - points[corner]).normalized
        let b = (points[(corner + 2) % 3] - points[corner]).normalized
        return acos(min(1, max(-1, a.dot(b)))) * 180 / .pi
      }.min() ?? 0
    }
  }

  private func mean(_ values: [Double]) -> Double { values.reduce(0, +) / Double(values.count) }

  private func meanEdge(_ mesh: Mesh) -> Double {
    let lengths = mesh.indices.indices.map { corner in
      let next = corner % 3 == 2 ? corner - 2 : corner + 1
      return
        (mesh.positions[Int(mesh.indices[corner])].double
        - mesh.positions[Int(mesh.indices[next])].double).length
    }
    return mean(lengths)
  }

  /// A cube with a class on each pair of sides.
  private var classedCube: Mesh {
    var cube = MeshFixtures.cube
    cube.classes = FaceClasses(labels: (0..<12).map { UInt16($0 / 4) })
    return cube
  }

  @Test func `a sphere keeps its shape and gets even faces`() throws {
    let sphere = MeshFixtures.sphere(segments: 64, rings: 32)
    let result = try remeshed(sphere, length: 0.1)
    let (before, after) = (SurfaceSummary(sphere), SurfaceSummary(result))
    #expect(after.isClosed && after.eulerCharacteristic == 2)
    expectNear(after.area, before.area, within: 0.01)
    expectNear(after.volume, before.volume, within: 0.01)
    let angles = smallestAngles(result)
    #expect(try #require(angles.min()) > 25)
    #expect(mean(angles) > 48)
    expectNear(meanEdge(result), 0.1, within: 0.1)
    for position in result.positions { expectNear(position.double.length, 1, within: 0.005) }
  }

  @Test func `a torus keeps its hole, coarser and finer`() throws {
    let torus = MeshFixtures.torus(segments: 36, sides: 18)
    for length in [0.08, 0.15] {
      let after = SurfaceSummary(try remeshed(torus, length: length))
      #expect(after.isClosed && after.eulerCharacteristic == 0)
    }
  }

  @Test func `the number of faces is about the wanted one`() throws {
    let sphere = MeshFixtures.sphere(segments: 40, rings: 20)
    for count in [600, 3000] {
      let result = try remeshed(sphere, faces: .count(count))
      expectNear(Double(result.faceCount), Double(count), within: 0.15)
    }
  }

  @Test func `edges and corners of a cube stay`() throws {
    let result = try remeshed(classedCube, length: 0.1)
    let after = SurfaceSummary(result)
    #expect(after.isClosed && after.eulerCharacteristic == 2)
    expectNear(after.area, 6, within: 1e-5)
    expectNear(after.volume, 1, within: 1e-5)
    for position in MeshFixtures.cube.positions { #expect(result.positions.contains(position)) }
    // Each class covers what it covered, up to its edges.
    let labels = try #require(result.classes).labels
    for label in 0..<3 {
      let area = labels.indices.filter { labels[$0] == label }
        .reduce(0.0) { $0 + result.areaVector($1).length / 2 }
      expectNear(area, 2, within: 1e-5)
    }
  }

  @Test(arguments: [0.5, 1.5, 5.0])
  func `a cube stays one, also with edges that are longer than it`(
    length: Double
  ) throws {
    let after = SurfaceSummary(try remeshed(MeshFixtures.cube, length: length))
    #expect(after.isClosed && after.eulerCharacteristic == 2)
    expectNear(after.area, 6, within: 1e-5)
    expectNear(after.volume, 1, within: 1e-5)
  }

  /// Coins, pins and rods, whose rims are shorter than three edges of the lengths here.
  @Test(arguments: [(1, 0.1, 2.2), (0.2, 1, 0.5), (0.05, 3, 0.15)])
  func `rims stay`(radius: Double, height: Double, length: Double) throws {
    let rod = cylinder(radius, height)
    let result = try remeshed(rod, length: length)
    #expect(SurfaceSummary(result).isClosed)
    let (before, after) = (rod.bounds, result.bounds)
    #expect(abs(after.maximum.y - before.maximum.y) < 1e-6)
    #expect(abs(after.minimum.y - before.minimum.y) < 1e-6)
    #expect(result.surfaceArea > 0.1 * rod.surfaceArea)
  }

  /// A closed cylinder around the Y axis, with 64 segments.
  private func cylinder(_ radius: Double, _ height: Double) -> Mesh {
    var mesh = Mesh(name: "cylinder")
    for y in [0, height] {
      mesh.positions += (0..<64).map { segment in
        let angle = 2 * Double.pi * Double(segment) / 64
        return Vector3(Float(radius * cos(angle)), Float(y), Float(-radius * sin(angle)))
      }
    }
    mesh.positions += [Vector3(0, 0, 0), Vector3(0, Float(height), 0)]
    for segment in 0..<UInt32(64) {
      let next = (segment + 1) % 64
      mesh.indices += [segment, next, 64 + next, segment, 64 + next, 64 + segment]
      mesh.indices += [128, next, segment, 129, 64 + segment, 64 + next]
    }
    return mesh
  }

  @Test func `a border between classes in a plane stays`() throws {
    var grid = MeshFixtures.grid(columns: 20, rows: 20)
    grid.classes = FaceClasses(labels: (0..<800).map { $0 / 2 % 20 < 7 ? 1 : 2 })
    for length in [0.8, 2.0] {
      let result = try remeshed(grid, length: length)
      let after = SurfaceSummary(result)
      expectNear(after.boundaryLength, 80, within: 1e-3)
      expectNear(after.area, 400, within: 1e-2)
      let labels = try #require(result.classes).labels
      for face in 0..<result.faceCount {
        let x = (0..<3).map { result.positions[Int(result.indices[3 * face + $0])].x }
        let isOnItsSide =
          labels[face] == 1 ? x.allSatisfy { $0 <= 7.0001 } : x.allSatisfy { $0 >= 6.9999 }
        #expect(isOnItsSide)
      }
    }
  }

  @Test func `colours and texture coordinates are those of the place`() throws {
    var grid = MeshFixtures.grid(columns: 20, rows: 20)
    grid.colors = grid.positions.map {
      Color(red: UInt8(10 * $0.x), green: UInt8(10 * $0.z), blue: 0, alpha: 255)
    }
    // Two charts, with a seam at x = 10.
    grid.textureCoordinates = grid.indices.indices.map { corner in
      let position = grid.positions[Int(grid.indices[corner])]
      let offset: Float = corner / 6 % 20 < 10 ? 0 : 100
      return Vector2(position.x + offset, position.z)
    }
    let result = try remeshed(grid, length: 1.3)
    let (colors, coordinates) = (
      try #require(result.colors), try #require(result.textureCoordinates)
    )
    for (vertex, position) in result.positions.enumerated() {
      let (red, green) = (Float(colors[vertex].red), Float(colors[vertex].green))
      let (redError, greenError) = (abs(red - 10 * position.x), abs(green - 10 * position.z))
      #expect(max(redError, greenError) < 0.6)
    }
    for face in 0..<result.faceCount {
      let positions = (0..<3).map { result.positions[Int(result.indices[3 * face + $0])] }
      let offset: Float = positions.reduce(0) { $0 + $1.x } / 3 < 10 ? 0 : 100
      for corner in 0..<3 {
        let coordinate = coordinates[3 * face + corner]
        let u: Float = coordinate.x - offset
        #expect(abs(u - positions[corner].x) < 1e-3)
        #expect(abs(coordinate.y - positions[corner].z) < 1e-3)
      }
    }
  }

  @Test func `curved parts get shorter edges`() throws {
    let torus = MeshFixtures.torus(segments: 60, sides: 30)
    let even = try remeshed(torus, length: 0.2)
    let adaptive = try remeshed(torus, length: 0.2, error: 0.002)
    #expect(adaptive.faceCount > 2 * even.faceCount)
    #expect(SurfaceSummary(adaptive).eulerCharacteristic == 0)
    // A plane has no curvature.
    let grid = MeshFixtures.grid(columns: 20, rows: 20)
    #expect(try remeshed(grid, length: 2, error: 0.01).faceCount < 400)
  }

  @Test func `a second run changes little`() throws {
    let once = try remeshed(MeshFixtures.sphere(segments: 48, rings: 24), length: 0.15)
    let twice = try remeshed(once, length: 0.15)
    expectNear(Double(twice.faceCount), Double(once.faceCount), within: 0.1)
    let before = mean(smallestAngles(once))
    let after = mean(smallestAngles(twice))
    #expect(after > before - 1)
  }

  @Test func `no face turns over`() throws {
    var grid = MeshFixtures.grid(columns: 20, rows: 20)
    grid.positions = grid.positions.map { position in
      Vector3(position.x, sin(position.x / 3) * cos(position.z / 4), position.z)
    }
    let result = try remeshed(grid, length: 1.5)
    for face in 0..<result.faceCount { #expect(result.areaVector(face).y > 0) }
    #expect(result.nonManifoldEdgeCount == 0)
  }

  @Test(arguments: [UInt64(1), 2, 3])
  func `the largest distance is that of the nearest points, also on a rough surface`(seed: UInt64)
    throws
  {
    let rough = rough(seed, by: 0.2)
    let context = StageContext()
    let result = try remeshed(rough, faces: .count(2 * rough.faceCount), context: context)
    let nearest = NearestFace(rough, cellSize: 0.1)
    let distances = (0..<result.faceCount).map { face in
      let sum = (0..<3).reduce(SIMD3<Double>.zero) {
        $0 + result.positions[Int(result.indices[3 * face + $1])].double
      }
      return nearest(sum / 3)?.distance ?? .infinity
    }
    let largest = try #require(distances.max())
    let noted = context.notes.first { $0.key == "largestDistanceMillimeters" }?.value
    let millimeters = try #require(noted?.number)
    // A walk over the surface may miss the nearest point by a fold, but not by much.
    #expect(millimeters > 1000 * largest - 1)
    #expect(millimeters < 1500 * largest)
  }

  @Test(arguments: [UInt64(1), 2, 3])
  func `noise makes no features that a coarser surface has to keep`(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    var grid = MeshFixtures.grid(columns: 40, rows: 40)
    grid.positions = grid.positions.map {
      Vector3($0.x, Float.random(in: -0.3...0.3, using: &random), $0.z)
    }
    let result = try remeshed(grid, faces: .fraction(0.25))
    expectNear(Double(result.faceCount), 3200 / 4, within: 0.15)
    let angles = smallestAngles(result)
    #expect(mean(angles) > 45)
    #expect(angles.filter { $0 < 30 }.count < angles.count / 10)
  }

  @Test func `with fewer iterations the surface stays nearer, and faces are less even`() throws {
    let sphere = rough(1, by: 0.02)
    var (distances, angles) = ([Double](), [Double]())
    for iterations in [2, 5] {
      let context = StageContext()
      let result = try remeshed(sphere, iterations: iterations, context: context)
      expectNear(Double(result.faceCount), Double(sphere.faceCount), within: 0.2)
      let noted = context.notes.first { $0.key == "meanDistanceMillimeters" }?.value
      distances.append(try #require(noted?.number))
      angles.append(mean(smallestAngles(result)))
    }
    #expect(distances[0] < distances[1])
    #expect(angles[0] < angles[1])
  }

  /// A sphere of 1,224 faces whose vertices are moved inwards or outwards by up to a share of its radius.
  private func rough(_ seed: UInt64, by share: Double) -> Mesh {
    var random = SeededGenerator(seed: seed)
    var sphere = MeshFixtures.sphere(segments: 36, rings: 18)
    sphere.positions = sphere.positions.map { position in
      let factor = 1 + Double.random(in: -share...share, using: &random)
      return Vector3(SIMD3<Float>(position.double * factor))
    }
    return sphere
  }

  @Test func `what is not manifold stays so and gets no worse`() throws {
    for mesh in [MeshFixtures.fin, MeshFixtures.bowTie, MeshFixtures.moebiusStrip()] {
      let result = try remeshed(mesh, length: 0.2)
      #expect(result.nonManifoldEdgeCount <= mesh.nonManifoldEdgeCount)
      expectNear(result.surfaceArea, mesh.surfaceArea, within: 0.03)
    }
  }

  @Test func `faces without three finite vertices are left out`() throws {
    var mesh = MeshFixtures.grid(columns: 10, rows: 10)
    mesh.positions[60] = Vector3(.nan, 0, 0)
    mesh.indices[0] = mesh.indices[1]
    let context = StageContext()
    let result = try remeshed(mesh, length: 0.5, context: context)
    #expect(result.positions.allSatisfy { $0.isFinite })
    #expect(context.notes.contains { $0.key == "removedFaces" && $0.value == 7 })
    #expect(try remeshed(Mesh()).faceCount == 0)
  }

  @Test func `too many faces are refused`() {
    let area = MeshFixtures.cube.surfaceArea
    // Edges of the length 1 have faces of 0.433: these are a hundred million.
    let length = (area / 0.433 / 1e8).squareRoot()
    let failure = #expect(throws: Remeshing.TooManyFaces.self) {
      _ = try remeshed(MeshFixtures.cube, length: length)
    }
    let message = failure?.message ?? ""
    #expect(message.contains("would give 100 million faces, more than 25 million"), "\(message)")
    for length in [1e-9, 0] {
      #expect(throws: Remeshing.TooManyFaces.self) {
        _ = try remeshed(MeshFixtures.cube, length: length)
      }
    }
  }

  @Test func `the result is the same on any number of threads`() throws {
    let sphere = MeshFixtures.sphere(segments: 48, rings: 24)
    let result = try remeshed(sphere, length: 0.12)
    #expect(try Parallel.withThreads(1) { try remeshed(sphere, length: 0.12) } == result)
  }
}
