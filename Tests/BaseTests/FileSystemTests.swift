import Foundation
import MeshTestSupport
import MeshpipeBase
import Testing

struct FileSystemTests {
  @Test func `a writer puts out exactly what it was given, in order`() throws {
    let folder = try TemporaryFolder()
    let writer = try FileWriter(creating: folder.path + "/file")
    var expected: [UInt8] = []
    for round in 0..<200 {
      let bytes = [UInt8](repeating: UInt8(round), count: round * round * 7)
      try writer.write(bytes)
      try writer.write("line \(round)\n")
      try writer.write(UInt32(round))
      try writer.write(elements: [Float(round), -1])
      expected += bytes + Array("line \(round)\n".utf8)
      withUnsafeBytes(of: UInt32(round).littleEndian) { expected += $0 }
      withUnsafeBytes(of: (Float(round), Float(-1))) { expected += $0 }
    }
    try writer.finish()
    #expect(writer.byteCount == expected.count)
    #expect(try FileSystem.contents(of: folder.path + "/file") == expected)
  }

  @Test(.enabled(if: FileManager.default.fileExists(atPath: "/dev/full")))
  func `a full disk is an input/output error that names the file`() throws {
    let writer = try FileWriter(creating: "/dev/full")
    try writer.write("something")
    let error = #expect(throws: FileError.self) { try writer.finish() }
    #expect(error?.message == "/dev/full: can't write: no space left on device")
    #expect(error?.exitCode == .inputOutput)
  }

  @Test func `a file in a folder that is not there can't be created`() {
    let error = #expect(throws: FileError.self) { _ = try FileWriter(creating: "/nowhere/at/all") }
    #expect(error?.message == "/nowhere/at/all: can't create: no such file or directory")
    #expect(error?.exitCode == .cannotCreate)
  }

  @Test func `a cancelled run stops its writers`() throws {
    let folder = try TemporaryFolder()
    let cancellation = Cancellation()
    let writer = try FileWriter(creating: folder.path + "/file", in: cancellation)
    cancellation.request()
    #expect(throws: Cancelled.self) { try writer.write([UInt8](repeating: 0, count: 1 << 20)) }
  }

  @Test func `folders are made with those above, listed in order and removed with what is inside`()
    throws
  {
    let folder = try TemporaryFolder()
    try FileSystem.createFolder(folder.path + "/a/b/c")
    try FileSystem.createFolder(folder.path + "/a/b/c")
    for name in ["z", "y", "ä"] {
      try FileWriter(creating: folder.path + "/a/b/" + name).finish()
    }
    #expect(symlink("/etc", folder.path + "/a/b/link") == 0)
    #expect(try FileSystem.names(inFolder: folder.path + "/a/b") == ["c", "link", "y", "z", "ä"])
    try FileSystem.removeFolder(folder.path + "/a")
    #expect(try FileSystem.status(of: folder.path + "/a") == nil)
    #expect(try FileSystem.status(of: "/etc")?.isFolder == true)
  }

  @Test func `folders that a killed process left are removed, those of living ones stay`() throws {
    let folder = try TemporaryFolder()
    let living = try PrivateFolder(in: folder.path, prefix: ".made-")
    let left = try FileSystem.createPrivateFolder(prefix: folder.path + "/.made-")
    try FileWriter(creating: left + "/half").finish()
    let unclaimed = try FileSystem.createPrivateFolder(prefix: folder.path + "/.made-new-")
    let other = try FileSystem.createPrivateFolder(prefix: folder.path + "/.made-by-hand-")
    let open = folder.path + "/.made-ABCDEF"
    try FileSystem.createFolder(open)
    PrivateFolder.removeLeft(in: folder.path, prefix: ".made-")
    #expect(try FileSystem.status(of: living.path) != nil)
    #expect(try FileSystem.status(of: left) == nil)
    // It may be about to be claimed.
    #expect(try FileSystem.status(of: unclaimed) != nil)
    #expect(try FileSystem.status(of: other) != nil)
    // Others may enter it: none of ours.
    #expect(try FileSystem.status(of: open) != nil)
  }

  @Test(.enabled(if: FileManager.default.fileExists(atPath: "/dev/full")))
  func `what another program could not write is told from what it wrote wrongly`() throws {
    let folder = try TemporaryFolder()
    let path = try folder.write("file", "half a mod")
    try FileSystem.requireRoom(at: path)
    let full = #expect(throws: FileError.self) { try FileSystem.requireRoom(at: "/dev/full") }
    #expect(full?.exitCode == .inputOutput)
    let gone = #expect(throws: FileError.self) {
      try FileSystem.requireRoom(at: folder.path + "/gone/file")
    }
    #expect(gone?.exitCode == .cannotCreate)
  }

  @Test func `texts for terminals keep their lines and lose commands`() {
    #expect(
      "a\tb\nc\u{1B}[2J\u{9B}é\u{7F}".withoutTerminalCommands
        == "a\tb\nc\u{FFFD}[2J\u{FFFD}é\u{FFFD}")
    #expect("a\nb".withoutControlCharacters == "a\u{FFFD}b")
    let latin1 = String(systemPath: Array("caf".utf8) + [0xE9])
    #expect(latin1.withoutTerminalCommands == "caf\\xE9")
  }

  @Test func `a file is itself under every name`() throws {
    let folder = try TemporaryFolder()
    try FileWriter(creating: folder.path + "/file").finish()
    #expect(symlink("file", folder.path + "/link") == 0)
    let file = try FileSystem.status(of: folder.path + "/file")
    let link = try FileSystem.status(of: folder.path + "/link")
    #expect(file?.identity == link?.identity)
    #expect(file?.isRegularFile == true)
    #expect(file?.size == 0)
    #expect(
      FileSystem.canonicalPath(of: folder.path + "/./link")
        == FileSystem.canonicalPath(of: folder.path + "/file"))
    try FileSystem.rename(folder.path + "/file", to: folder.path + "/other")
    #expect(try FileSystem.status(of: folder.path + "/link") == nil)
  }

  @Test func `a folder that can't be read to its end is an error`() {
    let fault = #expect(throws: FileError.self) {
      try FileSystem.names(inFolder: "out") {
        errno = EIO
        return nil
      }
    }
    #expect(fault?.message.hasPrefix("out: can't read: ") == true)
    #expect(fault?.exitCode == .inputOutput)
    #expect(throws: Never.self) { try FileSystem.names(inFolder: "out") { nil } }
  }

  @Test func `paths fall into folder and name`() {
    #expect(FileSystem.folder(of: "a/b/c.obj") == "a/b")
    #expect(FileSystem.folder(of: "/c.obj") == "/")
    #expect(FileSystem.folder(of: "c.obj") == ".")
    #expect(FileSystem.name(of: "a/b/c.obj") == "c.obj")
  }
}
