import Formats
import Foundation
import MeshPipeline
import MeshTestSupport
import Testing

/// glTF with integers for floats, and compressed by `EXT_meshopt_compression` or Draco.
struct GLTFQuantizationTests {
  private static let modes = ["quantize", "meshopt", "draco"]
  private static let formats = [GLB.self, GLTF.self] as [any WritableFormat.Type]

  private func written(
    _ scene: Scene, _ options: [String: JSONValue], as format: any WritableFormat.Type = GLB.self,
    in folder: TemporaryFolder
  ) throws -> (path: String, warnings: [String]) {
    let context = WritingContext(options: options)
    let output = OutputSet(folder: folder.path, mainFileName: "a.\(format.extensions[0])")
    try format.write(scene, to: output, in: context)
    return (output.mainPath, context.stage.warnings)
  }

  private func roundTrip(
    _ scene: Scene, _ mode: String, as format: any WritableFormat.Type = GLB.self
  ) throws -> Scene {
    let folder = try TemporaryFolder()
    let file = try written(scene, ["compression": .init(.string(mode))], as: format, in: folder)
    #expect(file.warnings == [])
    let reading = try Reading(file.path)
    #expect(reading.warnings == [])
    return reading.scene
  }

  // MARK: Accuracy

  // The room is 4 m long. Of powers of two, 2^-13 m is the least of which 65,534 suffice for it, and
  // 2^-11 m the largest up to 0.5 mm.
  @Test(arguments: [("quantize", 0x1p-13), ("meshopt", 0x1p-11), ("draco", 0x1p-11)], formats)
  func `everything comes back within half a step`(
    mode: (name: String, step: Double), format: any WritableFormat.Type
  ) throws {
    let room = ReadBackTests.attributedRoom
    let found = try roundTrip(room, mode.name, as: format)
    #expect(found.meshes.count == 1)
    #expect(found.textures.map(\.bytes) == [SceneFixtures.picture])
    let expected = room.meshes.flatMap { FaceCorners.all(of: $0, in: room) }
    var actual = found.meshes.flatMap { FaceCorners.all(of: $0, in: found) }
    #expect(actual.count == expected.count)
    for face in expected {
      let match = actual.firstIndex { $0.isNear(face, step: Float(mode.step)) }
      let place = try #require(match, "\(face)")
      actual.remove(at: place)
    }
  }

  @Test(arguments: modes)
  func `positions that were read are not moved again`(mode: String) throws {
    let once = try roundTrip(Scene(meshes: [MeshFixtures.torus()]), mode)
    let twice = try roundTrip(once, mode)
    func sorted(_ scene: Scene) -> [[Float]] {
      scene.meshes[0].positions.map { [$0.x, $0.y, $0.z] }
        .sorted { $0.lexicographicallyPrecedes($1) }
    }
    #expect(sorted(once) == sorted(twice))
  }

  @Test(arguments: modes)
  func `meshes that meet still do`(mode: String) throws {
    // Neighbours of different size and place: their boxes have nothing in common but an edge.
    var (left, right) = (
      MeshFixtures.grid(columns: 7, rows: 5), MeshFixtures.grid(columns: 3, rows: 5)
    )
    let edge = left.positions.map(\.x).max() ?? 0
    for vertex in right.positions.indices { right.positions[vertex].x += edge }
    for vertex in left.positions.indices {
      left.positions[vertex].y = 0.377 * left.positions[vertex].y
    }
    for vertex in right.positions.indices {
      right.positions[vertex].y = 0.377 * right.positions[vertex].y
    }
    (left.name, right.name) = ("left", "right")
    func border(_ scene: Scene) -> [Set<Vector3>] {
      let edges = [
        scene.meshes[0].positions.map(\.x).max(), scene.meshes[1].positions.map(\.x).min(),
      ]
      return zip(scene.meshes, edges).map { mesh, edge in
        Set(mesh.positions.filter { $0.x == edge })
      }
    }
    let found = border(try roundTrip(Scene(meshes: [left, right]), mode))
    #expect(found[0].count == 6 && found[0] == found[1])
  }

  @Test(arguments: ["quantize", "meshopt"])
  func `positions for which 16 bits are too few stay floats, with a way out`(mode: String) throws {
    var scene = Scene(meshes: [MeshFixtures.torus()])
    scene.apply(Transform(scale: SIMD3(repeating: 40)))
    let positions = Set(scene.meshes[0].positions)
    let folder = try TemporaryFolder()
    let compression = JSONValue(.string(mode))
    let exact = try written(scene, ["compression": compression], in: folder)
    #expect(Set(try Reading(exact.path).scene.meshes[0].positions) == positions)
    let warning = try #require(exact.warnings.first)
    let advice = try #require(warning.firstMatch(of: /"step": "([0-9.]+mm)"/))
    let rounded = try written(
      scene, ["compression": compression, "step": .init(.string(String(advice.1)))], in: folder)
    #expect(rounded.warnings == [])
    let found = Set(try Reading(rounded.path).scene.meshes[0].positions)
    #expect(found != positions && found.count == positions.count)
  }

