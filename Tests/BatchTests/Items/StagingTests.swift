import Batch
import Formats
import MeshPipeline
import MeshTestSupport
import NativeLibraries
import Testing

struct StagingTests {
  let fixtures: ItemFixtures

  init() throws { fixtures = try ItemFixtures() }

  @Test(arguments: ["in.zip", "in.7z", "in.tar", "in.tar.gz", "in.tar.xz", "in.tar.zst"])
  func `scans come out of an archive with their companions`(name: String) throws {
    try fixtures.archive(
      name, ["a/x.obj", "a/x.mtl", "a/t/wood.png", "notes.txt", "c/frames.jsonl", "c/mesh.ply"])
    let staged = try fixtures.stage(fixtures.list([fixtures.path(name)]))
    #expect(staged.map(\.name).sorted() == ["\(name)/a/x.obj", "\(name)/c"])
    let mesh = try #require(staged.first { $0.name.hasSuffix("x.obj") })
    #expect(mesh.path == "x.obj")
    #expect(
      mesh.files == ["x.obj": "a/x.obj", "x.mtl": "a/x.mtl", "t/wood.png": "a/t/wood.png"])
    let capture = try #require(staged.first { $0.name.hasSuffix("c") })
    #expect(capture.path == "c")
    #expect(
      capture.files == ["c/frames.jsonl": "c/frames.jsonl", "c/mesh.ply": "c/mesh.ply"])
    #expect(try fixtures.leftovers() == [])
  }

  @Test func `the hash of a scan is that of its names and bytes alone`() throws {
    try fixtures.archive("1.tar", ["a/x.obj", "a/x.mtl", "b/x.obj"])
    let bytes = ["x.mtl", "x.obj"].map { ("other/\($0)", Array("a/\($0)".utf8) as [UInt8]?) }
    try fixtures.archive("2.zip", bytes)
    let first = try fixtures.stage(fixtures.list([fixtures.path("1.tar")]))
    let second = try fixtures.stage(fixtures.list([fixtures.path("2.zip")]))
    #expect(first[0].hash == second[0].hash)
    #expect(first[0].hash != first[1].hash)
    #expect(first[0].hash?.count == 64)
  }

  @Test(arguments: ["in.tar.zst", "in.zip"])
  func `what scans of a folder share reaches all of them, wherever it stands`(name: String) throws {
    for names in [
      ["a.obj", "b.obj", "b.mtl", "wood.png"], ["wood.png", "a.obj", "b.mtl", "b.obj"],
      ["a.obj", "wood.png", "b.mtl", "b.obj"],
    ] {
      try fixtures.archive(name, names)
      let staged = try fixtures.stage(fixtures.list([fixtures.path(name)]))
      #expect(staged.map(\.path) == ["a.obj", "b.obj"])
      #expect(staged[0].files.keys.sorted() == ["a.obj", "wood.png"])
      #expect(staged[1].files.keys.sorted() == ["b.mtl", "b.obj", "wood.png"])
      #expect(try fixtures.leftovers() == [])
    }
  }

  @Test func `scans that lie scattered take turns when the disk is small`() throws {
    let many = (0..<20).flatMap { index in
      [("\(index).obj", Optional([UInt8](repeating: 1, count: 1000)))]
    }
    let mtls = (0..<20).map { ("\($0).mtl", [UInt8]?.none) }
    try fixtures.archive("in.tar.gz", many + mtls)
    var limits = ItemLimits()
    limits.stagedBytes = 3500
    let listing = try fixtures.list([fixtures.path("in.tar.gz")])
    let staged = try fixtures.stage(listing, limits: limits)
    #expect(Set(staged.map(\.name)).count == 20)
    #expect(staged.allSatisfy { $0.fault == nil && $0.files.count == 2 })
    // Three fit at a time, and come in one pass.
    #expect(staged.prefix(3).map(\.path) == ["0.obj", "1.obj", "2.obj"])
  }

  @Test(arguments: ["in.tar.zst", "in.zip"])
  func `no more than the scan that was asked for lies on the disk`(name: String) throws {
    try fixtures.archive(name, (0..<30).flatMap { ["\($0).obj", "\($0).mtl"] })
    let listing = try fixtures.list([fixtures.path(name)])
    let root = fixtures.path("staging")
    try FileSystem.createFolder(root)
    let stager = ItemStager(listing, in: root)
    var count = 0
    while let staged = try stager.next() {
      let scans = try FileSystem.names(inFolder: root).filter { $0.hasPrefix("item-") }
      #expect(scans.map { "\(root)/\($0)" } == [staged.folder])
      try FileSystem.removeFolder(staged.folder ?? "")
      count += 1
    }
    #expect(count == 30)
  }

  @Test func `only what is wanted is unpacked`() throws {
    try fixtures.archive("in.tar", ["a.obj", "b.obj", "c.obj"])
    let listing = try fixtures.list([fixtures.path("in.tar")])
    #expect(try fixtures.stage(listing) { $0 == 1 }.map(\.path) == ["b.obj"])
  }

  @Test func `archives in archives are staged like others`() throws {
    try fixtures.archive("x.tar.zst", ["a.obj", "d/b.obj", "d/b.mtl"])
    let inner = try FileSystem.contents(of: fixtures.path("x.tar.zst"))
    try fixtures.archive("in.zip", [("1.obj", nil), ("x.tar.zst", inner), ("2.obj", nil)])
    let staged = try fixtures.stage(fixtures.list([fixtures.path("in.zip")]))
    #expect(
      staged.map(\.name) == [
        "in.zip/1.obj", "in.zip/x.tar.zst/a.obj", "in.zip/x.tar.zst/d/b.obj", "in.zip/2.obj",
      ])
    #expect(staged[2].files == ["b.obj": "d/b.obj", "b.mtl": "d/b.mtl"])
    #expect(try fixtures.leftovers() == [])
  }

  @Test func `a scan opens nothing outside its own folder`() throws {
    let picture = try PNG.encode(Image(width: 1, height: 1))
    let library =
      "newmtl a\nmap_Kd ../secret.png\nnewmtl b\nmap_Kd \(fixtures.path("secret.png"))\n"
    let mesh =
      "mtllib a.mtl ../evil.mtl\nv 0 0 0\nv 1 0 0\nv 0 1 0\nvt 0 0\nusemtl a\nf 1/1 2/1 3/1\n"
    try fixtures.archive(
      "in.tar", [("a/a.obj", Array(mesh.utf8)), ("a/a.mtl", Array(library.utf8))])
    try fixtures.folder.write("secret.png", picture)
    try fixtures.folder.write("staging/secret.png", picture)
    try fixtures.folder.write("staging/evil.mtl", library)
    let listing = try fixtures.list([fixtures.path("in.tar")])
    let stager = ItemStager(listing, in: fixtures.path("staging"))
    let staged = try #require(try stager.next())
    let context = ReadingContext()
    let scene = try OBJ.read(staged.path, in: context)
    #expect(scene.textures.isEmpty)
    #expect(context.openedFiles.allSatisfy { $0.hasPrefix(staged.folder ?? "/nowhere") })
    let trusting = ReadingContext(allowsExternalFiles: true)
    #expect(try !OBJ.read(staged.path, in: trusting).textures.isEmpty)
  }

  @Test func `items on the disk are left where they are`() throws {
    try fixtures.write(["in/a.obj"])
    let staged = try fixtures.stage(fixtures.list([fixtures.path("in")]))
    #expect(staged.map(\.path) == ["in/a.obj"])
    #expect(staged[0].hash == nil)
  }
}
