import Foundation
import MeshPipeline
import MeshTestSupport
import Stages
import Testing

@Suite struct FlattenTests {
  private func flattened(
    _ mesh: Mesh, shift: Double = 0.03, align: Bool = false,
    context: StageContext = StageContext()
  ) throws -> Mesh {
    var parameters = Flatten.Parameters()
    parameters.maximumShift = .length(Length(meters: shift))
    parameters.align = align
    return try Flatten(parameters).run(Scene(meshes: [mesh]), in: context).meshes[0]
  }

  /// A room of 4 × 2 × 3 m seen from inside, about the origin, with noise, turned about an axis.
  private func room(noise: Double = 0, degrees: Double = 0, axis: SIMD3<Double> = SIMD3(0, 1, 0))
    -> Mesh
  {
    let (sizes, cells) = ([4.0, 2, 3], [20, 10, 15])
    var mesh = Mesh()
    var vertices: [SIMD3<Double>: UInt32] = [:]
    for normal in 0..<3 {
      let (a, b) = ((normal + 1) % 3, (normal + 2) % 3)
      let grid = MeshFixtures.grid(columns: cells[a], rows: cells[b])
      for side in [-0.5, 0.5] {
        for face in 0..<grid.faceCount {
          let corners = (0..<3).map { Int(grid.indices[3 * face + $0]) }
          // A grid looks the way of z × x, which is against the normal's axis.
          for vertex in side > 0 ? corners : corners.reversed() {
            let place = grid.positions[vertex]
            var point = SIMD3<Double>.zero
            point[normal] = side * sizes[normal]
            point[a] = (Double(place.x) / Double(cells[a]) - 0.5) * sizes[a]
            point[b] = (Double(place.z) / Double(cells[b]) - 0.5) * sizes[b]
            if vertices[point] == nil {
              vertices[point] = UInt32(mesh.positions.count)
              mesh.positions.append(Vector3(SIMD3<Float>(point)))
            }
            mesh.indices.append(vertices[point] ?? 0)
          }
        }
      }
    }
    add(noise, to: &mesh)
    let (sine, cosine) = (sin(degrees * .pi / 180), cos(degrees * .pi / 180))
    mesh.positions = mesh.positions.map { position in
      let p = position.double
      let turned = p * cosine + axis.cross(p) * sine + axis * (axis.dot(p) * (1 - cosine))
      return Vector3(SIMD3<Float>(turned))
    }
    return mesh
  }

  /// A floor of 2 m with a block of some width and height in its middle, which has no bottom.
  private func floor(blockWidth: Int, height: Float) -> (mesh: Mesh, blockArea: Double) {
    // Cells of 5 cm; the block begins at its middle.
    var mesh = MeshFixtures.grid(columns: 40, rows: 40)
    for vertex in mesh.positions.indices {
      let place = mesh.positions[vertex].simd / 20
      let isBlock = [place.x, place.z].allSatisfy {
        $0 > 0.99 && $0 < 1.01 + Float(blockWidth) / 20
      }
      mesh.positions[vertex] = Vector3(SIMD3(place.x, isBlock ? height : 0, place.z))
    }
    let raised = mesh.indices.indices.filter { mesh.positions[Int(mesh.indices[$0])].y > 0 }
    return (mesh, Set(raised.map { $0 / 3 }).reduce(0) { $0 + mesh.area(ofFace: $1) })
  }

  @Test(arguments: [0.0, 0.9, 1.1])
  func `what stands on a floor goes up to its area`(share: Double) throws {
    let (mesh, area) = floor(blockWidth: 1, height: 0.3)
    var parameters = Flatten.Parameters()
    parameters.maximumShift = .length(Length(meters: 0.03))
    // The block's own sides are too small.
    parameters.minimumSize = .length(Length(meters: 0.3))
    parameters.removeBumps = Area(squareMeters: share * area)
    let context = StageContext()
    let result = try Flatten(parameters).run(Scene(meshes: [mesh]), in: context).meshes[0]
    let isRemoved = share > 1
    #expect(result.positions.contains { abs($0.y) > 1e-5 } != isRemoved)
    let removed = mesh.faceCount - result.faceCount
    #expect(isRemoved ? removed > 8 : removed == 0)
    let note = context.notes.first { $0.key == "removedFaces" }?.value
    #expect(note == (share > 0 ? removed.json : nil))
    // One hole is left, in the plane; of two of its corners only one triangle went.
    let openEdges = [mesh, result].map { Edges($0).count(where: \.isBoundary) }
    #expect(openEdges[1] - openEdges[0] == (isRemoved ? 10 : 0))
  }

  private func add(_ noise: Double, to mesh: inout Mesh) {
    var random = SeededGenerator(seed: 7)
    mesh.positions = mesh.positions.map { position in
      // Nearly Gaussian, of variance 1.
      var moved = position.double
      for axis in 0..<3 {
        let sum = (0..<12).reduce(-6.0) { sum, _ in sum + Double.random(in: 0..<1, using: &random) }
        moved[axis] += noise * sum
      }
      return Vector3(SIMD3<Float>(moved))
    }
  }

  private func distanceFromRoom(_ position: Vector3) -> Double {
    let outside = SIMD3(
      abs(Double(position.x)) - 2, abs(Double(position.y)) - 1, abs(Double(position.z)) - 1.5)
    return abs(outside.max())
  }

