import MeshPipeline
import MeshTestSupport
import Stages
import Testing

@Suite struct CleanTests {
  private func cleaned(
    _ mesh: Mesh, context: StageContext = StageContext(),
    _ change: (inout Clean.Parameters) -> Void = { _ in }
  ) throws -> Mesh {
    var parameters = Clean.Parameters()
    change(&parameters)
    return try Clean(parameters).run(Scene(meshes: [mesh]), in: context).meshes[0]
  }

  /// Six times the volume inside a closed mesh that is wound outwards.
  private func signedVolume(_ mesh: Mesh) -> Double {
    (0..<mesh.faceCount).reduce(0) { sum, face in
      let (a, b, c) = mesh.vertices(ofFace: face)
      return sum
        + mesh.positions[Int(a)].double.dot(
          mesh.positions[Int(b)].double.cross(mesh.positions[Int(c)].double))
    }
  }

  private func withFlippedFaces(_ mesh: Mesh, where isFlipped: (Int) -> Bool) -> Mesh {
    var mesh = mesh
    for face in 0..<mesh.faceCount where isFlipped(face) { mesh.flipFace(face) }
    return mesh
  }

  @Test func `what should not be in a mesh goes, the rest stays`() throws {
    let context = StageContext()
    let grid = MeshFixtures.grid(columns: 2, rows: 2)
    let result = try cleaned(MeshFixtures.degenerate, context: context)
    // The face with the unwelded corner is no repeat until a weld.
    #expect(result.faceCount == grid.faceCount + 1)
    #expect(Array(result.indices.prefix(grid.indices.count)) == grid.indices)
    #expect(result.vertexCount == grid.vertexCount + 1)
    let notes = Dictionary(uniqueKeysWithValues: context.notes.map { ($0.key, $0.value) })
    #expect(notes["degenerateFaces"] == 2)
    #expect(notes["duplicateFaces"] == 2)
    #expect(notes["nonFinite"] == 2)
    #expect(notes["unusedVertices"] == 1)
  }

  @Test func `each step can be switched off`() throws {
    let mesh = MeshFixtures.degenerate
    let same = try cleaned(mesh) {
      ($0.nonFinite, $0.degenerateFaces, $0.duplicateFaces) = (false, false, false)
      ($0.winding, $0.unusedVertices) = (false, false)
    }
    #expect(same.indices == mesh.indices)
    #expect(same.vertexCount == mesh.vertexCount)
    #expect(try cleaned(mesh) { $0.degenerateFaces = false }.faceCount == 11)
    #expect(try cleaned(mesh) { $0.duplicateFaces = false }.faceCount == 11)
    #expect(try cleaned(mesh) { $0.unusedVertices = false }.vertexCount == 11)
  }

  @Test func `cleaning twice is cleaning once`() throws {
    for scene in MeshFixtures.all {
      let clean = Clean(Clean.Parameters())
      let once = try clean.run(scene, in: StageContext())
      #expect(try clean.run(once, in: StageContext()) == once)
    }
  }

  @Test(arguments: [UInt64](1...5))
  func `a closed mesh with any faces turned over gets its outside back`(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    for mesh in [MeshFixtures.cube, MeshFixtures.sphere(), MeshFixtures.torus()] {
      let turned = withFlippedFaces(mesh) { _ in Bool.random(using: &random) }
      #expect(abs(signedVolume(try cleaned(turned)) - signedVolume(mesh)) < 1e-9)
    }
    let inside = withFlippedFaces(MeshFixtures.torus()) { _ in true }
    #expect(signedVolume(try cleaned(inside)) > 0)
  }

