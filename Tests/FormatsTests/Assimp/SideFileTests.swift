import Foundation
import MeshPipeline
import MeshTestSupport
import Testing

@testable import Formats

/// Models that name files outside their folder; strace tells what was really opened.
@Suite(.neverHangs)
struct SideFileTests {
  private static let strace = ["/usr/bin/strace", "/bin/strace"].first {
    FileManager.default.isExecutableFile(atPath: $0)
  }

  private let folder: TemporaryFolder

  init() throws {
    AssimpWorker.executable = Program.meshpipe
    folder = try TemporaryFolder()
    try FileSystem.createFolder(folder.path + "/inside")
    try write("newmtl secret\nKd 0.125 0.25 0.5\n", to: "outside.mtl")
    try Data(SceneFixtures.picture).write(to: URL(filePath: folder.path + "/outside.png"))
    try Data(count: 36).write(to: URL(filePath: folder.path + "/outside.bin"))
    try write("FORM", to: "outside.lwo")
    try write("vertices by the million", to: "outside.off")
    try FileManager.default.createSymbolicLink(
      atPath: folder.path + "/inside/link.png", withDestinationPath: "../outside.png")
  }

  private func write(_ text: String, to name: String) throws {
    try text.write(toFile: folder.path + "/" + name, atomically: true, encoding: .utf8)
  }

  /// A COLLADA file whose picture is at `path`.
  private func writeCOLLADA(_ name: String, picture path: String) throws {
    try COLLADA.write(
      SceneFixtures.room, to: OutputSet(folder: folder.path + "/inside", mainFileName: name),
      in: WritingContext())
    let file = folder.path + "/inside/" + name
    let picture = String(name.dropLast(4)) + "_wall-paper.png"
    let text = try String(contentsOfFile: file, encoding: .utf8)
    #expect(text.contains(picture))
    try text.replacingOccurrences(of: picture, with: path)
      .write(toFile: file, atomically: true, encoding: .utf8)
    try FileSystem.removeFile(folder.path + "/inside/" + picture)
  }

  private func writeModels() throws -> [String] {
    let face = "v 0 0 0\nv 1 0 0\nv 0 1 0\nvt 0 0\nusemtl a\nf 1/1 2/1 3/1\n"
    try write("mtllib ../outside.mtl\n" + face, to: "inside/library.obj")
    try write("mtllib \(folder.path)/outside.mtl\n" + face, to: "inside/absolute.obj")
    try write("newmtl a\nmap_Kd ../outside.png\n", to: "inside/picture.mtl")
    try write("mtllib picture.mtl\n" + face, to: "inside/picture.obj")
    try write("newmtl a\nmap_Kd link.png\n", to: "inside/link.mtl")
    try write("mtllib link.mtl\n" + face, to: "inside/link.obj")
    try write(gltf(buffer: "../outside.bin", image: "../outside.png"), to: "inside/up.gltf")
    try write(
      gltf(buffer: "%2e%2e/outside.bin", image: "link.png"), to: "inside/escaped.gltf")
    try writeCOLLADA("up.dae", picture: "../outside.png")
    try writeCOLLADA("absolute.dae", picture: folder.path + "/outside.png")
    try writeCOLLADA("link.dae", picture: "link.png")
    try write("LWSC\n3\n\nLoadObject ../outside.lwo\nShowObject 8 7\n", to: "inside/scene.lws")
    return [
      "library.obj", "absolute.obj", "picture.obj", "link.obj", "up.gltf", "escaped.gltf", "up.dae",
      "absolute.dae", "link.dae", "scene.lws",
    ]
  }

  private func gltf(buffer: String, image: String) -> String {
    """
    {"asset":{"version":"2.0"},"scene":0,"scenes":[{"nodes":[0]}],"nodes":[{"mesh":0}],
    "meshes":[{"primitives":[{"attributes":{"POSITION":0},"material":0}]}],
    "materials":[{"pbrMetallicRoughness":{"baseColorTexture":{"index":0}}}],
    "textures":[{"source":0}],"images":[{"uri":"\(image)"}],
    "accessors":[{"bufferView":0,"componentType":5126,"count":3,"type":"VEC3",
    "min":[0,0,0],"max":[0,0,0]}],
    "bufferViews":[{"buffer":0,"byteLength":36}],"buffers":[{"byteLength":36,"uri":"\(buffer)"}]}
    """
  }

  @Test(.enabled(if: strace != nil, "needs strace"))
  func `nothing outside the folder of a model is opened`() throws {
    let strace = try #require(Self.strace)
    for model in try writeModels() {
      let log = folder.path + "/log"
      _ = try Program.run(
        strace,
        [
          "-f", "-y", "-e", "trace=open,openat,openat2", "-o", log, Program.meshpipe, "info",
          "\(folder.path)/inside/\(model)",
        ])
      // With -y a descriptor is shown with the real path of what it is open on.
      let opened = try String(contentsOfFile: log, encoding: .utf8).split(separator: "\n")
        .filter { $0.contains(try! Regex("\\) = [0-9]+<")) }
      let targets = opened.compactMap { $0.split(separator: " = ").last }
      #expect(targets.contains { $0.contains("/inside/\(model)>") }, "\(model) was not opened")
      #expect(!targets.contains { $0.contains("/outside.") }, "\(model)")
    }
  }

  @Test func `a picture outside the folder is left out, one inside is taken`() throws {
    try writeCOLLADA("up.dae", picture: "../outside.png")
    try writeCOLLADA("link.dae", picture: "link.png")
    for name in ["up.dae", "link.dae"] {
      let context = ReadingContext()
      let scene = try COLLADA.read("\(folder.path)/inside/\(name)", in: context)
      #expect(scene.textures.isEmpty)
      #expect(context.openedFiles.isEmpty)
    }
    try Data(SceneFixtures.picture).write(to: URL(filePath: folder.path + "/inside/here.png"))
    try writeCOLLADA("here.dae", picture: "here.png")
    let context = ReadingContext()
    let scene = try COLLADA.read("\(folder.path)/inside/here.dae", in: context)
    #expect(scene.textures.map(\.bytes) == [SceneFixtures.picture])
    #expect(context.openedFiles.map { FileSystem.name(of: $0) } == ["here.png"])
  }

  @Test func `a picture outside the folder is taken when that is allowed`() throws {
    try writeCOLLADA("up.dae", picture: "../outside.png")
    let scene = try COLLADA.read(
      "\(folder.path)/inside/up.dae", in: ReadingContext(allowsExternalFiles: true))
    #expect(scene.textures.map(\.bytes) == [SceneFixtures.picture])
  }
}
