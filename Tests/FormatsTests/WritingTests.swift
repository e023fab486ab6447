import Foundation
import MeshPipeline
import MeshTestSupport
import Testing

@testable import Formats

struct WritingTests {
  @Test(arguments: ["glb", "gltf", "obj", "ply", "stl"])
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
}
