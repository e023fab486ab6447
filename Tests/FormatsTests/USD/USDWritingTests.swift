import Foundation
import MeshPipeline
import MeshTestSupport
import Testing

@testable import Formats

/// What Pixar's own library finds in written files.
struct USDWritingTests {
  /// The room with everything that USD can hold.
  private static var fullRoom: Scene {
    var scene = SceneFixtures.bumpyRoom
    scene.materials[0].occlusionTexture = 2
    scene.textures.append(
      Texture(fileName: "shade.weird", encoding: .png, bytes: SceneFixtures.picture))
    return scene
  }

  @Test(.needs("pxr"))
  func `Pixar's checker finds nothing, and all forms say the same`() throws {
    let folder = try TemporaryFolder()
    var turned = SceneFixtures.room
    turned.apply(turned.coordinateSystem.transform(to: .blender))
    turned.coordinateSystem = .blender
    var many = SceneFixtures.room
    many.meshes += [many.meshes[0], MeshFixtures.cube, MeshFixtures.grid(columns: 40, rows: 30)]
    many.pointClouds = SceneFixtures.points.pointClouds
    many.name = "2 \u{e9}tages \u{2014} \"x\""
    let scenes = [
      Self.fullRoom, SceneFixtures.classifiedRoom, SceneFixtures.points, turned, many,
      Scene(meshes: [MeshFixtures.cube]),
    ]
    let paths = try scenes.enumerated().flatMap { number, scene in
      try writeUSD(scene, to: folder, named: "scene \(number)")
    }
    let views = try USDView.opening(paths)
    for (path, view) in zip(paths, views) {
      #expect(view.faults == [], "\(path)")
      #expect(view.upAxis == "Y")
      #expect(view.unit == 1)
      #expect(view.meshes.allSatisfy { $0.isValid && $0.subdivision == "none" })
      for box in view.meshes.map(\.box) + view.points.map(\.box) {
        for (one, other) in zip(box[0].joined(), box[1].joined()) {
          #expect(abs(one - other) < 1e-6)
        }
      }
    }
    for start in stride(from: 0, to: views.count, by: 3) {
      let digests = Set(views[start..<start + 3].map(\.digest))
      #expect(digests.count == 1, "\(paths[start])")
    }
    #expect(views[12].root == "_2__tages____x_")
  }

