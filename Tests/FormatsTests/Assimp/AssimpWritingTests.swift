import Foundation
import MeshPipeline
import MeshTestSupport
import Testing

@testable import Formats

@Suite(.neverHangs)
struct AssimpWritingTests {
  init() { AssimpWorker.executable = Program.meshpipe }

  /// The formats that are written and read through Assimp.
  static let readBack: [any (AssimpWritableFormat & ReadableFormat).Type] = [
    FBX.self, COLLADA.self, X3D.self, ThreeDS.self, Assbin.self,
  ]
  private static let ids = readBack.map { $0.id }

  private func format(_ id: String) throws -> any (AssimpWritableFormat & ReadableFormat).Type {
    try #require(Self.readBack.first { $0.id == id })
  }

  private func write(
    _ scene: Scene, as format: any WritableFormat.Type, in folder: TemporaryFolder
  ) throws -> String {
    try write(scene, as: FormatWriter(format), in: folder)
  }

  private func write(
    _ scene: Scene, as format: FormatWriter, in folder: TemporaryFolder
  ) throws -> String {
    let output = OutputSet(folder: folder.path, mainFileName: "room.\(format.extensions[0])")
    try format.write(scene, to: output, in: WritingContext())
    return output.mainPath
  }

  /// The room in three coordinate systems; all show the same to a person.
  static let rooms: [String: Scene] = {
    let room = SceneFixtures.room
    var upright = room
    upright.apply(room.coordinateSystem.transform(to: .blender))
    upright.coordinateSystem = .blender
    var millimeters = upright
    millimeters.apply(Transform(scale: SIMD3(repeating: 1000)))
    millimeters.coordinateSystem.metersPerUnit = 0.001
    return ["Y up": room, "Z up": upright, "Z up, millimetres": millimeters]
  }()

  @Test(arguments: ["fbx", "dae"])
  func `a name that says the class of a mesh is kept, and another gives way to it`(
    id: String
  ) throws {
    let names = ["wall-1", "Wall 2", "sofa"]
    var scene = Scene()
    for (index, name) in names.enumerated() {
      var grid = MeshFixtures.grid(columns: 1, rows: 1)
      grid.name = name
      grid.positions = grid.positions.map { Vector3($0.x, $0.y, Float(index)) }
      let label = index < 2 ? "wall" : "seat"
      grid.classes = FaceClasses(
        labels: [UInt16](repeating: 1, count: grid.faceCount), names: ["none", label])
      scene.meshes.append(grid)
    }
    let folder = try TemporaryFolder()
    let found = try Reading(write(scene, as: format(id), in: folder)).scene
    #expect(found.meshes.map(\.name).sorted() == ["seat", "wall", "wall-1"])
    #expect(faceCountsByClass(found) == ["wall": 4, "seat": 2])
  }

  @Test func `levels of detail in FBX are objects whose names end with their numbers`() throws {
    let folder = try TemporaryFolder()
    func level(columns: Int) -> Scene {
      var scene = SceneFixtures.room
      var grid = MeshFixtures.grid(columns: columns, rows: columns)
      grid.name = "ground"
      scene.meshes.append(grid)
      return scene
    }
    var context = WritingContext()
    context.lighterLevels = [level(columns: 2), level(columns: 1)]
    let output = OutputSet(folder: folder.path, mainFileName: "levels.fbx")
    try FBX.write(level(columns: 3), to: output, in: context)
    let read = try FBX.read(output.mainPath, in: ReadingContext())
    let names = read.meshes.map(\.name)
    for number in 0...2 {
      let own = names.filter { $0.hasSuffix("_LOD\(number)") }
      #expect(own.map { $0.dropLast() } == names.prefix(own.count).map { $0.dropLast() })
      let ground = read.meshes.first { $0.name == "ground_LOD\(number)" }
      #expect(ground?.faceCount == [18, 8, 2][number])
    }
    #expect(names.allSatisfy { $0.contains("_LOD") })
    // One picture for all.
    #expect(read.textures.count == SceneFixtures.room.textures.count)
  }

  @Test(arguments: ids, rooms.keys.sorted())
  func `a written model reads back at the same place and size`(id: String, room: String) throws {
    let folder = try TemporaryFolder()
    let format = try format(id)
    let scene = try #require(Self.rooms[room])
    let path = try write(scene, as: format, in: folder)
    var read = try format.read(path, in: ReadingContext())
    #expect(read.faceCount == scene.faceCount)
    read.apply(read.coordinateSystem.transform(to: .arkit))
    let (box, expected) = (read.bounds, SceneFixtures.room.bounds)
    #expect((box.minimum - expected.minimum).length < 1e-5)
    #expect((box.maximum - expected.maximum).length < 1e-5)
    // A mirror would keep the box and turn the faces round.
    #expect(abs(signedVolume(read) - signedVolume(SceneFixtures.room)) < 1e-4)
  }

