import Foundation
import MeshPipeline
import MeshTestSupport
import NativeLibraries
import Testing

@testable import Formats

extension SceneFixtures {
  /// The room, whose first material has all maps: occlusion, roughness and metalness in one PNG, and emitted light.
  static func mappedRoom(
    packed: [UInt8], emissive: SIMD3<Float> = SIMD3(1, 0.5, 0.25)
  ) -> Scene {
    var scene = room
    scene.textures += [
      Texture(fileName: "packed.png", encoding: .png, bytes: packed),
      Texture(fileName: "light.png", encoding: .png, bytes: picture),
    ]
    scene.materials[0].occlusionTexture = 1
    scene.materials[0].metallicRoughnessTexture = 1
    scene.materials[0].metallic = 0.5
    scene.materials[0].roughness = 0.75
    scene.materials[0].emissiveTexture = 2
    scene.materials[0].emissive = emissive
    scene.materials[0].alphaMode = .mask(cutoff: 0.25)
    return scene
  }
}

/// Maps of metalness, roughness and emitted light, and cut out materials, in all formats.
struct MaterialMapTests {
  typealias BothWays = BuiltInFormats.BothWays

  init() { AssimpWorker.executable = Program.meshpipe }

  /// Red occlusion, green roughness and blue metalness, other values in each pixel.
  private static let packed = TextureRaster(
    size: SIMD2(4, 4),
    pixels: (0..<16).map { (step: UInt8) -> SIMD4<UInt8> in
      SIMD4(15 * step, 255 - 15 * step, 7 * step + 40, 255)
    })

  private static var room: Scene {
    get throws {
      SceneFixtures.mappedRoom(packed: try packed.encoded(as: .png, quality: 100))
    }
  }

  private func roundTrip(
    _ scene: Scene, _ format: any (ReadableFormat & WritableFormat).Type
  ) throws -> (scene: Scene, warnings: [String]) {
    let folder = try TemporaryFolder()
    let output = OutputSet(folder: folder.path, mainFileName: "a.\(format.extensions[0])")
    let context = WritingContext()
    try format.write(scene, to: output, in: context)
    return (try format.read(output.mainPath, in: ReadingContext()), context.stage.warnings)
  }

  private func pixels(_ texture: Int?, of scene: Scene) throws -> [SIMD4<UInt8>]? {
    try texture.map { try TextureRaster(scene.textures[$0]).pixels }
  }

  @Test(arguments: BuiltInFormats.bothWays.filter { $0.keeps.contains(.alphaMasks) })
  func `glTF, USD and meshpipe's own format keep every map with its factors`(
    format: BothWays
  ) throws {
    let room = try Self.room
    let found = try roundTrip(room, format).scene
    let plaster = try #require(found.materials.first { $0.name == room.materials[0].name })
    #expect((plaster.metallic, plaster.roughness) == (0.5, 0.75), "\(format.id)")
    #expect(plaster.emissive == SIMD3(1, 0.5, 0.25), "\(format.id)")
    #expect(plaster.alphaMode == .mask(cutoff: 0.25), "\(format.id)")
    for key in Material.textureKeys {
      let own = room.materials[0][keyPath: key].map { room.textures[$0].bytes }
      #expect(plaster[keyPath: key].map { found.textures[$0].bytes } == own, "\(format.id)")
    }
    // One picture may be several maps.
    #expect(found.textures.count == 3, "\(format.id)")
    #expect(plaster.occlusionTexture == plaster.metallicRoughnessTexture, "\(format.id)")
  }

