import Foundation
import MeshPipeline
import MeshTestSupport
import Testing

@testable import Formats

/// What other programs find in the files of every format that is written.
struct WrittenFilesInOtherProgramsTests {
  init() { AssimpWorker.executable = Program.meshpipe }

  private static let formats = builtInFormats.compactMap { $0 as? any WritableFormat.Type }

  /// The room as ARKit gives it, and turned for Blender; both are the same room.
  private static let scenes: [(name: String, scene: Scene)] = {
    var turned = SceneFixtures.room
    turned.apply(turned.coordinateSystem.transform(to: .blender))
    turned.coordinateSystem = .blender
    return [("y-up", SceneFixtures.room), ("z-up", turned)]
  }()

  private struct Written {
    var path: String
    var format: any WritableFormat.Type
    var scene: Scene
    var warnings: [String]
  }

  private func writeAll(
    to folder: TemporaryFolder, where isWanted: (any WritableFormat.Type) -> Bool
  ) throws -> [Written] {
    try Self.scenes.flatMap { name, scene in
      try Self.formats.filter(isWanted).map { format in
        let file = "\(name) \(format.id).\(format.extensions[0])"
        let context = WritingContext()
        try format.write(
          scene, to: OutputSet(folder: folder.path, mainFileName: file), in: context)
        return Written(
          path: folder.path + "/" + file, format: format, scene: scene,
          warnings: context.stage.warnings)
      }
    }
  }

  @Test(.needs("bpy"))
  func `Blender shows the room upright and at its size, or the writer has warned`() throws {
    let importable: Set = [
      "glb", "gltf", "obj", "ply", "stl", "fbx", "dae", "usda", "usdc", "usdz",
    ]
    let folder = try TemporaryFolder()
    let files = try writeAll(to: folder) { importable.contains($0.extensions[0]) }
    let views = try BlenderView.opening(files.map(\.path))
    for (file, view) in zip(files, views) {
      let comment = Comment("\(file.path)")
      #expect(view.faces == 112, comment)
      // Blender takes neither pictures nor lists of texture coordinates from PLY.
      if file.format.keeps.contains(.textures), file.format.id != "ply" {
        #expect(view.images.count == 1, comment)
      }
      if case .undeclared(let usual) = file.format.axes, usual.up != file.scene.coordinateSystem.up
      {
        #expect(file.warnings.contains { $0.contains("choose the axes") }, comment)
        continue
      }
      for (found, expected) in zip(view.low ?? [], [0.0, -3, -1]) {
        #expect(abs(found - expected) < 1e-4, comment)
      }
      for (found, expected) in zip(view.high ?? [], [4.0, 0, 1.5]) {
        #expect(abs(found - expected) < 1e-4, comment)
      }
      // Floor and table look up, the floor is the larger one; the wall looks out of the room's back.
      #expect(abs((view.facing["+z"]?.area ?? 0) - 13.5) < 1e-3, comment)
      #expect(abs((view.facing["+z"]?.place ?? 0) + 1) < 1e-4, comment)
      #expect(abs((view.facing["-y"]?.area ?? 0) - 10) < 1e-3, comment)
    }
  }

  @Test(.needs("bpy"))
  func `classes are materials in Blender, also of a scan that has none`() throws {
    let folder = try TemporaryFolder()
    let importable: Set = ["glb", "gltf", "obj", "fbx", "dae", "usda", "usdc", "usdz"]
    let formats = Self.formats.filter { importable.contains($0.extensions[0]) }
    let paths = try formats.map { format in
      let file = "x_\(format.id).\(format.extensions[0])"
      try format.write(
        SceneFixtures.classifiedRoom, to: OutputSet(folder: folder.path, mainFileName: file),
        in: WritingContext())
      return folder.path + "/" + file
    }
    for (path, view) in zip(paths, try BlenderView.opening(paths)) {
      #expect(view.materials == ["floor", "table", "wall"], "\(path)")
    }
  }

  @Test(.needs("trimesh"))
  func `trimesh finds faces, area, materials and pictures`() throws {
    let folder = try TemporaryFolder()
    let importable: Set = ["glb", "gltf", "obj", "ply", "stl"]
    let files = try writeAll(to: folder) { importable.contains($0.id) }
    for (file, view) in zip(files, try ModelView.opening(files.map(\.path))) {
      let comment = Comment("\(file.path)")
      #expect(view.faces == 112, comment)
      #expect(abs(view.area - 23.5) < 1e-4, comment)
      // glTF is always Y-up; the others are as the scene is.
      let isTurned = file.scene.coordinateSystem.up == .z && !file.format.id.hasPrefix("gl")
      #expect(isNear(view.low, isTurned ? [0, -3, -1] : [0, -1, 0]), comment)
      #expect(isNear(view.high, isTurned ? [4, 0, 1.5] : [4, 1.5, 3]), comment)
      guard file.format.id != "stl" else { continue }
      let textured = view.meshes.filter { $0.picture == [2, 2] }
      #expect(textured.map(\.faces).reduce(0, +) == (file.format.id == "ply" ? 112 : 104), comment)
      let places = try #require(textured.first?.uvBounds)
      #expect(places[0][1] == 0 && places[1][1] == 0.75, comment)
    }
  }

  private func isNear(_ one: [Double], _ other: [Double]) -> Bool {
    zip(one, other).allSatisfy { abs($0 - $1) < 1e-4 }
  }

  private static let assimp = ["/usr/bin/assimp", "/opt/homebrew/bin/assimp"].first {
    FileManager.default.isExecutableFile(atPath: $0)
  }

  @Test(.enabled(if: assimp != nil, "needs the command of Assimp"))
  func `Assimp reads every face of the native formats that it knows`() throws {
    let assimp = try #require(Self.assimp)
    let folder = try TemporaryFolder()
    let importable: Set = ["glb", "gltf", "obj", "ply", "stl", "3mf", "off"]
    for file in try writeAll(to: folder, where: { importable.contains($0.id) }) {
      let result = try Program.run(assimp, ["info", file.path])
      #expect(result.status == 0, "\(file.path)")
      let faces = result.output.split(separator: "\n").first { $0.hasPrefix("Faces:") }
      #expect(faces?.split(separator: " ").last == "112", "\(file.path)")
    }
  }
}
