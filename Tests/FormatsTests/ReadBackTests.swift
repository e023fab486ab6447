import Foundation
import MeshPipeline
import MeshTestSupport
import Testing

@testable import Formats

/// What a format declares to keep is what comes back from a file that was written and read.
struct ReadBackTests {
  typealias BothWays = BuiltInFormats.BothWays

  init() { AssimpWorker.executable = Program.meshpipe }

  private static let ofMeshes = BuiltInFormats.bothWays.filter { $0.keeps.contains(.faces) }
  private static let formats = BuiltInFormats.bothWays
  /// Those whose files are compared value by value, not by their features alone.
  private static let native = Set(BuiltInFormats.native.map { $0.id })

  /// The room with an attribute of its own.
  static var attributedRoom: Scene {
    var scene = SceneFixtures.room
    scene.meshes[0].vertexAttributes = [
      CustomAttribute(
        "intensity",
        values: .uint16(scene.meshes[0].positions.indices.map { UInt16(600 * $0) }))
    ]
    scene.meshes[0].secondTextureCoordinates = scene.meshes[0].textureCoordinates?.map {
      Vector2(1 - $0.y, 0.5 * $0.x)
    }
    scene.meshes[0].addTangents()
    for index in scene.materials.indices {
      let picture = scene.materials[index].baseColorTexture
      scene.materials[index].occlusionTexture = picture
      scene.materials[index].metallicRoughnessTexture = picture
      scene.materials[index].emissiveTexture = picture
      if picture != nil {
        scene.materials[index].emissive = SIMD3(repeating: 1)
        scene.materials[index].alphaMode = .mask(cutoff: 0.25)
      }
    }
    return scene
  }

  /// What a format keeps, except splats: these are points with attributes of their own, in tests of their own.
  private static func keptHere(_ format: BothWays) -> [SceneFeature] {
    format.keeps.subtracting([.splats]).sorted()
  }

  private func roundTrip(_ scene: Scene, _ format: BothWays) throws -> Scene {
    let folder = try TemporaryFolder()
    let output = OutputSet(folder: folder.path, mainFileName: "a b.\(format.extensions[0])")
    try format.write(scene, to: output, in: WritingContext())
    let context = ReadingContext()
    let result = try ScanSource(path: output.mainPath, format: format).read(in: context)
    #expect(context.stage.warnings == [], "\(format.id)")
    return result
  }

  @Test(arguments: ofMeshes)
  func `features come back exactly as declared`(format: BothWays) throws {
    let room = Self.attributedRoom
    let found = try roundTrip(room, format)
    var kept = found.features.intersection(room.features)
    // Programs make up materials where there are none, so it takes the wood's colour to prove them.
    let wood = room.materials[1].baseColor
    let hasWood = found.materials.contains {
      let difference = $0.baseColor - wood
      return difference.max() < 0.01 && difference.min() > -0.01
    }
    if !hasWood { kept.remove(.materials) }
    // 3DS has groups of smooth faces, from which Assimp computes normals of its own.
    if format.id == "3ds" { kept.remove(.normals) }
    if format.keeps.contains(.points) {
      kept.insert(.points)  // judged below, on points alone
    }
    #expect(kept.sorted() == Self.keptHere(format), "\(format.id)")
    #expect(found.faceCount == room.faceCount, "\(format.id)")
  }