  @Test func `an open mesh keeps the side of most of its area`() throws {
    let grid = MeshFixtures.grid(columns: 4, rows: 4)
    let turned = withFlippedFaces(grid) { $0 % 3 == 0 }
    let result = try cleaned(turned)
    for face in 0..<result.faceCount {
      #expect(
        Set(result.indices[3 * face..<3 * face + 3]) == Set(grid.indices[3 * face..<3 * face + 3]))
      let (a, b, c) = result.vertices(ofFace: face)
      let origin = result.positions[Int(a)].simd
      let normal = (result.positions[Int(b)].simd - origin).cross(
        result.positions[Int(c)].simd - origin)
      #expect(normal.y > 0)
    }
  }

  @Test func `without orientation a closed room keeps showing its inside`() throws {
    let room = withFlippedFaces(MeshFixtures.sphere()) { _ in true }
    // The first face alone is wound the other way: the others outvote it.
    let damaged = withFlippedFaces(room) { $0 == 0 }
    let result = try cleaned(damaged) { $0.orientation = false }
    #expect(result.indices == room.indices)
  }

  @Test func `an open mesh follows its normals when it has any`() throws {
    var grid = MeshFixtures.grid(columns: 3, rows: 3)
    grid.normals = grid.positions.map { _ in Vector3(0, -1, 0) }
    let result = try cleaned(grid)
    #expect(result.indices == withFlippedFaces(grid) { _ in true }.indices)
    #expect(result.normals == grid.normals)
  }

  @Test func `corners travel with their faces when these are turned over`() throws {
    var mesh = MeshFixtures.allAttributes
    mesh.flipFace(5)
    #expect(try cleaned(mesh) == MeshFixtures.allAttributes)
  }

  @Test func `a cavity stays a cavity`() throws {
    var shell = MeshFixtures.sphere()
    let inner = withFlippedFaces(MeshFixtures.sphere()) { _ in true }
    let offset = UInt32(shell.vertexCount)
    shell.positions += inner.positions.map { Vector3($0.simd * 0.5) }
    shell.indices += inner.indices.map { $0 + offset }
    #expect(try cleaned(shell).indices == shell.indices)
  }

  /// How many of a mesh's faces look away from a point.
  private func outwardCount(_ mesh: Mesh, from center: SIMD3<Double> = .zero) -> Int {
    (0..<mesh.faceCount).count {
      mesh.areaVector(ofFace: $0).dot(mesh.centroid(ofFace: $0) - center) > 0
    }
  }

  @Test func `an open part without normals gets its outside out by rays`() throws {
    let open = MeshFixtures.sphere(holes: 3)
    let inward = withFlippedFaces(open) { _ in true }
    #expect(outwardCount(try cleaned(inward)) == open.faceCount)
    var random = SeededGenerator(seed: 7)
    let mixed = withFlippedFaces(open) { _ in Int.random(in: 0..<10, using: &random) > 1 }
    #expect(outwardCount(try cleaned(mixed)) == open.faceCount)
  }

  @Test func `each face of a soup shows the outside of the whole`() throws {
    let soup = MeshFixtures.soup(of: MeshFixtures.sphere())
    var random = SeededGenerator(seed: 3)
    let context = StageContext()
    let turned = withFlippedFaces(soup) { _ in Bool.random(using: &random) }
    #expect(outwardCount(try cleaned(turned, context: context)) == soup.faceCount)
    #expect(context.warnings.isEmpty)
  }

  @Test func `meshes of one scene are oriented together`() throws {
    let sphere = MeshFixtures.sphere()
    // Each half shows its outside by itself; its faces, single meshes, only as parts of the whole.
    let meshes = (0..<sphere.faceCount).map { face in
      var mesh = sphere
      mesh.keepFaces((0..<sphere.faceCount).map { $0 == face })
      return withFlippedFaces(mesh) { _ in face % 2 == 0 }
    }
    let scene = try Clean(Clean.Parameters()).run(Scene(meshes: meshes), in: StageContext())
    #expect(scene.meshes.allSatisfy { outwardCount($0) == 1 })
  }

  @Test func `an open part in a closed room is oriented by the longer way`() throws {
    // A sphere with holes floats in a room whose faces look inward.
    var scene = Scene(meshes: [
      withFlippedFaces(MeshFixtures.sphere()) { _ in true },
      withFlippedFaces(MeshFixtures.sphere(holes: 2)) { _ in true },
    ])
    scene.meshes[1].positions = scene.meshes[1].positions.map { Vector3($0.simd * 0.2) }
    let result = try Clean(Clean.Parameters()).run(scene, in: StageContext())
    #expect(outwardCount(result.meshes[1]) == result.meshes[1].faceCount)
  }

  @Test func `what is only in the hole of a ring is no cavity`() throws {
    var mesh = MeshFixtures.torus()
    let ball = withFlippedFaces(MeshFixtures.sphere()) { _ in true }
    let offset = UInt32(mesh.vertexCount)
    mesh.positions += ball.positions.map { Vector3($0.simd * 0.2) }
    mesh.indices += ball.indices.map { $0 + offset }
    let outward = mesh.faceCount - ball.faceCount
    let result = try cleaned(mesh)
    var inner = result
    inner.keepFaces(result.indices.indices.filter { $0 % 3 == 0 }.map { $0 / 3 >= outward })
    #expect(outwardCount(inner) == ball.faceCount)
  }

  @Test func `a room's floor looks up, and the rest of the room follows`() throws {
    // An open sphere whose lower third is floor, wound outwards, in a system with Z up.
    var system = CoordinateSystem.arkit
    system.up = .z
    var room = MeshFixtures.sphere(holes: 2)
    for vertex in room.positions.indices {
      let position = room.positions[vertex]
      room.positions[vertex] = Vector3(position.x, -position.z, position.y)
    }
    room.classes = FaceClasses(
      labels: (0..<room.faceCount).map { room.centroid(ofFace: $0).z < -0.3 ? 2 : 1 })
    let context = StageContext()
    let result = try Clean(Clean.Parameters()).run(
      Scene(meshes: [room], coordinateSystem: system), in: context)
    #expect(outwardCount(result.meshes[0]) == 0)
    #expect(context.warnings.isEmpty)
  }

  @Test func `a sheet has no outside, and that is said`() throws {
    let context = StageContext()
    _ = try cleaned(MeshFixtures.grid(columns: 4, rows: 4), context: context)
    #expect(context.warnings.count == 1)
    #expect(context.notes.first { $0.key == "unsureParts" }?.value == 1)
  }

  @Test func `a Möbius strip stays, with a warning`() throws {
    let context = StageContext()
    let strip = MeshFixtures.moebiusStrip()
    #expect(try cleaned(strip, context: context) == strip)
    #expect(context.warnings.count == 1)
  }

  @Test func `broken normals are replaced by those of the faces`() throws {
    var mesh = MeshFixtures.grid(columns: 2, rows: 2)
    mesh.normals = mesh.positions.map { _ in Vector3(0, 1, 0) }
    mesh.normals?[4] = Vector3(.nan, .nan, .nan)
    mesh.normals?[5] = .zero
    #expect(try cleaned(mesh).normals == mesh.positions.map { _ in Vector3(0, 1, 0) })
  }
}
