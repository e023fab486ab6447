import Batch
import MeshPipeline
import MeshTestSupport
import NativeLibraries
import Testing

/// Archives that would do harm, or can't be read: each costs the items concerned, and no others.
struct HostileArchiveTests {
  let fixtures: ItemFixtures

  init() throws { fixtures = try ItemFixtures() }

  private func stage(
    _ name: String, _ bytes: [UInt8], _ change: (inout ItemLimits) -> Void = { _ in }
  ) throws -> [String: String?] {
    try fixtures.folder.write(name, bytes)
    var limits = ItemLimits()
    change(&limits)
    let listing = try fixtures.list([fixtures.path(name)]) { $0.limits = limits }
    let staged = try fixtures.stage(listing, limits: limits)
    #expect(try fixtures.leftovers() == [])
    #expect(Set(staged.map(\.name)).count == staged.count)
    #expect(staged.count == listing.items.count)
    return Dictionary(staged.map { ($0.name, $0.fault) }) { first, _ in first }
  }

  /// What stands outside of the folder that items are staged in.
  private func outside() throws -> [String] {
    try FileSystem.names(inFolder: fixtures.path("")).filter { $0 != "staging" }
  }

  @Test(arguments: [
    ("../evil.obj", Character("0"), "leads out"), ("a/../../evil.obj", "0", "leads out"),
    ("/evil.obj", "0", "absolute path"), ("C:/evil.obj", "0", "a drive"),
    ("..\\evil.obj", "0", "leads out"), ("a\\evil.obj", "0", "a backslash"),
    ("evil\u{7}.obj", "0", "control character"), ("evil\u{1b}[2J.txt", "0", "control character"),
    ("sym.obj", "2", "a link"), ("hard.obj", "1", "a link"), ("null.obj", "3", "neither a file"),
    ("pipe.obj", "6", "neither a file"), ("d/link.txt", "2", "a link"),
  ])
  func `an entry that would do harm costs no other item`(
    name: String, type: Character, words: String
  ) throws {
    var tar = Tar()
    tar.add("good/good.obj", [1])
    tar.add(name, type == "0" ? [2] : [], type: type, link: type == "0" ? "" : "/etc/passwd")
    tar.add("last/good.obj", [3])
    let staged = try stage("in.tar", tar.finished)
    #expect(staged.count == 3)
    #expect(staged["in.tar/last/good.obj"] == .some(nil))
    let faults = staged.values.compactMap { $0 }
    #expect(faults.count == 1 && faults[0].contains(words), "\(staged)")
    #expect(try outside() == ["in.tar"])
  }

