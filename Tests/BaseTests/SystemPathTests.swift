import Foundation
import MeshTestSupport
import MeshpipeBase
import Testing

/// Names of files are any bytes on Linux.
struct SystemPathTests {
  /// Latin-1, halves of characters, characters that stand for bytes, and what is between the planes.
  @Test(arguments: [
    Array("plain ä 😀".utf8), [0x63, 0xE9], [0xC3], [0x61, 0xE2, 0x82], [0xF4, 0x8F, 0x9F, 0xA9],
    [0xED, 0xA0, 0x80], [0xFF, 0xFE, 0x2F, 0x80], [0xF4, 0x90, 0x80, 0x80], [0xC0, 0x80], [],
  ])
  func `every name is itself again`(bytes: [UInt8]) {
    let text = String(systemPath: bytes)
    #expect(text.systemBytes == bytes)
    #expect(text.systemPath.dropLast().map { UInt8(bitPattern: $0) } == bytes)
    #expect(String(systemPath: Array("\(text)/\(text)".utf8)).utf8.count >= 2 * bytes.count)
  }

  @Test func `two names are never one`() {
    var names: Set<String> = []
    var random = SeededGenerator(seed: 3)
    var spellings: Set<[UInt8]> = []
    for _ in 0..<2000 {
      let bytes = (0..<Int(random.next() % 5)).map { _ in
        [0x61, 0x80, 0x9F, 0xA9, 0xE9, 0xF4, 0x8F, 0xC3][Int(random.next() % 8)] as UInt8
      }
      spellings.insert(bytes)
      names.insert(String(systemPath: bytes))
    }
    #expect(names.count == spellings.count)
  }

  @Test func `a file is made, found, read and removed under such a name`() throws {
    let folder = try TemporaryFolder()
    let name = String(systemPath: [0x63, 0xE9, 0x2E, 0x74])
    let path = "\(folder.path)/\(name)"
    let writer = try FileWriter(creating: path, in: Cancellation())
    try writer.write("abc")
    try writer.finish()
    #expect(try FileSystem.names(inFolder: folder.path) == [name])
    #expect(try FileSystem.contents(of: path) == Array("abc".utf8))
    #expect(try MappedFile(path: path).count == 3)
    let link = folder.path + "/link"
    #expect(symlink(name.systemPath, link.systemPath) == 0)
    #expect(FileSystem.target(ofLink: link) == name)
    try FileSystem.removeFile(link)
    try FileSystem.rename(path, to: path + "2")
    try FileSystem.removeFile(path + "2")
    #expect(try FileSystem.names(inFolder: folder.path) == [])
  }

  @Test func `it is shown by its bytes, and left out of names in models`() {
    let name = String(systemPath: [0x63, 0xE9])
    #expect(name.withoutControlCharacters == "c\\xE9")
    #expect(name.withoutForeignBytes == "c_")
  }
}
