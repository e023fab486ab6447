import Foundation
import MeshPipeline
import MeshTestSupport
import Testing

@testable import Formats

struct WritingTests {
  @Test(arguments: BuiltInFormats.native.map { $0.id })
  func `the same scene gives the same bytes`(id: String) throws {
    let format = try #require(FormatRegistry(builtInFormats).writer(id: id))
    let folders = [try TemporaryFolder(), try TemporaryFolder()]
    for folder in folders {
      try format.write(
        SceneFixtures.room, to: OutputSet(folder: folder.path, mainFileName: "a b.\(id)"),
        in: WritingContext())
    }
    let names = try FileSystem.names(inFolder: folders[0].path)
    #expect(names.contains("a b.\(id)"))
    #expect(try FileSystem.names(inFolder: folders[1].path) == names)
    for name in names {
      #expect(
        try FileSystem.contents(of: folders[0].path + "/" + name)
          == FileSystem.contents(of: folders[1].path + "/" + name))
    }
  }

  @Test(arguments: BuiltInFormats.native.map { $0.id })
  func `the bytes do not depend on the number of threads`(id: String) throws {
    let format = try #require(FormatRegistry(builtInFormats).writer(id: id))
    // Large enough for several chunks of every kind.
    let scene = Scene(meshes: [MeshFixtures.grid(columns: 130, rows: 140)])
    func bytes() throws -> [UInt8] {
      let folder = try TemporaryFolder()
      let output = OutputSet(folder: folder.path, mainFileName: "x.\(id)")
      try format.write(scene, to: output, in: WritingContext())
      return try FileSystem.contents(of: output.mainPath)
    }
    let one = try Parallel.withThreads(1, bytes)
    let eight = try Parallel.withThreads(8, bytes)
    #expect(eight == one)
  }

  /// Those that write one file: others would write beside it.
  @Test(
    .enabled(if: FileManager.default.fileExists(atPath: "/dev/full")),
    arguments: ["glb", "ply", "stl", "obj", "3mf", "off", "meshscene", "xyz", "pts", "las", "pcd"])
  func `a full disk is an error, never a file cut short`(id: String) throws {
    let format = try #require(FormatRegistry(builtInFormats).writer(id: id))
    let output = OutputSet(folder: "/dev", mainFileName: "full")
    let error = #expect(throws: FileError.self) {
      try format.write(Scene(meshes: [MeshFixtures.cube]), to: output, in: WritingContext())
    }
    #expect(error?.exitCode == .inputOutput)
  }
}