  @Test(
    arguments: BuiltInFormats.bothWays.filter {
      $0.keeps.contains(.materials) && !$0.keeps.contains(.metallicRoughnessMaps)
    })
  func `where a map is lost, the surface does not become metal or a lamp`(format: BothWays) throws {
    var room = try Self.room
    (room.materials[0].metallic, room.materials[0].roughness) = (1, 1)
    let (found, warnings) = try roundTrip(room, format)
    #expect(warnings.contains { $0.contains("metallic-roughness maps") }, "\(format.id)")
    for material in found.materials {
      #expect(material.metallicRoughnessTexture == nil, "\(format.id)")
      #expect(material.metallic == 0, "\(format.id)")
      if material.emissiveTexture == nil { #expect(material.emissive == .zero, "\(format.id)") }
    }
    let shines = found.materials.contains { $0.emissiveTexture != nil }
    #expect(shines == format.keeps.contains(.emissiveMaps), "\(format.id)")
  }

  @Test(.needs("trimesh"), arguments: ["glb", "gltf"])
  func `trimesh finds the maps and factors of glTF`(ending: String) throws {
    let folder = try TemporaryFolder()
    let output = OutputSet(folder: folder.path, mainFileName: "a.\(ending)")
    let format = try #require(FormatRegistry(builtInFormats).writer(id: ending))
    try format.write(try Self.room, to: output, in: WritingContext())
    let view = try #require(try ModelView.opening([output.mainPath]).first)
    let surface = try #require(
      view.meshes.compactMap(\.surface).first { $0.emissiveTexture != nil })
    #expect(surface.metallicRoughness == [0, 255, 40])
    #expect(surface.occlusion == [0, 255, 40])
    #expect(surface.emissiveTexture == [255, 0, 0])
    #expect(surface.factors == [0.5, 0.75])
    #expect(surface.emissive == [1, 0.5, 0.25])
    #expect((surface.alphaMode, surface.alphaCutoff) == ("MASK", 0.25))
  }

  @Test(.needs("bpy"))
  func `Blender connects every map to its input, numbers without a colour space`() throws {
    let folder = try TemporaryFolder()
    let endings = ["glb", "usdc", "obj"]
    let paths = try endings.map { ending in
      let output = OutputSet(folder: folder.path, mainFileName: "a.\(ending)")
      let format = try #require(FormatRegistry(builtInFormats).writer(id: ending))
      try format.write(try Self.room, to: output, in: WritingContext())
      return output.mainPath
    }
    for (ending, view) in zip(endings, try BlenderView.opening(paths, withLinks: true)) {
      let links = try #require(view.links?.values.first { $0["Metallic"] != nil })
      // OBJ has pictures of their own, the others channels of one.
      let (rough, metal) = ending == "obj" ? ("roughness.png", "metallic.png") : ("Green", "Blue")
      for (input, word) in [("Roughness", rough), ("Metallic", metal)] {
        let source = links[input] ?? ""
        // Blender takes pictures of OBJ for colours, except normal maps.
        let space = ending == "obj" ? "sRGB" : "Non-Color"
        #expect(source.contains(word) && source.hasSuffix(space), "\(ending): \(source)")
      }
      let light = links["Emission Color"] ?? ""
      #expect(light.contains("light") && light.hasSuffix("sRGB"), "\(ending): \(light)")
    }
  }