  @Test func `a step in a scene of another unit is as long`() throws {
    var scene = SceneFixtures.room
    scene.apply(Transform(scale: SIMD3(repeating: 1000)))
    scene.coordinateSystem.metersPerUnit = 0.001
    let found = try roundTrip(scene, "meshopt")
    // A power of two of millimetres that is at most 4000 / 8192: a quarter.
    let original = SceneFixtures.room.meshes[0].positions
    for position in found.meshes[0].positions {
      let distance = original.map { ($0.simd - position.simd).length }.min() ?? 1
      #expect(distance <= 0.000_25 * 0.5 * 1.74)
    }
  }

  @Test(arguments: modes)
  func `points keep what they have`(mode: String) throws {
    var points = SceneFixtures.points
    points.pointClouds[0].attributes = [
      CustomAttribute("echo", values: .uint8((0..<points.pointCount).map { UInt8($0 % 5) }))
    ]
    let found = try roundTrip(points, mode)
    let (one, other) = (try #require(found.pointClouds.first), points.pointClouds[0])
    #expect(one.positions.count == other.positions.count)
    for point in one.positions.indices {
      let distances = other.positions.map { ($0.simd - one.positions[point].simd).length }
      let twin = try #require(distances.indices.min { distances[$0] < distances[$1] })
      #expect(distances[twin] < 0.000_5)
      #expect(one.confidences?[point] == other.confidences?[twin])
      #expect(one.attributes["echo"]?.values.doubles[point] == Double(twin % 5))
      #expect(
        one.classes.map { $0.names[Int($0.labels[point])] }
          == other.classes.map { $0.names[Int($0.labels[twin])] })
    }
  }

  // MARK: Files

  @Test(arguments: formats)
  func `quantised files hold what the specification demands`(format: any WritableFormat.Type) throws
  {
    var broken = ReadBackTests.attributedRoom
    broken.meshes[0].normals?[3] = .zero
    broken.meshes[0].normals?[4] = Vector3(.nan, .infinity, 0)
    broken.meshes[0].textureCoordinates?[5] = Vector2(.infinity, 0)
    var turned = SceneFixtures.classifiedRoom
    turned.apply(turned.coordinateSystem.transform(to: .blender))
    turned.coordinateSystem = .blender
    for scene in [ReadBackTests.attributedRoom, broken, turned, SceneFixtures.points] {
      let folder = try TemporaryFolder()
      let file = try written(scene, ["compression": "quantize"], as: format, in: folder)
      let checker = try GLTFChecker(path: file.path)
      #expect(checker.faults == [])
      #expect(checker.document["extensionsRequired"] as? [String] == ["KHR_mesh_quantization"])
    }
  }

  @Test(arguments: modes)
  func `the bytes do not depend on the number of threads`(mode: String) throws {
    var scene = Scene(meshes: [MeshFixtures.grid(columns: 130, rows: 140), MeshFixtures.torus()])
    scene.meshes += SceneFixtures.room.meshes
    (scene.materials, scene.textures) = (SceneFixtures.room.materials, SceneFixtures.room.textures)
    func bytes() throws -> [UInt8] {
      let folder = try TemporaryFolder()
      let file = try written(scene, ["compression": .init(.string(mode))], in: folder)
      return try FileSystem.contents(of: file.path)
    }
    #expect(try Parallel.withThreads(1, bytes) == Parallel.withThreads(8, bytes))
  }

  @Test func `compression makes files smaller`() throws {
    var mesh = MeshFixtures.torus(segments: 128, sides: 64)
    mesh.normals = mesh.positions.map { Vector3($0.simd.normalized) }
    let sizes = try ["none", "quantize", "meshopt"].map { mode in
      let folder = try TemporaryFolder()
      let file = try written(
        Scene(meshes: [mesh]), ["compression": .init(.string(mode))], in: folder)
      return try FileSystem.contents(of: file.path).count
    }
    // 8192 vertices of 24 or 12 bytes and 16384 faces of 6 bytes; compressed, about 6 for each vertex.
    #expect(sizes[1] < 8192 * 12 + 16384 * 6 + 2000)
    #expect(sizes[2] < sizes[1] / 3 && sizes[1] < sizes[0])
  }

  // MARK: Other programs

  @Test func `gltfpack reads a quantised file as the same surface`() throws {
    let folder = try TemporaryFolder()
    let mesh = MeshFixtures.torus(segments: 48, sides: 24)
    let file = try written(Scene(meshes: [mesh]), ["compression": "quantize"], in: folder)
    let plain = folder.path + "/plain.glb"
    let run = try Program.run(
      Checkers.program("gltfpack"), ["-i", file.path, "-o", plain, "-noq"])
    #expect(run.status == 0, "\(run.output)")
    let (ours, theirs) = (try Reading(file.path).scene, try Reading(plain).scene)
    #expect(theirs.faceCount == mesh.faceCount && theirs.vertexCount == mesh.vertexCount)
    #expect(Set(theirs.meshes[0].positions) == Set(ours.meshes[0].positions))
  }