  @Test(arguments: ofMeshes)
  func `a picture that is an occlusion map only comes back, or is left out`(
    format: BothWays
  ) throws {
    var room = SceneFixtures.room
    room.materials[0].occlusionTexture = room.textures.count
    room.textures.append(
      Texture(fileName: "shade.png", encoding: .png, bytes: SceneFixtures.picture))
    let found = try roundTrip(room, format)
    let map = found.materials.compactMap(\.occlusionTexture).first
    #expect((map != nil) == format.keeps.contains(.occlusionMaps), "\(format.id)")
    if let map { #expect(found.textures[map].bytes == SceneFixtures.picture, "\(format.id)") }
  }

  @Test(arguments: BuiltInFormats.ofPoints)
  func `features of points come back exactly as declared`(format: BothWays) throws {
    var points = SceneFixtures.points
    let count = points.pointCount
    points.pointClouds[0].attributes = [
      CustomAttribute("echo", values: .uint8((0..<count).map { UInt8($0 % 5) }))
    ]
    let found = try roundTrip(points, format)
    #expect(found.features.sorted() == Self.keptHere(format), "\(format.id)")
    guard let classes = found.pointClouds[0].classes else { return }
    let names = points.pointClouds[0].classes.map { classes in
      classes.labels.map { classes.names[Int($0)] }
    }
    #expect(classes.labels.map { classes.names[Int($0)] } == names, "\(format.id)")
  }

  @Test(
    arguments: [
      ("obj", [:]), ("ply", [:]), ("ply", ["ascii": true]), ("stl", [:]), ("stl", ["ascii": true]),
    ] as [(String, [String: JSONValue])])
  func `axes and unit come back from formats that have no words for them`(
    id: String, options: [String: JSONValue]
  ) throws {
    let format = try #require(Self.formats.first { $0.id == id })
    let systems = [
      CoordinateSystem.arkit, .blender,
      CoordinateSystem(up: .z, forward: .x, handedness: .left, metersPerUnit: 0.001),
      CoordinateSystem(up: .negativeZ, forward: .negativeY, metersPerUnit: 0.3048),
    ]
    for system in systems {
      var scene = SceneFixtures.room
      scene.coordinateSystem = system
      let folder = try TemporaryFolder()
      let output = OutputSet(folder: folder.path, mainFileName: "room.\(format.extensions[0])")
      try format.write(scene, to: output, in: WritingContext(options: options))
      #expect(format.coordinateSystem(of: output.mainPath) == system)
      let found = try format.read(output.mainPath, in: ReadingContext())
      #expect(found.coordinateSystem == system)
      #expect(!found.meshes[0].name.contains("up="))
      // The user knows better.
      let reading = InputReading(up: .y, metersPerUnit: 1)
      let read = try ScanSource(path: output.mainPath, format: format, reading: reading)
        .read(in: ReadingContext())
      #expect(read.coordinateSystem == .arkit)
    }
  }

  @Test(arguments: ofMeshes.filter { $0.keeps.contains(.classification) })
  func `classes come back by their names`(format: BothWays) throws {
    let room = SceneFixtures.classifiedRoom
    let found = try roundTrip(room, format)
    var areas: [String: Int] = [:]
    for mesh in found.meshes {
      guard let classes = mesh.classes else { continue }
      for (name, count) in zip(classes.names, classes.counts) where count > 0 {
        areas[name, default: 0] += count
      }
    }
    #expect(areas == ["wall": 32, "floor": 72, "table": 8], "\(format.id)")
  }

  @Test(arguments: formats.filter { $0.keeps.contains(.points) })
  func `points come back`(format: BothWays) throws {
    let points = SceneFixtures.points
    var found = try roundTrip(points, format)
    found.apply(found.coordinateSystem.transform(to: points.coordinateSystem))
    #expect(found.pointCount == points.pointCount, "\(format.id)")
    #expect(found.faceCount == 0, "\(format.id)")
    let cloud = try #require(found.pointClouds.first)
    if format.keeps.contains(.colors) { #expect(cloud.colors == points.pointClouds[0].colors) }
    if format.keeps.contains(.confidences) {
      #expect(cloud.confidences == points.pointClouds[0].confidences)
    }
    guard Self.native.contains(format.id) else { return }
    // LAS has whole multiples of a tenth of a millimetre.
    let step: Float = format.id == "las" ? 0.000_1 : 0
    for (one, other) in zip(cloud.positions, points.pointClouds[0].positions) {
      #expect((one.simd - other.simd).length <= step, "\(format.id)")
    }
  }

  @Test(arguments: ofMeshes.filter { native.contains($0.id) })
  func `every face comes back with all that the format keeps`(format: BothWays) throws {
    let room = Self.attributedRoom
    var found = try roundTrip(room, format)
    found.apply(found.coordinateSystem.transform(to: room.coordinateSystem))
    var (kept, keeps) = (room, format.keeps)
    if format.id == "3mf" {
      // It has no other place for a class than a material's name, and coordinates only of a picture.
      keeps.remove(.materials)
      let mesh = kept.meshes[0]
      for (face, material) in (mesh.faceMaterials ?? []).enumerated()
      where kept.materials[Int(material)].baseColorTexture == nil {
        for corner in 3 * face..<3 * face + 3 { kept.meshes[0].textureCoordinates?[corner] = .zero }
      }
    }
    let expected = FaceSignatures(kept, keeps: keeps).texts
    #expect(FaceSignatures(found, keeps: keeps).texts == expected, "\(format.id)")
    guard format.id != "stl" else { return }
    // Faces share their vertices again, or still.
    #expect(found.meshes.count == 1)
    #expect(found.vertexCount == room.vertexCount, "\(format.id)")
    if format.keeps.contains(.textures) {
      // OBJ has a picture of the roughness alone.
      let pictures = found.textures.filter { !$0.fileName.contains("roughness") }
      #expect(pictures.map(\.bytes) == [SceneFixtures.picture], "\(format.id)")
    }
  }

  @Test func `a Z-up scene comes back from glTF as it looks, Y-up`() throws {
    var turned = SceneFixtures.room
    turned.apply(turned.coordinateSystem.transform(to: .blender))
    turned.coordinateSystem = .blender
    let found = try roundTrip(turned, GLB.self)
    #expect(found.coordinateSystem == .arkit)
    #expect(
      FaceSignatures(found, keeps: [.classification]).texts
        == FaceSignatures(SceneFixtures.room, keeps: [.classification]).texts)
  }
}

/// The faces of a scene as texts that do not depend on the order of faces, meshes and vertices.
private struct FaceSignatures {
  let texts: [String]