  @Test func `OBJ has a picture each for roughness and metalness, times their factors`() throws {
    let room = try Self.room
    let (found, _) = try roundTrip(room, OBJ.self)
    let material = try #require(found.materials.first { $0.name == room.materials[0].name })
    #expect((material.metallic, material.roughness) == (1, 1))
    #expect(material.emissive == SIMD3(1, 0.5, 0.25))
    #expect(
      material.emissiveTexture.map { found.textures[$0].bytes } == SceneFixtures.picture)
    func times(_ factor: Float, _ code: UInt8) -> UInt8 { UInt8((Float(code) * factor).rounded()) }
    let expected = Self.packed.pixels.map { pixel -> SIMD4<UInt8> in
      SIMD4(0, times(0.75, pixel.y), times(0.5, pixel.z), 255)
    }
    #expect(try pixels(material.metallicRoughnessTexture, of: found) == expected)
  }

  @Test(arguments: [Material.AlphaMode.opaque, .blend])
  func `OBJ names the picture whose opacity counts`(mode: Material.AlphaMode) throws {
    var room = try Self.room
    room.materials[0].alphaMode = mode
    // More than white.
    room.materials[0].emissive = SIMD3(10, 5, 0.5)
    let (found, warnings) = try roundTrip(room, OBJ.self)
    let material = try #require(found.materials.first { $0.name == room.materials[0].name })
    #expect(material.baseColorTexture != nil && material.alphaMode == mode)
    #expect(material.emissive == SIMD3(10, 5, 0.5))
    #expect(!warnings.contains { $0.contains("alpha") })
    // JPEG has no opacity, and some programs would take its colours for it.
    room.textures[0] = Texture(
      fileName: "wall.jpg", encoding: .jpeg,
      bytes: try Self.packed.encoded(as: .jpeg, quality: 90))
    let opaque = try roundTrip(room, OBJ.self).scene.materials.first {
      $0.name == room.materials[0].name
    }
    #expect(opaque?.alphaMode == .opaque)
  }

  @Test func `an emissive map times black is not exported`() throws {
    var room = try Self.room
    room.materials[0].emissive = .zero
    for format in [FBX.self, COLLADA.self] as [any (ReadableFormat & WritableFormat).Type] {
      let materials = try roundTrip(room, format).scene.materials
      #expect(materials.allSatisfy { $0.emissive == .zero && $0.emissiveTexture == nil })
    }
  }

  @Test func `pictures that would be taken apart again and again have a limit`() {
    var budget = PixelBudget()
    // The header of a PNG alone.
    func png(_ side: UInt32) -> Texture {
      let size = withUnsafeBytes(of: side.bigEndian) { [UInt8]($0) }
      let head: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0, 0, 0, 13]
      return Texture(
        fileName: "a.png", encoding: .png,
        bytes: head + Array("IHDR".utf8) + size + size + [8, 6, 0, 0, 0, 0, 0, 0, 0])
    }
    func isAllowed(_ sides: UInt32...) -> Bool {
      do {
        try budget.spend(on: sides.map(png))
        return true
      } catch {
        return false
      }
    }
    #expect(!isAllowed(10_000))
    for _ in 0..<4 { #expect(isAllowed(8192, 16)) }
    #expect(!isAllowed(16))
  }

  @Test func `two maps of OBJ become one, of the larger one's size`() throws {
    let folder = try TemporaryFolder()
    func gray(_ side: Int, _ values: [UInt8]) throws -> [UInt8] {
      try TextureRaster(
        size: SIMD2(side, side), pixels: values.map { SIMD4<UInt8>($0, $0, $0, 255) }
      )
      .encoded(as: .png, quality: 100)
    }
    try folder.write("rough.png", gray(2, [10, 20, 30, 40]))
    try folder.write("metal.png", gray(1, [200]))
    try folder.write(
      "a.mtl",
      """
      newmtl both
      map_Pr rough.png
      map_Pm metal.png
      newmtl rough
      Pm 0
      Pr 0.3
      map_Pr rough.png
      newmtl metal
      Pr 0.25
      map_Pm metal.png
      newmtl shining
      map_Ke -s 2 2 rough.png
      map_Kd metal.png
      """)
    let uses = ["both", "rough", "metal", "shining"].map { "usemtl \($0)\nf 1/1 2/1 3/1\n" }
    let reading = try Reading(
      folder.write(
        "a.obj", "mtllib a.mtl\nv 0 0 0\nv 1 0 0\nv 1 1 0\nvt 0 0\n" + uses.joined()))
    let materials = reading.scene.materials
    #expect(materials.map(\.metallic) == [1, 0, 1, 0])
    #expect(materials.map(\.roughness) == [1, 1, 0.25, 1])
    #expect(
      try pixels(materials[0].metallicRoughnessTexture, of: reading.scene)
        == [10, 20, 30, 40].map { (code: UInt8) in SIMD4<UInt8>(0, code, 200, 255) })
    // Taken as it is: nothing looks at its blue.
    let rough = try #require(materials[1].metallicRoughnessTexture)
    #expect(reading.scene.textures[rough].fileName == "rough.png")
    #expect(
      try pixels(materials[2].metallicRoughnessTexture, of: reading.scene)
        == [SIMD4(0, 255, 200, 255)])
    #expect(materials[3].emissive == SIMD3(1, 1, 1))
    #expect(
      reading.warnings == [
        "a.mtl: 'rough.png' of 'shining' has another scale or offset than 'metal.png', which is "
          + "taken for both"
      ])
  }

  @Test func `an unreadable map is told, and leaves no metal`() throws {
    let folder = try TemporaryFolder()
    for name in ["rough.png", "metal.png"] { try folder.write(name, [0x89, 0x50, 0x4E, 0x47]) }
    try folder.write("a.mtl", "newmtl a\nmap_Pr rough.png\nmap_Pm metal.png\n")
    let reading = try Reading(
      folder.write(
        "a.obj", "mtllib a.mtl\nv 0 0 0\nv 1 0 0\nv 1 1 0\nvt 0 0\nusemtl a\nf 1/1 2/1 3/1\n"))
    #expect(reading.scene.materials[0].metallicRoughnessTexture == nil)
    #expect(reading.scene.materials[0].metallic == 0)
    let warning = try #require(reading.warnings.first)
    #expect(warning.hasPrefix("a.mtl: the roughness and metalness of 'a' are left out: "))
  }
}