  private func quantisedRooms(in folder: TemporaryFolder) throws -> [String] {
    var turned = SceneFixtures.room
    turned.apply(turned.coordinateSystem.transform(to: .blender))
    turned.coordinateSystem = .blender
    return try [SceneFixtures.room, turned].enumerated().flatMap { number, scene in
      try Self.formats.map { format in
        let part = folder.path + "/\(number)\(format.id)"
        try FileManager.default.createDirectory(atPath: part, withIntermediateDirectories: true)
        let output = OutputSet(folder: part, mainFileName: "a.\(format.extensions[0])")
        try format.write(
          scene, to: output, in: WritingContext(options: ["compression": "quantize"]))
        return output.mainPath
      }
    }
  }

  @Test(.needs("trimesh"))
  func `trimesh opens quantised files`() throws {
    let folder = try TemporaryFolder()
    for view in try ModelView.opening(quantisedRooms(in: folder)) {
      #expect(view.faces == 112 && abs(view.area - 23.5) < 0.01)
      for (found, expected) in zip(view.low + view.high, [0.0, -1, 0, 4, 1.5, 3]) {
        #expect(abs(found - expected) < 1e-4)
      }
    }
  }

  @Test(.needs("bpy"))
  func `Blender opens quantised files upright and at their size`() throws {
    let folder = try TemporaryFolder()
    for view in try BlenderView.opening(quantisedRooms(in: folder)) {
      #expect(view.faces == 112 && view.images.count == 1)
      let corners = (view.low ?? []) + (view.high ?? [])
      for (found, expected) in zip(corners, [0.0, -3, -1, 4, 0, 1.5]) {
        #expect(abs(found - expected) < 1e-4)
      }
      #expect(abs((view.facing["+z"]?.area ?? 0) - 13.5) < 0.01)
    }
  }
}

/// What the corners of a face show.
private struct FaceCorners: CustomStringConvertible {
  struct Corner {
    var position: SIMD3<Float>
    /// Normal and tangent.
    var directions: [SIMD3<Float>]
    /// Both sets of texture coordinates.
    var places: [Float]
    /// Linear light.
    var color: [Float]
    /// What must be the same.
    var exact: [Double]
  }

  var corners: [Corner]
  var names: [String]

  var description: String { "\(names) at \(corners.map(\.position))" }

  static func all(of mesh: Mesh, in scene: Scene) -> [FaceCorners] {
    (0..<mesh.faceCount).map { face in
      let material = mesh.faceMaterials.map { scene.materials[Int($0[face])].name } ?? ""
      let className = mesh.classes.map { $0.names[Int($0.labels[face])] } ?? ""
      return FaceCorners(
        corners: (3 * face..<3 * face + 3).map { corner(mesh, $0) }, names: [material, className])
    }
  }

  private static func corner(_ mesh: Mesh, _ corner: Int) -> Corner {
    let vertex = Int(mesh.indices[corner])
    let normal = mesh.cornerNormals?[corner] ?? mesh.normals?[vertex] ?? .zero
    let tangent = mesh.tangents?[corner] ?? .none
    let places = [mesh.textureCoordinates, mesh.secondTextureCoordinates].map {
      $0?[corner] ?? .zero
    }
    let color = mesh.colors?[vertex] ?? .white
    return Corner(
      position: mesh.positions[vertex].simd, directions: [normal.simd, tangent.direction],
      places: places.flatMap { [$0.x, $0.y] },
      color: [color.red, color.green, color.blue].map { SRGBTable.shared.linear[Int($0)] },
      exact: [
        Double(tangent.w), Double(mesh.confidences?[vertex] ?? -1), Double(color.alpha),
        mesh.vertexAttributes["intensity"]?.values.doubles[vertex] ?? -1,
      ])
  }

  /// Whether another face shows the same, but for what fewer bits can't hold; `step` is that of positions.
  func isNear(_ other: FaceCorners, step: Float) -> Bool {
    guard names == other.names else { return false }
    return (0..<3).contains { shift in
      (0..<3).allSatisfy { number in
        Self.isNear(corners[(number + shift) % 3], other.corners[number], step)
      }
    }
  }

  private static func isNear(_ one: Corner, _ other: Corner, _ step: Float) -> Bool {
    let difference = one.position - other.position
    let farthest = max(difference.max(), -difference.min())
    return farthest <= 0.501 * step && one.exact == other.exact
      && zip(one.places, other.places).allSatisfy { abs($0 - $1) <= 0.5 / 4096 + 1e-6 }
      && zip(one.color, other.color).allSatisfy { abs($0 - $1) <= 1 / 255 }
      && zip(one.directions, other.directions).allSatisfy { $0.dot($1) > 0.9998 || $0 == $1 }
  }
}