  @Test func `the walls of a noisy room become plane and meet in sharp edges`() throws {
    let noisy = room(noise: 0.002)
    let context = StageContext()
    let result = try flattened(noisy, context: context)
    let errors = result.positions.map(distanceFromRoom)
    #expect(try #require(errors.max()) < 0.001)
    #expect(abs(abs(result.volume) - 24) < 0.01)
    // 12 edges and 8 corners are where they were.
    let truth = room()
    for vertex in truth.positions.indices {
      let sides = (0..<3).count {
        abs(abs(truth.positions[vertex].double[$0]) - [2, 1, 1.5][$0]) < 1e-6
      }
      guard sides > 1 else { continue }
      let place = result.positions[vertex].double
      let own = (0..<3).count { abs(abs(place[$0]) - [2, 1, 1.5][$0]) < 0.002 }
      #expect(own >= sides)
    }
    let notes = Dictionary(uniqueKeysWithValues: context.notes.map { ($0.key, $0.value) })
    #expect(notes["planes"] == 6)
    #expect(notes["flatPercent"] == 100)
  }

  @Test func `no vertex moves farther than the bound`() throws {
    let noisy = room(noise: 0.01)
    for shift in [0.01] {
      let result = try flattened(noisy, shift: shift)
      for (old, new) in zip(noisy.positions, result.positions) {
        #expect((old.double - new.double).length <= shift + 1e-6)
      }
    }
    #expect(try flattened(noisy, shift: 0) == noisy)
  }

  @Test func `what is round stays`() throws {
    var sphere = MeshFixtures.sphere(segments: 64, rings: 32)
    #expect(try flattened(sphere, shift: 0.03) == sphere)
    add(0.002, to: &sphere)
    #expect(try flattened(sphere, shift: 0.03) == sphere)
    // A wall on a circle of 4 m.
    var wall = MeshFixtures.grid(columns: 40, rows: 20)
    wall.positions = wall.positions.map { position in
      let angle = (Double(position.x) / 40 - 0.5) * 0.75
      return Vector3(Float(4 * sin(angle)), position.z / 10, Float(4 * cos(angle)))
    }
    #expect(try flattened(wall, shift: 0.012) == wall)
    add(0.002, to: &wall)
    let moved = zip(wall.positions, try flattened(wall, shift: 0.012).positions).count { $0 != $1 }
    #expect(moved < wall.vertexCount / 20)
  }

  @Test func `nearly upright and level planes are aligned`() throws {
    let axis = SIMD3(0.6, 0.64, 0.48)
    let tilted = room(noise: 0.003, degrees: 1.2, axis: axis)
    let context = StageContext()
    let result = try flattened(tilted, shift: 0.1, align: true, context: context)
    let notes = Dictionary(uniqueKeysWithValues: context.notes.map { ($0.key, $0.value) })
    #expect(notes["planes"] == 6 && notes["unalignedPlanes"] == 0)
    // Level, upright and at right angles: the room's walls keep their azimuth of about 0.8°.
    var area = 0.0
    var reference = SIMD3<Double>.zero
    for face in 0..<result.faceCount {
      let normal = result.areaVector(ofFace: face).normalized
      if abs(normal.x) > 0.9 { reference = normal }
    }
    for face in 0..<result.faceCount {
      let normal = result.areaVector(ofFace: face).normalized
      let cosines = [
        abs(normal.y), abs(normal.dot(reference)), abs(normal.dot(reference.cross(SIMD3(0, 1, 0)))),
      ]
      if try #require(cosines.max()) > 0.99999 { area += result.area(ofFace: face) }
    }
    #expect(area > 0.998 * result.area)
    // Beyond the bound, planes keep their direction.
    let bounded = StageContext()
    _ = try flattened(tilted, shift: 0.015, align: true, context: bounded)
    #expect(bounded.notes.contains { $0.key == "unalignedPlanes" && $0.value != 0 })
  }

  @Test func `parts of one wall get one plane`() throws {
    // Two pieces of a wall beside a door, a centimetre apart in depth.
    var left = MeshFixtures.grid(columns: 20, rows: 20)
    left.positions = left.positions.map { Vector3($0.x / 20, $0.z / 20, 0) }
    var wall = left
    wall.positions += left.positions.map { Vector3($0.x + 2, $0.y, 0.01) }
    wall.indices += left.indices.map { $0 + UInt32(left.vertexCount) }
    let depths = Set(try flattened(wall).positions.map(\.z))
    #expect(try #require(depths.max()) - (try #require(depths.min())) < 1e-5)
  }

  @Test func `normals follow, and threads do not matter`() throws {
    var noisy = room(noise: 0.004)
    noisy.normals = [Vector3](repeating: Vector3(0, 1, 0), count: noisy.vertexCount)
    let result = try flattened(noisy)
    let normals = try #require(result.normals)
    for vertex in result.positions.indices
    where abs(result.positions[vertex].y) < 0.8 && abs(result.positions[vertex].z) < 1.3 {
      #expect(abs(normals[vertex].x) > 0.999)
    }
    #expect(try Parallel.withThreads(1) { try flattened(noisy) } == result)
  }

  @Test func `any mesh is taken`() throws {
    for scene in MeshFixtures.all + [Scene()] {
      let result = try Flatten(Flatten.Parameters()).run(scene, in: StageContext())
      #expect(result.faceCount == scene.faceCount)
    }
  }
}
