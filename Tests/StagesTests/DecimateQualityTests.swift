import Foundation
import MeshPipeline
import MeshTestSupport
import Testing

@testable import Stages
@testable import SurfaceKernels

/// What the qualities promise: a smaller error for more time, the same lines and attributes.
@Suite struct DecimateQualityTests {
  private func decimate(
    _ mesh: Mesh, to fraction: Double, _ quality: Decimate.Quality
  ) throws -> Mesh {
    var parameters = Decimate.Parameters()
    parameters.faces = .fraction(fraction)
    parameters.quality = quality
    let scene = try Decimate(parameters).run(Scene(meshes: [mesh]), in: StageContext())
    return try #require(scene.meshes.first)
  }

  @Test(arguments: [Decimate.Quality.fast, .best])
  func `edges without length open nothing`(quality: Decimate.Quality) throws {
    var sphere = MeshFixtures.sphere(segments: 24, rings: 12)
    // The ends of some edges come to lie on each other, and their faces lose their area.
    for face in stride(from: 60, to: 400, by: 70) {
      let (start, end) = (sphere.indices[3 * face], sphere.indices[3 * face + 1])
      sphere.positions[Int(end)] = sphere.positions[Int(start)]
    }
    let wasClosed = sphere.isWatertight
    #expect(wasClosed)
    for target in [0.95, 0.3] {
      let result = try decimate(sphere, to: target, quality)
      let isClosed = result.isWatertight
      #expect(isClosed)
      #expect((0..<result.faceCount).allSatisfy { result.area(ofFace: $0) > 0 })
    }
  }