  @Test(arguments: ids)
  func `a vertex that no face uses does not matter`(id: String) throws {
    // Real ARKit rooms have such vertices, some of them outside of all faces.
    let folder = try TemporaryFolder()
    var scene = SceneFixtures.room
    scene.meshes[0].positions.append(Vector3(0, 90, 0))
    scene.meshes[0].normals?.append(Vector3(0, 1, 0))
    scene.meshes[0].colors?.append(.white)
    scene.meshes[0].confidences?.append(1)
    let format = try format(id)
    let path = try write(scene, as: format, in: folder)
    #expect(try format.read(path, in: ReadingContext()).faceCount == scene.faceCount)
  }

  /// Six times the volume between the faces and a point within; its sign is that of the winding.
  private func signedVolume(_ scene: Scene) -> Double {
    let center = SIMD3<Double>(2, 0.25, 1.5)
    var volume = 0.0
    for mesh in scene.meshes {
      for face in 0..<mesh.faceCount {
        let (a, b, c) = mesh.vertices(ofFace: face)
        let points = [a, b, c].map { mesh.positions[Int($0)].double - center }
        volume += points[0].dot(points[1].cross(points[2]))
      }
    }
    return volume
  }

  @Test(arguments: ids)
  func `what a format says it keeps comes back`(id: String) throws {
    let folder = try TemporaryFolder()
    let format = try format(id)
    var scene = SceneFixtures.room
    scene.materials[0].emissiveTexture = scene.materials[0].baseColorTexture
    scene.materials[0].emissive = SIMD3(1, 1, 1)
    let read = try format.read(try write(scene, as: format, in: folder), in: ReadingContext())
    let lost = format.keeps.subtracting(read.features).subtracting([.points])
    #expect(lost.isEmpty)
    if format.keeps.contains(.textures) {
      #expect(read.textures.map(\.bytes) == scene.textures.map(\.bytes))
    }
    if format.keeps.contains(.classification) {
      #expect(faceCountsByClass(read) == faceCountsByClass(scene))
    }
    if format.keeps.contains(.textureCoordinates) {
      #expect(textureSum(read) == textureSum(scene))
    }
    if format.keeps.contains(.normals) { #expect(areNormalsOutside(read)) }
    if format.keeps.contains(.colors) { #expect(colorSum(read) == colorSum(scene)) }
    if format.keeps.contains(.materials) {
      #expect(
        Set(
          read.meshes.flatMap { mesh in
            (mesh.faceMaterials ?? []).map { read.materials[Int($0)].baseColor }
          }) == Set(scene.materials.map(\.baseColor)))
    }
  }

  /// Whether each normal lies on the side from which its face is seen counter-clockwise.
  private func areNormalsOutside(_ scene: Scene) -> Bool {
    scene.meshes.allSatisfy { mesh in
      (0..<mesh.faceCount).allSatisfy { face in
        let (a, b, c) = mesh.vertices(ofFace: face)
        let points = [a, b, c].map { mesh.positions[Int($0)].simd }
        let normal = (points[1] - points[0]).cross(points[2] - points[0])
        let stored = mesh.cornerNormals?[3 * face] ?? mesh.normals?[Int(a)] ?? .zero
        // Where plates meet the vertex bears the normal of one of them.
        return normal.dot(stored.simd) > -1e-3
      }
    }
  }

  private func faceCountsByClass(_ scene: Scene) -> [String: Int] {
    var counts: [String: Int] = [:]
    for mesh in scene.meshes {
      guard let classes = mesh.classes else { continue }
      for (name, count) in zip(classes.names, classes.counts) where count > 0 {
        counts[name, default: 0] += count
      }
    }
    return counts
  }

  /// The sum over all corners of texture coordinates weighed by the corner's position: any exchange or
  /// flip changes it.
  private func textureSum(_ scene: Scene) -> Double {
    var sum = 0.0
    for mesh in scene.meshes {
      guard let places = mesh.textureCoordinates else { continue }
      for (corner, vertex) in mesh.indices.enumerated() {
        let position = mesh.positions[Int(vertex)]
        sum += Double(
          places[corner].x * position.x + places[corner].y * (position.y + 2 * position.z))
      }
    }
    return (sum * 100).rounded() / 100
  }

  private func colorSum(_ scene: Scene) -> Double {
    var sum = 0.0
    for mesh in scene.meshes {
      guard let colors = mesh.colors else { continue }
      for vertex in mesh.indices {
        let (color, position) = (colors[Int(vertex)], mesh.positions[Int(vertex)])
        sum += Double(
          Float(color.red) * position.x + Float(color.green) * (position.y + position.z))
      }
    }
    return sum.rounded()
  }

  @Test(arguments: ids)
  func `the same scene gives the same bytes at another time and place`(id: String) throws {
    let format = try #require(FormatRegistry(builtInFormats).writer(id: id))
    let folders = [try TemporaryFolder(), try TemporaryFolder()]
    _ = try write(SceneFixtures.room, as: format, in: folders[0])
    usleep(1_100_000)
    _ = try write(SceneFixtures.room, as: format, in: folders[1])
    let names = try FileSystem.names(inFolder: folders[0].path)
    #expect(try FileSystem.names(inFolder: folders[1].path) == names)
    for name in names {
      #expect(
        try FileSystem.contents(of: folders[0].path + "/" + name)
          == FileSystem.contents(of: folders[1].path + "/" + name), "\(name)")
    }
  }

