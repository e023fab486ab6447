import Batch
import MeshPipeline
import MeshTestSupport
import NativeLibraries
import Testing

struct OutputArchiveTests {
  let fixtures: ItemFixtures

  init() throws { fixtures = try ItemFixtures() }

  private func assemble(
    _ names: [String], keeping: @escaping (String) -> Bool = { _ in false }, to name: String
  ) throws {
    try fixtures.write(names.map { "spool/\($0)" })
    try OutputArchive.assemble(
      names.map { OutputArchive.Entry(name: $0, file: fixtures.path("spool/\($0)")) },
      keeping: keeping, from: fixtures.path(name), to: fixtures.path(name))
  }

  private func contents(_ name: String) throws -> [String: String] {
    let reader = try ArchiveReader(fixtures.path(name))
    var result: [String: String] = [:]
    while let entry = try reader.next() {
      var bytes: [UInt8] = []
      try reader.forEachBlock { bytes += $0 }
      result[entry.name] = String(decoding: bytes, as: UTF8.self)
    }
    return result
  }

  @Test(arguments: ["o.zip", "o.tar", "o.tar.gz", "o.tar.xz", "o.tar.zst", "o.7z", "o.tar.bz2"])
  func `files go into an archive whose bytes don't depend on their order`(name: String) throws {
    try assemble(["b.glb", "a/c.glb", "a.png"], to: name)
    #expect(
      try contents(name) == [
        "b.glb": "spool/b.glb", "a/c.glb": "spool/a/c.glb", "a.png": "spool/a.png",
      ])
    let first = try FileSystem.contents(of: fixtures.path(name))
    try FileSystem.removeFile(fixtures.path(name))
    try assemble(["a.png", "b.glb", "a/c.glb"], to: name)
    #expect(try FileSystem.contents(of: fixtures.path(name)) == first)
    #expect(try FileSystem.names(inFolder: fixtures.path("")).sorted() == [name, "spool"])
  }

  @Test(arguments: ["o.zip", "o.tar.zst"])
  func `entries that stay make the same bytes as new ones`(name: String) throws {
    try assemble(["a.glb", "b.glb", "c.glb", "d.glb"], to: name)
    let whole = try FileSystem.contents(of: fixtures.path(name))
    try FileSystem.removeFile(fixtures.path(name))
    try assemble(["b.glb", "d.glb", "old.glb"], to: name)
    try assemble(["a.glb", "c.glb"], keeping: { $0 != "old.glb" }, to: name)
    #expect(try FileSystem.contents(of: fixtures.path(name)) == whole)
  }

  @Test func `entries of an archive in any order may stay`() throws {
    try fixtures.archive("o.tar", ["z.glb", "a.glb"])
    try assemble(["m.glb", "a.glb"], keeping: { _ in true }, to: "o.tar")
    #expect(
      try contents("o.tar") == ["a.glb": "spool/a.glb", "m.glb": "spool/m.glb", "z.glb": "z.glb"])
  }

  @Test func `an archive that would not change is left untouched`() throws {
    try assemble(["a.glb"], to: "o.zip")
    let before = try FileSystem.status(of: fixtures.path("o.zip"))
    try assemble(["a.glb"], to: "o.zip")
    #expect(try FileSystem.status(of: fixtures.path("o.zip")) == before)
  }

  @Test func `two outputs of one name are an error, and nothing is left behind`() throws {
    let error = #expect(throws: BatchItem.Fault.self) {
      try assemble(["a.glb", "a.glb"], to: "o.zip")
    }
    #expect(error?.exitCode == .cannotCreate)
    #expect(try FileSystem.names(inFolder: fixtures.path("")) == ["spool"])
  }

  @Test(arguments: ["../a.glb", "/a.glb", "a//b.glb", "", "a/./b.glb"])
  func `a name that leads out of the archive is refused`(name: String) throws {
    try fixtures.write(["a.glb"])
    #expect(throws: BatchItem.Fault.self) {
      try OutputArchive.assemble(
        [OutputArchive.Entry(name: name, file: fixtures.path("a.glb"))],
        to: fixtures.path("o.zip"))
    }
  }

  @Test func `the output says which archive and what in it`() {
    let output = OutputArchive("out/all.tar.zst:{folder}/{stem}.glb")
    #expect(output?.path == "out/all.tar.zst")
    #expect(output?.template == "{folder}/{stem}.glb")
    for text in ["out/{stem}.glb", "out.zip", "out.zip:", "a:b/c.glb", "out.zip:/x.glb"] {
      #expect(OutputArchive(text) == nil, "\(text)")
    }
  }
}