  @Test func `a sphere is closer to its true shape than with vertices that stay`() throws {
    let sphere = MeshFixtures.sphere(segments: 64, rings: 32)
    let errors = try Decimate.Quality.allCases.map { quality in
      let result = try decimate(sphere, to: 0.1, quality)
      #expect(SurfaceSummary(result).isClosed)
      return meanRadialError(result)
    }
    #expect(errors[1] < 0.6 * errors[0] && errors[2] < 0.6 * errors[0])
    // The volume is kept, so that places inside and outside balance.
    let volume = SurfaceSummary(sphere).volume
    #expect(
      abs(SurfaceSummary(try decimate(sphere, to: 0.1, .balanced)).volume / volume - 1) < 0.01)
  }

  @Test(arguments: Decimate.Quality.allCases)
  func `attributes are those of the surface below`(quality: Decimate.Quality) throws {
    let mesh = hills()
    let result = try decimate(mesh, to: 0.15, quality)
    let (colors, confidences, coordinates, normals) = (
      try #require(result.colors), try #require(result.confidences),
      try #require(result.textureCoordinates), try #require(result.normals)
    )
    for corner in result.indices.indices {
      let vertex = Int(result.indices[corner])
      let position = result.positions[vertex]
      // All are linear in the plan, so that only the distance from the surface makes a difference.
      #expect(abs(Float(colors[vertex].red) - 10 * position.x) < 1.6)
      #expect(abs(Float(colors[vertex].alpha) - (255 - 10 * position.z)) < 1.6)
      #expect(abs(confidences[vertex] - (position.x + position.z)) < 0.2)
      #expect(abs(coordinates[corner].x - position.x / 20) < 0.005)
      #expect(abs(coordinates[corner].y - position.z / 20) < 0.005)
      #expect(abs(normals[vertex].simd.length - 1) < 1e-4)
      let slope = 0.4 * cos(0.4 * position.x)
      #expect(abs(-normals[vertex].x / normals[vertex].y - slope) < 0.25)
    }
  }

  @Test(arguments: Decimate.Quality.allCases)
  func `parts that are thinned apart fit, with any number of threads`(
    quality: Decimate.Quality
  ) throws {
    // Enough vertices that blocks of them are thinned before they are put together.
    let mesh = hills(cells: 60)
    func collapsed(partSize: Int) throws -> (EdgeCollapse.Result, Mesh) {
      var options = EdgeCollapse.Options(targetFaceCount: 1440)
      options.movesVertices = quality != .fast
      options.isThorough = quality == .best
      options.partSize = partSize
      var surface = EdgeCollapse.Surface([mesh], separatesClasses: true)
      let result = try EdgeCollapse.run(&surface, options, keepsFaces: true) {
        _ throws(Cancelled) in
      }
      var meshes = [mesh]
      result.apply(to: &meshes, of: surface)
      return (result, meshes[0])
    }
    let (_, whole) = try collapsed(partSize: 1 << 20)
    let (first, divided) = try collapsed(partSize: 32)
    let (second, alone) = try Parallel.withThreads(1) { try collapsed(partSize: 32) }
    #expect(first.faces == second.faces && first.vertices == second.vertices)
    #expect(divided == alone)
    #expect(divided != whole && abs(divided.faceCount - whole.faceCount) <= 1)
    let (before, after) = (SurfaceSummary(mesh), SurfaceSummary(divided))
    #expect(after.nonManifoldEdges == 0)
    #expect(after.eulerCharacteristic == before.eulerCharacteristic)
    #expect(abs(after.boundaryLength / before.boundaryLength - 1) < 0.001)
    #expect(meanHeightError(divided) < 1.3 * meanHeightError(whole))
  }

  @Test func `a vertex with three faces can go`() throws {
    // A pyramid so flat that its top is the first to go.
    var mesh = Mesh()
    mesh.positions = [
      Vector3(0, 0, 0), Vector3(4, 0, 0), Vector3(0, 0, 4), Vector3(1, 0, 1), Vector3(1, 4, 1),
    ]
    mesh.indices = [0, 1, 3, 1, 2, 3, 2, 0, 3, 0, 4, 1, 1, 4, 2, 2, 4, 0]
    let result = try decimate(mesh, to: 0.67, .fast)
    #expect(result.faceCount == 4)
    #expect(SurfaceSummary(result).isClosed && !result.positions.contains(Vector3(1, 0, 1)))
  }

  // MARK: - Shapes and measures

  /// A square with sides of 20 whose height is a wave in x, with attributes linear in x and z.
  private func hills(cells: Int = 20) -> Mesh {
    var mesh = MeshFixtures.grid(columns: cells, rows: cells)
    mesh.positions = mesh.positions.map {
      let (x, z) = ($0.x * 20 / Float(cells), $0.z * 20 / Float(cells))
      return Vector3(x, Self.height(at: x), z)
    }
    mesh.normals = mesh.positions.map {
      Vector3(SIMD3(-0.4 * cos(0.4 * $0.x), 1, 0).normalized)
    }
    mesh.colors = mesh.positions.map {
      Color(red: UInt8(10 * $0.x), green: 7, blue: 9, alpha: 255 - UInt8(10 * $0.z))
    }
    mesh.confidences = mesh.positions.map { $0.x + $0.z }
    mesh.textureCoordinates = mesh.indices.map {
      let position = mesh.positions[Int($0)]
      return Vector2(position.x / 20, position.z / 20)
    }
    return mesh
  }

  private static func height(at x: Float) -> Float { sin(0.4 * x) }

  private func meanHeightError(_ mesh: Mesh) -> Float {
    mean(mesh) { abs($0.y - Self.height(at: $0.x)) }
  }

  private func meanRadialError(_ mesh: Mesh) -> Float { mean(mesh) { abs($0.length - 1) } }

  /// The mean of a measure over the faces of a mesh, seven points on each.
  private func mean(_ mesh: Mesh, _ measure: (SIMD3<Float>) -> Float) -> Float {
    let places: [SIMD3<Float>] = [
      SIMD3(1, 1, 1) / 3, SIMD3(4, 1, 1) / 6, SIMD3(1, 4, 1) / 6, SIMD3(1, 1, 4) / 6,
      SIMD3(0, 1, 1) / 2, SIMD3(1, 0, 1) / 2, SIMD3(1, 1, 0) / 2,
    ]
    var (sum, weight): (Float, Float) = (0, 0)
    for face in 0..<mesh.faceCount {
      let corners = (0..<3).map { mesh.positions[Int(mesh.indices[3 * face + $0])].simd }
      let area = (corners[1] - corners[0]).cross(corners[2] - corners[0]).length
      for place in places {
        sum += area * measure(corners[0] * place.x + corners[1] * place.y + corners[2] * place.z)
        weight += area
      }
    }
    return sum / weight
  }
}
