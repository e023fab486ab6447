import Foundation
import MeshPipeline
import MeshTestSupport
import Testing

@testable import Formats
@testable import NativeLibraries

@Suite(.neverHangs)
struct AssimpReadingTests {
  private let folder: TemporaryFolder

  init() throws {
    AssimpWorker.executable = Program.meshpipe
    folder = try TemporaryFolder()
  }

  private func read(_ name: String) throws -> Scene {
    let path = "\(folder.path)/\(name)"
    let format = try #require(FormatRegistry(builtInFormats).reader(forPath: path))
    return try format.read(path, in: ReadingContext())
  }

  private func write(_ text: String, to name: String) throws {
    try text.write(toFile: "\(folder.path)/\(name)", atomically: true, encoding: .utf8)
  }

  /// A box of 4 m by 3 m by 2.5 m whose low corner is (0, -3, -1) in Blender's world.
  private let boxInBlender = """
    import bpy, bmesh, sys
    bpy.ops.wm.read_factory_settings(use_empty=True)
    mesh = bpy.data.meshes.new("wall"); thing = bpy.data.objects.new("wall", mesh)
    bpy.context.collection.objects.link(thing)
    body = bmesh.new(); bmesh.ops.create_cube(body, size=1.0)
    for v in body.verts:
        v.co = ((v.co.x + .5) * 4, (v.co.y + .5) * 3 - 3, (v.co.z + .5) * 2.5 - 1)
    body.to_mesh(mesh)
    material = bpy.data.materials.new("Plaster"); material.use_nodes = True
    surface = material.node_tree.nodes["Principled BSDF"]
    surface.inputs["Base Color"].default_value = (.5, .25, .125, 1)
    mesh.materials.append(material)
    folder = sys.argv[1]
    bpy.ops.export_scene.fbx(filepath=folder + "/default.fbx")
    bpy.ops.export_scene.fbx(filepath=folder + "/upright.fbx", axis_up="Z", axis_forward="Y")
    bpy.ops.export_scene.fbx(filepath=folder + "/scaled.fbx", apply_scale_options="FBX_SCALE_ALL")
    bpy.ops.export_scene.fbx(filepath=folder + "/baked.fbx", bake_space_transform=True)
    bpy.ops.wm.collada_export(filepath=folder + "/default.dae")
    """

  @Test(.needs("bpy")) func `what Blender exports arrives upright and at true scale`() throws {
    try write(boxInBlender, to: "box.py")
    let blender = try Program.run(Checkers.python, ["\(folder.path)/box.py", folder.path])
    guard blender.status == 0 else { throw ProgramFailure(blender) }
    for name in ["default.fbx", "upright.fbx", "scaled.fbx", "baked.fbx", "default.dae"] {
      var scene = try read(name)
      scene.apply(scene.coordinateSystem.transform(to: .blender))
      #expect((scene.bounds.minimum - SIMD3(0, -3, -1)).length < 1e-5, "\(name)")
      #expect((scene.bounds.maximum - SIMD3(4, 0, 1.5)).length < 1e-5, "\(name)")
      #expect(scene.vertexCount == 8, "\(name): welded to the corners of a box")
      #expect(scene.faceCount == 12, "\(name)")
      #expect(scene.meshes.map(\.name) == ["wall"], "\(name)")
      #expect(scene.meshes[0].classes?.presentNames == ["wall"], "\(name)")
      #expect(scene.meshes[0].cornerNormals?.count == 36, "\(name): hard edges stay hard")
      #expect(scene.materials.map(\.name) == ["Plaster"], "\(name)")
      #expect(scene.materials[0].baseColor == SIMD4(0.5, 0.25, 0.125, 1), "\(name)")
    }
  }

  @Test(arguments: ["dae", "x3d"], [String.Encoding.utf16LittleEndian, .utf16BigEndian])
  func `XML in UTF-16 is read as in UTF-8`(id: String, encoding: String.Encoding) throws {
    let writer = try #require(FormatRegistry(builtInFormats).writer(id: id))
    let output = OutputSet(folder: folder.path, mainFileName: "plain.\(id)")
    try writer.write(Scene(meshes: [MeshFixtures.cube]), to: output, in: WritingContext())
    let text = try String(contentsOfFile: output.mainPath, encoding: .utf8)
      .replacing("utf-8", with: "utf-16").replacing("UTF-8", with: "UTF-16")
    let mark = "\u{FEFF}"
    let wide = try #require((mark + text).data(using: encoding))
    try wide.write(to: URL(filePath: "\(folder.path)/wide.\(id)"))
    let (plain, found) = (try read("plain.\(id)"), try read("wide.\(id)"))
    #expect(found.meshes.map(\.positions) == plain.meshes.map(\.positions))
    #expect(found.faceCount == 12)
  }

  @Test(.needsShared("formats/fbx-old"))
  func `FBX of before 2011 is told with the programs that save a newer one`() throws {
    let samples = try #require(Checkout.shared("formats/fbx-old"))
    let files = try FileManager.default.contentsOfDirectory(atPath: samples)
      .filter { $0.hasSuffix(".fbx") }
    #expect(files.count == 3)
    for file in files {
      let error = #expect(throws: WorkerError.self) {
        try FBX.read("\(samples)/\(file)", in: ReadingContext())
      }
      #expect(error?.message.contains("FBX from before version 7 (2011)") == true)
    }
  }

  @Test func `a file that is none is an error with its name and Assimp's words`() throws {
    for name in ["a.fbx", "a.dae", "a.3ds", "a.x3d", "a.x", "a.assbin", "a.blend"] {
      try write("This is a letter, not a model.\n", to: name)
      let error = #expect(throws: WorkerError.self) { try read(name) }
      #expect(error?.exitCode == .data, "\(name)")
      #expect(error?.message.contains(name) == true)
    }
  }

  @Test func `an empty file is an error`() throws {
    for name in ["a.fbx", "a.dae", "a.3ds"] {
      try write("", to: name)
      let error = #expect(throws: WorkerError.self) { try read(name) }
      #expect(error?.exitCode == .data, "\(name)")
    }
  }

  @Test(arguments: BuiltInFormats.ofAssimp.map { $0.id })
  func `damaged files give a scene or an error about the file`(id: String) throws {
    let registry = FormatRegistry(builtInFormats)
    let writer = try #require(registry.writer(id: id))
    let reader = try #require(registry.reader(id: id))
    let output = OutputSet(folder: folder.path, mainFileName: "whole.\(id)")
    try writer.write(SceneFixtures.room, to: output, in: WritingContext())
    let whole = try FileSystem.contents(of: output.mainPath)
    var generator = SeededGenerator(seed: 5)
    let path = "\(folder.path)/damaged.\(id)"
    for round in 0..<8 {
      var bytes = whole
      if round.isMultiple(of: 4) {
        bytes.removeLast(Int.random(in: 1..<whole.count, using: &generator))
      } else {
        for _ in 0..<1 << round {
          bytes[Int.random(in: 0..<whole.count, using: &generator)] = UInt8.random(
            in: 0...255, using: &generator)
        }
      }
      try Data(bytes).write(to: URL(filePath: path))
      do {
        let scene = try reader.read(path, in: ReadingContext())
        for mesh in scene.meshes { try mesh.validate(materialCount: scene.materials.count) }
      } catch let error as any UserError {
        #expect([.data, .temporary].contains(error.exitCode), "\(error.message)")
        #expect(error.message.contains(path))
      }
    }
  }
}
