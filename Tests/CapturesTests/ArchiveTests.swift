import Captures
import MeshPipeline
import MeshTestSupport
import NativeLibraries
import Testing

struct ArchiveTests {
  private func unpack(
    _ tar: Tar, limits: ArchiveReader.Limits = ArchiveReader.Limits()
  ) throws -> TemporaryFolder {
    let folder = try TemporaryFolder()
    let path = try folder.write("in.tar", tar.finished)
    try FileSystem.createFolder(folder.path + "/out")
    try CaptureArchive.unpack(path, into: folder.path + "/out", limits: limits)
    return folder
  }

  @Test func `files and folders of a tar come out as they went in`() throws {
    var tar = Tar()
    let long = (0..<700_000).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ $0 >> 9) }
    tar.add("room/", type: "5")
    tar.add("room/a.bin", long)
    tar.add("room/deep/b.txt", Array("b".utf8))
    tar.add("room/empty")
    let folder = try unpack(tar)
    #expect(try FileSystem.contents(of: folder.path + "/out/room/a.bin") == long)
    #expect(try FileSystem.contents(of: folder.path + "/out/room/deep/b.txt") == Array("b".utf8))
    #expect(try FileSystem.status(of: folder.path + "/out/room/empty")?.size == 0)
  }

  @Test(arguments: [
    ("../evil", Character("0"), "leads out"), ("a/../../evil", "0", "leads out"),
    ("/evil", "0", "absolute path"), ("..\\evil", "0", "leads out"), ("C:\\evil", "0", "a drive"),
    ("link", "2", "a link"), ("hard", "1", "a link"), ("null", "3", "neither a file nor a folder"),
    ("pipe", "6", "neither a file nor a folder"),
  ])
  func `an entry that would do harm is refused with the reason`(
    name: String, type: Character, words: String
  ) throws {
    var tar = Tar()
    tar.add("good", [1])
    tar.add(name, type: type, link: type == "0" ? "" : "/etc/passwd")
    let error = try #require(throws: ArchiveError.self) { try unpack(tar) }
    #expect(error.exitCode == .data)
    #expect(error.reason.contains(words), "\(error.reason)")
  }

  @Test func `names that differ by case alone are refused`() throws {
    var tar = Tar()
    tar.add("Mesh.obj", [1])
    tar.add("mesh.obj", [2])
    #expect(throws: ArchiveError.self) { try unpack(tar) }
  }

  @Test func `an archive asks for no more than it may`() throws {
    var tar = Tar()
    for index in 0..<10 { tar.add("\(index)", [UInt8](repeating: 0, count: 100_000)) }
    var limits = ArchiveReader.Limits()
    limits.entries = 9
    #expect(throws: ArchiveError.self) { try unpack(tar, limits: limits) }
    limits = ArchiveReader.Limits()
    limits.bytes = 999_999
    #expect(throws: ArchiveError.self) { try unpack(tar, limits: limits) }
    limits.bytes = 1_000_000
    _ = try unpack(tar, limits: limits)
  }

  @Test func `an archive that is cut off is an error at any length`() throws {
    var tar = Tar()
    tar.add("a", [UInt8](repeating: 5, count: 2000))
    let folder = try TemporaryFolder()
    try FileSystem.createFolder(folder.path + "/out")
    for count in [1, 300, 600, 1500] {
      let path = try folder.write("cut.tar", Array(tar.finished.prefix(count)))
      #expect(throws: ArchiveError.self, "\(count) bytes") {
        try CaptureArchive.unpack(path, into: folder.path + "/out")
      }
    }
  }

  @Test func `archives are told by their names`() {
    #expect(CaptureArchive.stem(of: "a/room.1.tar.gz") == "a/room.1")
    #expect(CaptureArchive.stem(of: "Room.ZIP") == "Room")
    #expect(CaptureArchive.stem(of: "x.r3d") == "x")
    for name in ["room.obj", ".zip", "a/.tar.gz", "zip"] {
      #expect(CaptureArchive.stem(of: name) == nil)
    }
  }
}
