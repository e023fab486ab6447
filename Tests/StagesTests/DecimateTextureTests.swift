import Foundation
import MeshPipeline
import MeshTestSupport
import Stages
import Testing

/// What decimation owes the picture on a surface.
@Suite struct DecimateTextureTests {
  private func decimate(
    _ meshes: [Mesh], to fraction: Double, _ quality: Decimate.Quality = .balanced
  ) throws -> [Mesh] {
    var parameters = Decimate.Parameters()
    parameters.faces = .fraction(fraction)
    parameters.quality = quality
    return try Decimate(parameters).run(Scene(meshes: meshes), in: StageContext()).meshes
  }

  private func decimate(
    _ mesh: Mesh, to fraction: Double, _ quality: Decimate.Quality = .balanced
  ) throws -> Mesh {
    try #require(try decimate([mesh], to: fraction, quality).first)
  }

  @Test(arguments: Decimate.Quality.allCases)
  func `a plane with a linear mapping keeps it at any reduction`(
    quality: Decimate.Quality
  ) throws {
    var mesh = MeshFixtures.grid(columns: 16, rows: 16)
    let place = { (position: Vector3) in
      Vector2(0.03 * position.x - 0.01 * position.z + 0.2, 0.02 * position.z + 0.005 * position.x)
    }
    mesh.textureCoordinates = mesh.indices.map { place(mesh.positions[Int($0)]) }
    for fraction in [0.5, 0.1, 0.004] {
      let result = try decimate(mesh, to: fraction, quality)
      #expect(result.faceCount <= max(2, Int(512 * fraction)))
      #expect(abs(SurfaceSummary(result).area - 256) < 1e-3)
      #expect(largestShift(result) { place($0) } < 1e-6)
    }
  }

  @Test func `a picture that is given up holds nothing`() throws {
    var mesh = MeshFixtures.grid(columns: 16, rows: 16)
    // A chart for each column.
    mesh.textureCoordinates = mesh.indices.enumerated().map { corner, vertex in
      let place = mesh.positions[Int(vertex)]
      return Vector2(place.x / 40 + Float(corner / 6 % 2) / 2, place.z / 40)
    }
    var scene = Scene(meshes: [mesh], materials: [Material(baseColorTexture: 0)])
    scene.meshes[0].faceMaterials = [UInt32](repeating: 0, count: mesh.faceCount)
    scene.textures = [Texture(fileName: "a.png", encoding: .png, bytes: SceneFixtures.picture)]
    func decimated(_ textures: Decimate.Textures) throws -> Scene {
      var parameters = Decimate.Parameters()
      (parameters.faces, parameters.textures) = (.count(2), textures)
      return try Decimate(parameters).run(scene, in: StageContext())
    }
    #expect(try decimated(.keep).faceCount > 20)
    let dropped = try decimated(.drop)
    #expect(dropped.faceCount == 2)
    #expect(dropped.meshes[0].textureCoordinates == nil && dropped.textures == [])
    #expect(dropped.materials[0].baseColorTexture == nil)
  }

  @Test func `faces stay where the picture is stretched`() throws {
    // Linear on the left, a wave on the right: flat, so that only the picture counts.
    var mesh = MeshFixtures.grid(columns: 40, rows: 40)
    let place = { (position: Vector3) in
      Vector2(
        position.x / 40 + (position.x > 20 ? 0.02 * sin(0.6 * (position.x - 20)) : 0),
        position.z / 40)
    }
    mesh.textureCoordinates = mesh.indices.map { place(mesh.positions[Int($0)]) }
    let result = try decimate(mesh, to: 0.06)
    let right = (0..<result.faceCount).count { middle(of: $0, in: result).x > 20 }
    #expect(right > result.faceCount * 11 / 20)
    // In the middle of faces, where nothing holds the picture but their size.
    let coordinates = try #require(result.textureCoordinates)
    for face in 0..<result.faceCount {
      let middle = middle(of: face, in: result)
      let corners = coordinates[3 * face..<3 * face + 3]
      let u = corners.reduce(0) { $0 + $1.x } / 3
      let expected = place(Vector3(middle))
      #expect(abs(u - expected.x) < 0.012)
    }
  }