  @Test func `a companion that is refused is the fault of its scan`() throws {
    var tar = Tar()
    tar.add("a/x.obj", [1])
    tar.add("a/x.mtl", type: "2", link: "/etc/passwd")
    tar.add("b/x.obj", [1])
    let staged = try stage("in.tar", tar.finished)
    #expect(staged["in.tar/b/x.obj"] == .some(nil))
    #expect(
      staged["in.tar/a/x.obj"] == "in.tar/a/x.obj: 'a/x.mtl' is refused: it is a link")
  }

  @Test(arguments: [
    ("Room.obj", "room.obj"), ("\u{E9}.obj", "e\u{301}.obj"), ("x.obj", "x.obj"),
    ("\u{C9}.obj", "e\u{301}.OBJ"),
  ])
  func `names that are the same to some file system are refused`(
    first: String, second: String
  ) throws {
    var tar = Tar()
    tar.add("a/\(first)", [1])
    tar.add("a/\(second)", [2])
    tar.add("b/\(second)", [3])
    let staged = try stage("in.tar", tar.finished)
    #expect(staged.values.count { $0 == nil } == 1)
    #expect(staged.values.contains { $0?.contains("same") == true }, "\(staged)")
  }

  @Test func `a file with the name of a folder is refused`() throws {
    var tar = Tar()
    tar.add("a", [1])
    tar.add("A/x.obj", [2])
    tar.add("y.obj", [2])
    let staged = try stage("in.tar", tar.finished)
    #expect(staged["in.tar/A/x.obj"] == .some(nil))
    #expect(staged["in.tar/y.obj"]??.contains("a folder has the same name") == true)
  }

  @Test func `damaged, encrypted and linked members of a zip cost their item alone`() throws {
    var zip = ZipBytes()
    zip.add("a.obj", Array("a".utf8))
    zip.add("b.obj", Array("b".utf8), isDamaged: true)
    zip.add("c.obj", Array("c".utf8), isEncrypted: true)
    zip.add("d.obj", Array("/etc/passwd".utf8), mode: 0o120_777)
    zip.add("e.obj", Array("e".utf8))
    zip.add("f.obj", Array("f".utf8), statedSize: 100)
    zip.add("g.obj", Array("g".utf8))
    let staged = try stage("in.zip", zip.finished)
    #expect(
      staged.filter { $0.value == nil }.keys.sorted()
        == ["in.zip/a.obj", "in.zip/e.obj", "in.zip/g.obj"])
    #expect(staged["in.zip/b.obj"]??.contains("is damaged") == true)
    #expect(staged["in.zip/c.obj"]??.contains("is encrypted") == true)
    #expect(staged["in.zip/d.obj"]??.contains("is a link") == true)
    #expect(staged["in.zip/f.obj"] != .some(nil))
  }

  @Test func `packed bytes that make no sense cost their item alone`() throws {
    let text = (0..<3000).map { "v \($0) \($0 * 7919 % 1000) \($0 * 104729 % 1000)\n" }.joined()
    let entries = ["a.obj", "b.obj", "c.obj"].map { ($0, Optional(Array(text.utf8))) }
    var bytes = try FileSystem.contents(of: fixtures.archive("in.zip", entries))
    let start = bytes.count / 2
    for index in start..<start + 200 { bytes[index] = 0xFF }
    let staged = try stage("in.zip", bytes)
    #expect(
      staged.filter { $0.value == nil }.keys.sorted() == ["in.zip/a.obj", "in.zip/c.obj"])
    #expect(staged["in.zip/b.obj"]??.contains("is damaged") == true)
  }

  @Test func `names in an unknown encoding stay apart`() throws {
    var bytes: [UInt8] = []
    for name in ["r1.obj", "r2.obj"] {
      var tar = Tar()
      tar.add(name, [1])
      var entry = Array(tar.finished.prefix(1024))
      // 0x8E and 0x9A begin no character of UTF-8; the checksum of the header follows.
      let value: UInt8 = name == "r1.obj" ? 0x8E : 0x9A
      let sum = (0..<512).reduce(0) { $0 + ((148..<156).contains($1) ? 32 : Int(entry[$1])) }
      let digits = String(sum - Int(entry[1]) + Int(value), radix: 8)
      entry[1] = value
      let text = String(repeating: "0", count: 6 - digits.count) + digits
      entry.replaceSubrange(148..<154, with: text.utf8)
      bytes += entry
    }
    let staged = try stage("in.tar", bytes + [UInt8](repeating: 0, count: 1024))
    #expect(staged == ["in.tar/r%8E.obj": nil, "in.tar/r%9A.obj": nil])
  }

  @Test(arguments: ["in.tar.zst", "in.tar.gz", "in.tar.xz", "in.tar"])
  func `an archive that is cut off gives what came before`(name: String) throws {
    var generator = SeededGenerator(seed: 7)
    let entries = (0..<40).map { index in
      (
        "\(index).obj",
        Optional((0..<20_000).map { _ in UInt8.random(in: 0...255, using: &generator) })
      )
    }
    let path = try fixtures.archive(name, entries)
    let whole = try FileSystem.contents(of: path)
    let staged = try stage(name, Array(whole.prefix(whole.count / 2)))
    let good = staged.filter { $0.value == nil }
    #expect((10...20).contains(good.count))
    let bad = staged.filter { $0.value != nil }
    #expect(bad.keys.contains(name), "\(bad)")
    #expect(bad.count <= 2)
  }

  @Test(arguments: ["in.zip", "in.tar", "in.7z", "in.tar.zst"])
  func `what is no archive is one item at fault`(name: String) throws {
    let staged = try stage(name, Array("no archive at all".utf8))
    #expect(staged.count == 1)
    #expect(staged[name]??.contains("archive") == true)
  }

  @Test func `an item has no more bytes than it may`() throws {
    var tar = Tar()
    tar.add("a.obj", [UInt8](repeating: 1, count: 1000))
    tar.add("b/b.obj", [UInt8](repeating: 1, count: 900))
    tar.add("b/b.mtl", [UInt8](repeating: 1, count: 101))
    tar.add("c/c.obj", [UInt8](repeating: 1, count: 1001))
    let staged = try stage("in.tar", tar.finished) { $0.itemBytes = 1000 }
    #expect(staged["in.tar/a.obj"] == .some(nil))
    #expect(staged["in.tar/b/b.obj"]??.contains("--max-bytes") == true)
    #expect(staged["in.tar/c/c.obj"]??.contains("--max-bytes") == true)
  }

  @Test func `an archive has no more entries than it may`() throws {
    var tar = Tar()
    for index in 0..<10 { tar.add("\(index).obj", [1]) }
    let staged = try stage("in.tar", tar.finished) { $0.entries = 4 }
    #expect(staged.filter { $0.value == nil }.count == 4)
    #expect(staged["in.tar"]??.contains("more than 4 entries") == true)
  }

  @Test(arguments: ["in.tar.zst", "in.tar.gz", "in.zip", "in.7z"])
  func `what unpacks to far more than it should is a bomb`(name: String) throws {
    let zeros = [UInt8](repeating: 0, count: 400_000)
    try fixtures.archive(name, [("a.obj", nil), ("bomb.obj", zeros), ("z.obj", nil)])
    let bytes = try FileSystem.contents(of: fixtures.path(name))
    #expect(bytes.count < 10_000)
    let staged = try stage(name, bytes) { ($0.ratio, $0.ratioFloor) = (10, 100_000) }
    #expect(staged["\(name)/a.obj"] == .some(nil), "\(staged)")
    #expect(staged["\(name)/bomb.obj"]??.contains("10 times its size") == true, "\(staged)")
    // Each member of a zip stands for itself.
    if name == "in.zip" { #expect(staged["in.zip/z.obj"] == .some(nil)) }
  }

  @Test func `an archive that holds itself ends soon`() throws {
    var inner = ZipBytes()
    inner.add("a.obj", [1])
    var bytes = inner.finished
    for _ in 0..<5 {
      var outer = ZipBytes()
      for index in 0..<4 { outer.add("\(index).zip", bytes) }
      bytes = outer.finished
    }
    let staged = try stage("in.zip", bytes)
    #expect(staged.count <= 16 && !staged.isEmpty)
    #expect(staged.values.allSatisfy { $0?.contains("--max-nesting") == true })
  }

  @Test(arguments: ["in.zip", "in.tar", "in.tar.gz", "in.tar.zst", "in.7z"])
  func `damage at random ends in items or in faults`(name: String) throws {
    let inner = try FileSystem.contents(of: fixtures.archive("inner.zip", ["x.obj", "x.mtl"]))
    let entries: [(String, [UInt8]?)] = [
      ("a/a.obj", nil), ("a/a.mtl", nil), ("b.obj", nil), ("c.obj", nil), ("wood.png", nil),
      ("inner.zip", inner), ("cap/frames.jsonl", nil), ("cap/mesh.ply", nil),
    ]
    let whole = try FileSystem.contents(of: fixtures.archive(name, entries))
    var mutator = Mutator(seed: 11)
    let before = try outside()
    for _ in 0..<60 {
      let staged = try stage(name, mutator.mutate(whole))
      #expect(staged.keys.allSatisfy { $0 == name || $0.hasPrefix(name + "/") }, "\(staged.keys)")
    }
    #expect(try outside() == before)
  }
}
