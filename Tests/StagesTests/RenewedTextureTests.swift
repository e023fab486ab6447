import Formats
import Foundation
import MeshPipeline
import MeshTestSupport
import NativeLibraries
import Stages
import Testing

/// Warnings of what is dropped, or can't be written, but is there again without it.
struct RenewedTextureTests {
  /// A textured square with a normal map.
  private func square() throws -> Scene {
    let gray = Image(width: 4, height: 4, filledWith: (128, 128, 255))
    var scene = Scene(
      meshes: [MeshFixtures.sheet(2)], materials: [Material(baseColorTexture: 0, normalTexture: 0)])
    scene.meshes[0].faceMaterials = [UInt32](repeating: 0, count: scene.faceCount)
    scene.textures = [Texture(fileName: "a.png", encoding: .png, bytes: try PNG.encode(gray))]
    return scene
  }

  /// What the stages of a pipeline warn of.
  private func warnings(_ stages: [String], outputs: [String] = [#"{ "path": "a.glb" }"#]) throws
    -> [String]
  {
    let folder = try TemporaryFolder()
    let paths = outputs.map { $0.replacing("\"a.", with: "\"\(folder.path)/a.") }
    let document = PipelineDocument(
      parsing: """
        { "meshpipe": 1, "stages": [ \(stages.joined(separator: ", ")) ],
          "outputs": [ \(paths.joined(separator: ", ")) ] }
        """, file: "test.json")
    let environment = PipelineEnvironment(stages: builtInStages, formats: builtInFormats)
    let pipeline = try document.resolve(in: environment, for: PipelineRequest()).get()
    return try PipelineRunner(pipeline).run(on: try square()).allWarnings
  }

  private static let unwrap = #"{ "id": "flat", "use": "unwrap", "with": { "size": 64 } }"#

  private func bake(_ maps: String, from source: String = "input", _ rest: String = "") -> String {
    #"{ "use": "bake-maps", \#(rest) "with": { "size": 64, "from": "\#(source)", "maps": [\#(maps)] } }"#
  }

  @Test func `textures that a later stage makes again are not missed`() throws {
    let all = bake(#""color", "normal""#)
    #expect(try warnings([Self.unwrap, all]) == [])
    #expect(try warnings([Self.unwrap, #"{ "use": "weld" }"#, all]) == [])
    // USD has no tangents, which follow from what it has.
    #expect(try warnings([Self.unwrap, all], outputs: [#"{ "path": "a.usdz" }"#]) == [])
    // Each in its own stage.
    let apart = [bake(#""color""#), bake(#""normal""#)]
    #expect(try warnings([Self.unwrap] + apart) == [])
  }

  @Test func `textures that are not made again are named`() throws {
    func dropped(_ stages: [String], outputs: [String] = [#"{ "path": "a.glb" }"#]) throws -> String
    {
      let found = try warnings(stages, outputs: outputs).filter { $0.contains("are dropped") }
      #expect(found.count == 1, "\(found)")
      return String(found.first?.prefix { $0 != ")" } ?? "")
    }
    let color = bake(#""color""#)
    let all = bake(#""color", "normal""#)
    #expect(try dropped([Self.unwrap]).hasSuffix("textures (color, normal"))
    #expect(try dropped([Self.unwrap, color]).hasSuffix("textures (normal"))
    // It may not run, or not work.
    let sometimes = bake(#""color", "normal""#, #""when": "faces > 5", "#)
    #expect(try dropped([Self.unwrap, sometimes]).hasSuffix("(color, normal"))
    let optional = bake(#""color", "normal""#, #""onError": "skip", "#)
    #expect(try dropped([Self.unwrap, optional]).hasSuffix("(color, normal"))
    // The dropped ones would be the source.
    #expect(
      try dropped([Self.unwrap, bake(#""color""#, from: "flat")]).hasSuffix("(color, normal"))
    // An output has the scene without them.
    let outputs = [#"{ "path": "a.glb" }"#, #"{ "path": "a.ply", "from": "flat" }"#]
    #expect(try dropped([Self.unwrap, all], outputs: outputs).hasSuffix("(color, normal"))
  }

  @Test func `tangents that follow from coordinates and normals are not missed`() throws {
    let waves = MeshFixtures.sheet(20) { x, _ in 0.02 * sin(20 * x) }
    let baked = try BakeMaps.baked(
      Scene(meshes: [MeshFixtures.sheet(2)]), from: Scene(meshes: [waves]))
    #expect(baked.meshes[0].tangents != nil)
    func warnings(_ scene: Scene) throws -> [String] {
      let folder = try TemporaryFolder()
      let context = WritingContext()
      try USDA.write(
        scene, to: OutputSet(folder: folder.path, mainFileName: "a.usda"), in: context)
      return context.stage.warnings
    }
    #expect(try warnings(baked) == [])
    var brushed = baked
    for corner in 0..<brushed.meshes[0].cornerCount {
      brushed.meshes[0].tangents?[corner] = Tangent(SIMD3(0.6, 0, 0.8), w: 1)
    }
    let lost = try warnings(brushed)
    #expect(lost.count == 1 && lost[0].contains("tangents will be lost"), "\(lost)")
  }
}