  @Test(.needs("pxr"))
  func `counts, coordinates, colours and materials are those of the scene`() throws {
    let folder = try TemporaryFolder()
    let scene = Self.fullRoom
    let view = try #require(try USDView.opening([writeUSD(scene, to: folder)[2]]).first)
    let (mesh, source) = (try #require(view.meshes.first), scene.meshes[0])
    #expect(mesh.name == "Living_room")
    #expect(mesh.points == source.vertexCount)
    #expect(mesh.faces == source.faceCount)
    #expect(view.low == [0, -1, 0])
    #expect(view.high == [4, 1.5, 3])
    let st = try #require(mesh.st)
    #expect(st.interpolation == "faceVarying")
    #expect(st.count < source.cornerCount / 2)
    #expect(st.values == source.textureCoordinates?.map { [Double($0.x), Double($0.y)] })
    #expect(mesh.st1?.values.count == source.cornerCount)
    #expect(mesh.colors?.interpolation == "vertex")
    // Linear light, as all colours of USD.
    let blue = SRGBTable.linear(ofEncoded: 200.0 / 255)
    #expect(abs((mesh.colors?.values[5][2] ?? 0) - blue) < 1e-6)
    #expect(abs((mesh.opacities?.values[3][0] ?? 0) - 0.2) < 1e-6)
    #expect(mesh.isDoubleSided)

    let plaster = try #require(view.materials["Plaster"])
    #expect(
      plaster["diffuseColor"]
        == .text("UsdUVTexture rgb room_wall-paper.png sRGB (1, 0.5, 0.25, 1)"))
    #expect(
      plaster["normal"]
        == .text("UsdUVTexture rgb room_bumps.png raw (2, 2, 2, 1) (-1, -1, -1, 0)"))
    #expect(plaster["occlusion"] == .text("UsdUVTexture r room_shade.png raw"))
    #expect(plaster["metallic"] == .numbers([0.25]))
    #expect(plaster["roughness"] == .numbers([1]))
    let wood = try #require(view.materials["Dark_wood"])
    #expect(
      wood["diffuseColor"]
        == .text("UsdPrimvarReader_float3 result displayColor (0.25, 0.125, 0.0625)"))
    #expect(wood["roughness"] == .numbers([0.5]))
  }

  @Test(.needs("pxr"))
  func `materials and classes are subsets, of one family if they are the same`() throws {
    let folder = try TemporaryFolder()
    let views = try USDView.opening([
      writeUSD(SceneFixtures.room, to: folder, named: "both")[1],
      writeUSD(SceneFixtures.classifiedRoom, to: folder, named: "classes")[1],
    ])
    func table(_ mesh: USDView.Mesh, _ family: String) -> [String] {
      mesh.subsets.filter { $0.family == family }.map {
        "\($0.name) \($0.faces.count) \($0.material ?? "-") \($0.class ?? "-")"
      }
    }
    let both = try #require(views[0].meshes.first)
    #expect(
      table(both, "materialBind") == ["Plaster 104 Plaster -", "Dark_wood 8 Dark_wood -"])
    #expect(
      table(both, "classification") == ["wall 32 - wall", "floor 72 - floor", "table 8 - table"])
    let floor = both.subsets.first { $0.name == "floor" }?.faces
    #expect(floor == Array(0..<72))
    let classes = try #require(views[1].meshes.first)
    #expect(
      table(classes, "materialBind")
        == ["wall 32 wall wall", "floor 72 floor floor", "table 8 table table"])
    #expect(table(classes, "classification") == [])
  }

  @Test(.needs("pxr"))
  func `points have colours, classes and a width`() throws {
    let folder = try TemporaryFolder()
    let scene = SceneFixtures.points
    let view = try #require(try USDView.opening([writeUSD(scene, to: folder)[2]]).first)
    let points = try #require(view.points.first)
    #expect(points.points == scene.pointCount)
    #expect(points.colors?.count == scene.pointCount)
    #expect(points.width > 0.1 && points.width < 1)
    let classes = scene.pointClouds[0].classes
    #expect(points.classes?.values == classes?.labels.map { classes?.names[Int($0)] ?? "" })
  }

  @Test func `a package begins with its layer, and every file at a multiple of 64 bytes`() throws {
    let folder = try TemporaryFolder()
    for name in ["room", "a", "long name of a room with spaces"] {
      let path = try writeUSD(Self.fullRoom, to: folder, named: name)[2]
      let bytes = try FileSystem.contents(of: path)
      var (offset, names) = (0, [String]())
      while bytes[offset..<offset + 4].elementsEqual([0x50, 0x4B, 3, 4]) {
        func number(_ place: Int, _ count: Int) -> Int {
          bytes[offset + place..<offset + place + count].reversed().reduce(0) { $0 << 8 | Int($1) }
        }
        #expect(number(8, 2) == 0, "stored")
        let start = offset + 30 + number(26, 2) + number(28, 2)
        #expect(start % 64 == 0)
        names.append(
          String(decoding: bytes[offset + 30..<offset + 30 + number(26, 2)], as: UTF8.self))
        offset = start + number(18, 4)
      }
      #expect(names.count == 4)
      #expect(names[0].hasSuffix(".usdc"))
      #expect(names.dropFirst().allSatisfy { $0.hasSuffix(".png") })
    }
  }

  @Test func `damaged pictures that USD does not know are left out, with a warning`() throws {
    let folder = try TemporaryFolder()
    var scene = SceneFixtures.room
    scene.meshes[0].colors = nil
    scene.textures[0] = Texture(fileName: "a.webp", encoding: .webp, bytes: [1])
    let context = WritingContext()
    let output = OutputSet(folder: folder.path, mainFileName: "x.usdz")
    try USDZ.write(scene, to: output, in: context)
    #expect(
      context.stage.warnings == [
        "texture a.webp: is not a complete WebP image; USDZ package supports only JPEG, PNG: it will be lost"
      ])
  }

  @Test func `vertex colours that would change a texture are reported`() throws {
    let folder = try TemporaryFolder()
    func warnings(_ change: (inout Scene, inout WritingContext) -> Void) throws -> [String] {
      var (scene, context) = (SceneFixtures.room, WritingContext())
      change(&scene, &context)
      try USDA.write(
        scene, to: OutputSet(folder: folder.path, mainFileName: "x.usda"), in: context)
      return context.stage.warnings
    }
    let told = try warnings { _, _ in }
    #expect(told.count == 1 && told[0].contains("can't multiply textures by vertex colours"))
    #expect(try warnings { _, context in context.expectedLosses = [.colors] } == [])
    let white = Color(red: 255, green: 255, blue: 255)
    #expect(
      try warnings { scene, _ in
        scene.meshes[0].colors = scene.meshes[0].colors?.map { _ in white }
      } == [])
    // The wood has no texture.
    #expect(
      try warnings { scene, _ in
        scene.meshes[0].faceMaterials = scene.meshes[0].faceMaterials?.map { _ in 1 }
      } == [])
  }

  @Test func `nothing is written of nothing`() throws {
    let folder = try TemporaryFolder()
    let output = OutputSet(folder: folder.path, mainFileName: "x.usdc")
    #expect(
      throws: UnwritableScene.nothingToWrite(format: "USD crate", holds: "faces and points")
    ) {
      try USDC.write(Scene(), to: output, in: WritingContext())
    }
  }
}