  @Test(arguments: Decimate.Quality.allCases, [0.3, 0.05])
  func `a seam stays closed, and each side keeps its own picture`(
    quality: Decimate.Quality, fraction: Double
  ) throws {
    let mesh = tube(isMirrored: false)
    let result = try decimate(mesh, to: fraction, quality)
    let (before, after) = (SurfaceSummary(mesh), SurfaceSummary(result))
    #expect(after.eulerCharacteristic == before.eulerCharacteristic)
    #expect(abs(after.boundaryLength / before.boundaryLength - 1) < 0.1)
    let coordinates = try #require(result.textureCoordinates)
    for face in 0..<result.faceCount {
      let corners = coordinates[3 * face..<3 * face + 3].map(\.x)
      #expect(corners.max()! - corners.min()! < 0.5, "a face across the seam")
    }
    expectWinding(result) { _ in true }
    #expect(
      largestShift(result) { position in
        let turn = atan2(position.z, position.x) / (2 * .pi)
        return Vector2(turn < 0 ? turn + 1 : turn, position.y / 20)
      } < 0.01)
  }

  @Test(arguments: Decimate.Quality.allCases)
  func `mirrored charts stay mirrored and nothing folds`(quality: Decimate.Quality) throws {
    let result = try decimate(tube(isMirrored: true), to: 0.1, quality)
    expectWinding(result) { middle(of: $0, in: result).z > 0 }
  }

  @Test func `repeated pictures count like others`() throws {
    let once = tube(isMirrored: false)
    var often = once
    often.textureCoordinates = once.textureCoordinates?.map { Vector2(8 * $0.x - 3, 8 * $0.y - 3) }
    let (one, other) = (try decimate(once, to: 0.1), try decimate(often, to: 0.1))
    #expect(one.faceCount == other.faceCount)
    for corner in one.indices.indices where one.indices == other.indices {
      let (a, b) = (one.textureCoordinates![corner], other.textureCoordinates![corner])
      #expect(abs(8 * a.x - 3 - b.x) < 0.01 && abs(8 * a.y - 3 - b.y) < 0.01)
    }
  }

  @Test func `coordinates that differ by rounding are no seam`() throws {
    var mesh = MeshFixtures.grid(columns: 20, rows: 20)
    mesh.textureCoordinates = mesh.indices.indices.map {
      let position = mesh.positions[Int(mesh.indices[$0])]
      return Vector2(position.x / 20 + Float($0 % 7) * 1e-7, position.z / 20)
    }
    #expect(try decimate(mesh, to: 0.01).faceCount <= 8)
  }

  @Test func `a jagged seam gets straighter when nothing else is left`() throws {
    var mesh = MeshFixtures.grid(columns: 24, rows: 24)
    // Two charts that meet in steps of one cell.
    mesh.textureCoordinates = mesh.indices.indices.map {
      let position = mesh.positions[Int(mesh.indices[$0])]
      let cell = $0 / 6
      let isLeft = cell % 24 < 12 + cell / 24 % 2
      return Vector2(position.x / 48 + (isLeft ? 0 : 0.5), position.z / 24)
    }
    let result = try decimate(mesh, to: 0.02)
    #expect(result.faceCount <= 23)
    #expect(abs(SurfaceSummary(result).area - 576) < 1e-3)
    for corner in result.indices.indices {
      let (u, x) = (
        result.textureCoordinates![corner].x, result.positions[Int(result.indices[corner])].x
      )
      #expect(min(abs(u - x / 48), abs(u - 0.5 - x / 48)) < 1e-5)
    }
  }

  @Test(arguments: Decimate.Quality.allCases)
  func `damaged and missing coordinates don't stop it`(quality: Decimate.Quality) throws {
    var mesh = tube(isMirrored: false)
    for corner in stride(from: 0, to: mesh.cornerCount, by: 31) {
      mesh.textureCoordinates?[corner] =
        [
          Vector2(.nan, 0), Vector2(0, .infinity), Vector2(1e30, -1e30),
        ][corner % 3]
    }
    var plain = MeshFixtures.grid(columns: 10, rows: 10)
    plain.positions = plain.positions.map { Vector3($0.x + 30, 0, $0.z) }
    var folded = MeshFixtures.grid(columns: 10, rows: 10)
    folded.positions = folded.positions.map { Vector3($0.x + 60, 0, $0.z) }
    folded.textureCoordinates = folded.indices.map { _ in Vector2(0.5, 0.5) }
    let results = try decimate([mesh, plain, folded], to: 0.5, quality)
    #expect(results.count == 3)
    #expect(results.reduce(0) { $0 + $1.faceCount } < mesh.faceCount)
    #expect(results[1].textureCoordinates == nil)
    #expect(results[2].textureCoordinates?.allSatisfy { $0 == Vector2(0.5, 0.5) } == true)
  }

  // MARK: Fixtures

  /// An open tube along Y with a radius of 3 and a length of 20, with a seam along +X, and with a second
  /// chart wound the other way at negative Z if it is mirrored.
  private func tube(segments: Int = 32, rings: Int = 20, isMirrored: Bool) -> Mesh {
    var mesh = Mesh(name: "tube")
    var places: [Vector2] = []
    for ring in 0...rings {
      for segment in 0..<segments {
        let angle = 2 * Float.pi * Float(segment) / Float(segments)
        mesh.positions.append(
          Vector3(3 * cos(angle), 20 * Float(ring) / Float(rings), 3 * sin(angle)))
      }
    }
    func add(_ ring: Int, _ segment: Int, _ chart: Int) {
      mesh.indices.append(UInt32(ring * segments + segment % segments))
      let turn = Float(segment) / Float(segments)
      let isTurned = isMirrored && chart >= segments / 2
      places.append(Vector2(isTurned ? 3 - turn : turn, Float(ring) / Float(rings)))
    }
    for ring in 0..<rings {
      for segment in 0..<segments {
        for (up, right) in [(0, 0), (1, 0), (0, 1), (0, 1), (1, 0), (1, 1)] {
          add(ring + up, segment + right, segment)
        }
      }
    }
    mesh.textureCoordinates = places
    return mesh
  }

  /// The largest distance of a corner's texture coordinates from where they should be.
  private func largestShift(_ mesh: Mesh, from place: (Vector3) -> Vector2) -> Float {
    mesh.indices.indices.reduce(0) { largest, corner in
      let expected = place(mesh.positions[Int(mesh.indices[corner])])
      let found = mesh.textureCoordinates?[corner] ?? Vector2(.infinity, 0)
      // The seam has both ends of the picture.
      let shift = abs(found.x - expected.x)
      return max(largest, min(shift, abs(1 - shift)), abs(found.y - expected.y))
    }
  }

  private func middle(of face: Int, in mesh: Mesh) -> SIMD3<Float> {
    mesh.indices[3 * face..<3 * face + 3].reduce(.zero) { $0 + mesh.positions[Int($1)].simd } / 3
  }

  private func expectWinding(_ mesh: Mesh, isForward: (Int) -> Bool) {
    let places = mesh.textureCoordinates ?? []
    for face in 0..<mesh.faceCount {
      let (a, b, c) = (places[3 * face], places[3 * face + 1], places[3 * face + 2])
      let area = (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x)
      #expect(isForward(face) ? area < 0 : area > 0)
    }
  }
}
