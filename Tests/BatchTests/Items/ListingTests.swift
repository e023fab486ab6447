import Batch
import MeshPipeline
import MeshTestSupport
import Testing

struct ListingTests {
  let fixtures: ItemFixtures

  init() throws { fixtures = try ItemFixtures() }

  @Test func `a folder gives its meshes and captures, sorted, and passes over the rest`() throws {
    try fixtures.write([
      "in/b.obj", "in/b.mtl", "in/a.ply", "in/notes.txt", "in/.hidden.obj", "in/._a.ply",
      "in/__MACOSX/a.ply", "in/day/room.glb", "in/day/textures/wood.png", "in/.DS_Store",
      "in/cap/frames.jsonl", "in/cap/mesh.ply", "in/cap/parts/leg.ply",
    ])
    let listing = try fixtures.list([fixtures.path("in")])
    #expect(fixtures.names(listing) == ["in/a.ply", "in/b.obj", "in/cap", "in/day/room.glb"])
    let places = listing.items.map(\.place)
    #expect(places[1] == BatchItem.Place(archive: "in", stem: "b", fileExtension: "obj"))
    #expect(places[2] == BatchItem.Place(archive: "in", stem: "cap"))
    #expect(
      places[3] == BatchItem.Place(archive: "in", folder: "day", stem: "room", fileExtension: "glb")
    )
    #expect(listing.items.allSatisfy { $0.fault == nil })
    #expect(listing.items[3].size == "in/day/room.glb".count + "in/day/textures/wood.png".count)
  }

  @Test func `points are scans, but not beside a mesh of their name`() throws {
    try fixtures.write([
      "in/a.obj", "in/a.las", "in/a.xyz", "in/b.pcd", "in/c.pts", "in/imu.csv", "in/dem.asc",
    ])
    let listing = try fixtures.list([fixtures.path("in")])
    #expect(fixtures.names(listing) == ["in/a.obj", "in/b.pcd", "in/c.pts"])
  }

  @Test func `a folder and a zip of the same files give the same scans`() throws {
    let names = [
      "a.obj", "a.mtl", "b.obj", "b_0.png", "wood.png", "cap/frames.jsonl", "cap/mesh.ply",
      "deep/er/c.stl", "deep/er/x/y.png", "frames/transforms.json", "k/keyframes/cameras/1.json",
      "k/raw.glb",
    ]
    try fixtures.write(names.map { "in/\($0)" })
    try fixtures.archive("in.zip", names.sorted())
    let disk = try fixtures.list([fixtures.path("in")]).items
    let zip = try fixtures.list([fixtures.path("in.zip")]).items
    #expect(zip.map { $0.name.replacing("in.zip", with: "in") } == disk.map(\.name))
    #expect(zip.map(\.place) == disk.map(\.place))
    let extra = "in/".count
    #expect(zip.map(\.size).reduce(0, +) <= disk.map(\.size).reduce(0, +))
    #expect(zip[0].size == disk[0].size - extra * 4)
  }

  @Test func `a missing argument ends it, one of a list is an item`() throws {
    let missing = #expect(throws: FileError.self) { try fixtures.list([fixtures.path("no.obj")]) }
    #expect(missing?.exitCode == .noInput)
    try fixtures.write(["a.obj"])
    try fixtures.folder.write("list.txt", "\(fixtures.path("a.obj"))\r\n\n\(fixtures.path("no"))\n")
    let items = try fixtures.list(["@" + fixtures.path("list.txt")]).items
    #expect(items.map { $0.fault?.exitCode } == [nil, .noInput])
  }

  @Test func `folders of listed files are relative to the one that they have in common`() throws {
    let names = ["in/day1/a.obj", "in/day1/x/b.obj", "in/day2/a.obj", "in/day2/cap/frames.jsonl"]
    try fixtures.write(names + ["in/day2/cap/mesh.ply"])
    let lines = (names.dropLast() + ["in/day2/cap"]).map { fixtures.path($0) }
    try fixtures.folder.write("list.txt", lines.joined(separator: "\n"))
    let list = "@" + fixtures.path("list.txt")
    let items = try fixtures.list([list]).items
    #expect(items.map(\.place.folder) == ["day1", "day1/x", "day2", "day2"])
    #expect(items.map(\.place.stem) == ["a", "b", "a", "cap"])
    #expect(try fixtures.list([list]) { $0.include = ["day2/**"] }.items.count == 2)
    // The index of a capture stands for its folder.
    try fixtures.folder.write("one.txt", lines[3] + "/frames.jsonl")
    let one = try fixtures.list(["@" + fixtures.path("one.txt")]).items
    #expect(one.map(\.place.stem) == ["cap"] && one.map(\.place.folder) == [""])
    // Files that are given one by one have none.
    #expect(try fixtures.list([lines[0], lines[2]]).items.map(\.place.folder) == ["", ""])
  }

  @Test func `filters that leave nothing say of how many scans`() throws {
    try fixtures.write(["in/a.obj", "in/b.obj"])
    let nothing = #expect(throws: BatchItem.Fault.self) {
      try fixtures.list([fixtures.path("in")]) { $0.include = ["*.ply"] }
    }
    #expect(nothing?.exitCode == .noInput)
    #expect(
      nothing?.message
        == "none of the 2 scans in \(fixtures.path("in")) matches --include '*.ply'")
  }

  @Test func `a list may be separated by zeros`() throws {
    try fixtures.write(["a\nb.obj", "c.obj"])
    let list = "\(fixtures.path("a\nb.obj"))\0\(fixtures.path("c.obj"))\0"
    try fixtures.folder.write("list", list)
    let listing = try fixtures.list([]) { $0.listFiles = [fixtures.path("list")] }
    #expect(fixtures.names(listing) == ["a\nb.obj", "c.obj"])
  }

  @Test func `nothing at all is an error`() throws {
    try fixtures.write(["in/readme.txt"])
    let error = #expect(throws: BatchItem.Fault.self) { try fixtures.list([fixtures.path("in")]) }
    #expect(error?.exitCode == .noInput)
  }

  @Test func `a file that is no scan is at fault when it is named, and not in a pattern`() throws {
    try fixtures.write(["in/a.obj", "in/a.mtl"])
    let items = try fixtures.list([fixtures.path("in/a.mtl")]).items
    #expect(items.map { $0.fault?.exitCode } == [.unavailable])
    #expect(fixtures.names(try fixtures.list([fixtures.path("in/*")])) == ["in/a.obj"])
  }

  @Test func `patterns are expanded, and each item comes once`() throws {
    try fixtures.write(["in/a.obj", "in/d/b.obj", "in/d/e/c.obj", "in/d/e/c.ply"])
    let all = try fixtures.list([fixtures.path("in/**/*.obj"), fixtures.path("./in//a.obj")])
    #expect(fixtures.names(all) == ["in/a.obj", "in/d/b.obj", "in/d/e/c.obj"])
    #expect(throws: BatchItem.Fault.self) { try fixtures.list([fixtures.path("in/*.stl")]) }
  }

  @Test func `scans are let in and left out by path and by name`() throws {
    try fixtures.write(["in/a.obj", "in/a.ply", "in/old/b.obj", "in/new/c.obj", "in/new/d/e.obj"])
    func names(_ include: [String], _ exclude: [String]) throws -> [String] {
      let listing = try fixtures.list([fixtures.path("in")]) {
        ($0.include, $0.exclude) = (include, exclude)
      }
      return fixtures.names(listing).map { String($0.dropFirst(3)) }
    }
    #expect(try names(["*.obj"], ["old"]) == ["a.obj", "new/c.obj", "new/d/e.obj"])
    #expect(try names(["new/*.obj"], []) == ["new/c.obj"])
    #expect(try names(["new/**"], []) == ["new/c.obj", "new/d/e.obj"])
    #expect(try names([], ["new/**/e.obj", "*.ply"]) == ["a.obj", "new/c.obj", "old/b.obj"])
  }

  @Test func `the folder of the outputs is passed over`() throws {
    try fixtures.write(["in/a.obj", "in/out/a.glb"])
    let listing = try fixtures.list([fixtures.path("in")]) {
      $0.ignoredFolders = [fixtures.path("in/out"), fixtures.path("none")]
    }
    #expect(fixtures.names(listing) == ["in/a.obj"])
  }

  @Test func `an archive of which nothing is wanted is no fault, and one without scans is`() throws
  {
    try fixtures.archive("in.zip", ["a.obj"])
    try fixtures.archive("text.zip", ["a.txt"])
    #expect(throws: BatchItem.Fault.self) {
      try fixtures.list([fixtures.path("in.zip")]) { $0.include = ["*.ply"] }
    }
    let items = try fixtures.list([fixtures.path("text.zip")]).items
    #expect(items.map { $0.fault?.message.hasSuffix("contains no scan") } == [true])
  }

  @Test func `archives in a folder and in archives are looked into`() throws {
    try fixtures.archive("in/x.tar.gz", ["day1/a.obj", "day1/a.mtl"])
    let inner = try FileSystem.contents(of: fixtures.path("in/x.tar.gz"))
    try fixtures.archive("in/sub/y.zip", [("b.obj", nil), ("z/x.tgz", inner)])
    let listing = try fixtures.list([fixtures.path("in")])
    #expect(
      fixtures.names(listing) == [
        "in/sub/y.zip/b.obj", "in/sub/y.zip/z/x.tgz/day1/a.obj", "in/x.tar.gz/day1/a.obj",
      ])
    #expect(listing.items.map(\.place.archive) == ["sub/y", "sub/y/z/x", "x"])
    let flat = try fixtures.list([fixtures.path("in")]) { $0.limits.nesting = 0 }
    #expect(flat.items[1].fault?.message.contains("--max-nesting") == true)
  }

  @Test(arguments: [
    ("*.obj", "a/b.obj", true), ("*.obj", "b.ply", false), ("a/*.obj", "a/b.obj", true),
    ("a/*.obj", "a/c/b.obj", false), ("a/**/b.obj", "a/b.obj", true),
    ("a/**/b.obj", "a/x/y/b.obj", true), ("**/b", "x/b/c", true), ("[!a]*.obj", "b.obj", true),
    ("[!a]*.obj", "a.obj", false), ("room?", "room1", true), ("room[0-3].*", "room2.glb", true),
    ("room[0-3].*", "room4.glb", false), ("a[", "a[", true), ("old/", "old/x/y.obj", true),
  ])
  func `patterns match as in a shell`(pattern: String, path: String, matches: Bool) throws {
    #expect(ItemFixtures.matches(pattern, path) == matches)
  }

  @Test(arguments: [
    ("2GiB", 2 << 30), ("500MB", 500_000_000), ("4096", 4096), ("1.5 KiB", 1536), ("64k", 64000),
    ("2giB", 2 << 30), ("0", 0), ("-1", nil), ("x", nil), ("1XB", nil), ("", nil), ("9e30", nil),
  ])
  func `sizes are read`(text: String, bytes: Int?) { #expect(ByteSize.bytes(of: text) == bytes) }
}