  init(_ scene: Scene, keeps: Set<SceneFeature>) {
    texts = scene.meshes.flatMap { mesh in
      (0..<mesh.faceCount).map { face in
        let corners = (3 * face..<3 * face + 3).map { Self.text(mesh, corner: $0, keeps) }
        // The corner that a face begins with is of no meaning, their direction is.
        let start = corners.indices.min { corners[$0] < corners[$1] } ?? 0
        var parts = Array(corners[start...] + corners[..<start])
        if keeps.contains(.classification), let classes = mesh.classes {
          parts.append(classes.names[Int(classes.labels[face])])
        }
        if keeps.contains(.materials), let material = mesh.faceMaterials?[face] {
          let material = scene.materials[Int(material)]
          parts.append("\(material.name) \(material.baseColor)")
        }
        return parts.joined(separator: "; ")
      }
    }.sorted()
  }

  private static func text(_ mesh: Mesh, corner: Int, _ keeps: Set<SceneFeature>) -> String {
    let vertex = Int(mesh.indices[corner])
    var numbers = [mesh.positions[vertex].x, mesh.positions[vertex].y, mesh.positions[vertex].z]
    if keeps.contains(.normals) {
      let normal = mesh.cornerNormals?[corner] ?? mesh.normals?[vertex] ?? .zero
      numbers += [normal.x, normal.y, normal.z]
    }
    if keeps.contains(.textureCoordinates) {
      let place = mesh.textureCoordinates?[corner] ?? .zero
      numbers += [place.x, place.y]
    }
    if keeps.contains(.secondTextureCoordinates) {
      let place = mesh.secondTextureCoordinates?[corner] ?? .zero
      numbers += [place.x, place.y]
    }
    if keeps.contains(.tangents) {
      let tangent = mesh.tangents?[corner] ?? .none
      numbers += [tangent.x, tangent.y, tangent.z, tangent.w]
    }
    if keeps.contains(.confidences) { numbers.append(mesh.confidences?[vertex] ?? -1) }
    if keeps.contains(.customAttributes) {
      numbers.append(Float(mesh.vertexAttributes["intensity"]?.values.doubles[vertex] ?? -1))
    }
    if keeps.contains(.colors) {
      let color = mesh.colors?[vertex] ?? .white
      numbers += [Float(color.red), Float(color.green), Float(color.blue), Float(color.alpha)]
    }
    return numbers.map { String(format: "%.4f", $0 + 0) }.joined(separator: " ")
      .replacingOccurrences(of: "-0.0000", with: "0.0000")
  }
}