  @Test(arguments: ["dae", "fbx", "x3d", "assbin"])
  func `colours that differ at one place stay apart`(id: String) throws {
    let (red, green) = (Color(red: 255, green: 0, blue: 0), Color(red: 0, green: 255, blue: 0))
    let square = [(0, 0), (1, 0), (1, 1), (0, 0), (1, 1), (0, 1)]
    var mesh = Mesh(
      name: "a", positions: square.map { Vector3(Float($0.0), Float($0.1), 0) },
      indices: [0, 1, 2, 3, 4, 5])
    mesh.colors = [red, red, red, green, green, green]
    let folder = try TemporaryFolder()
    let format = try #require(FormatRegistry(builtInFormats).writer(id: id))
    let path = try write(Scene(meshes: [mesh]), as: format, in: folder)
    let reader = try #require(FormatRegistry(builtInFormats).reader(forPath: path))
    let found = try #require(reader.read(path, in: ReadingContext()).meshes.first)
    let colors = try #require(found.colors)
    let corners = found.indices.map { colors[Int($0)] }
    #expect(found.vertexCount == 6 && Set(corners[..<3]).count == 1)
    #expect(Set(corners) == [red, green])
  }

  @Test(arguments: ids)
  func `names that mean something to XML and others do no harm`(id: String) throws {
    let format = try #require(FormatRegistry(builtInFormats).writer(id: id))
    var scene = SceneFixtures.room
    scene.meshes[0].classes?.names[1] = #"R&D <b> "x" 'y' Ä/\ {;}"#
    scene.materials[0].name = #"<&">' é , ;"#
    let path = try write(scene, as: format, in: try TemporaryFolder())
    #expect(!path.isEmpty)
  }

  @Test(.needs("bpy")) func `Blender shows FBX and COLLADA upright and at true scale`() throws {
    let folder = try TemporaryFolder()
    var paths: [String] = []
    for (number, scene) in Self.rooms.values.enumerated() {
      for format in [FBX.self, COLLADA.self] as [any WritableFormat.Type] {
        let output = OutputSet(
          folder: folder.path, mainFileName: "room\(number).\(format.extensions[0])")
        try format.write(scene, to: output, in: WritingContext())
        paths.append(output.mainPath)
      }
    }
    for view in try BlenderView.opening(paths) {
      #expect(view.faces == SceneFixtures.room.faceCount)
      #expect(view.objects == ["floor", "table", "wall"])
      #expect(view.materials == ["Dark wood table", "Plaster floor", "Plaster wall"])
      #expect(view.hasColors)
      #expect(view.hasTextureCoordinates)
      let (low, high) = (try #require(view.low), try #require(view.high))
      #expect(zip(low, [0, -3, -1]).allSatisfy { abs($0 - $1) < 1e-4 })
      #expect(zip(high, [4, 0, 1.5]).allSatisfy { abs($0 - $1) < 1e-4 })
      #expect(abs((view.facing["+z"]?.place ?? 0) + 1) < 1e-4)
    }
  }

  @Test func `a scene without faces is refused`() {
    let scene = Scene(meshes: [Mesh(name: "empty")])
    #expect(throws: UnwritableScene.self) {
      try write(scene, as: FBX.self, in: TemporaryFolder())
    }
  }
}
