import Formats
import Foundation
import MeshPipeline
import MeshTestSupport
import NativeLibraries
import Testing

/// The cache on disk: nothing of a scene is lost, and nothing else comes out of it.
struct CheckpointFolderTests {
  private let folder: TemporaryFolder
  private let store: CheckpointFolder
  private static let key = String(repeating: "ab", count: 32)

  init() throws {
    folder = try TemporaryFolder()
    store = CheckpointFolder("\(folder.path)/cache")
  }

  private static func checkpoint(of stage: String = "stage 'skin'") -> Checkpoint {
    Checkpoint(
      pipeline: "textured.json", input: "scan.obj", stage: stage, seconds: 12.5,
      files: [.init(path: "scan.obj", size: 7, sha256: "00")], stages: [])
  }

  /// A scene with something in each of its properties, and in each property of its capture.
  private static var whole: Scene {
    var scene = MeshFixtures.sceneWithEverything
    scene.origin = SIMD3(500_000.125, 1, -5_000_000)
    scene.scale = nil
    scene.interpretation.set(
      .axes, "Y up", .assumed, because: "no word", option: "--input-up", isDoubtful: true)
    scene.surfaceMaps = [
      SurfaceMap(
        kind: .height, pages: [Texture(fileName: "h.png", encoding: .png, bytes: [4, 5])]),
      SurfaceMap(kind: .position, pages: []),
    ]
    var shape = Shape(.cone, center: SIMD3(1, 2, 3), axis: SIMD3(0, 1, 0), radius: 0.1)
    shape.outline = [[SIMD2(0, 1), SIMD2(-1, 1.0 / 3)]]
    scene.shapes = [shape]
    scene.gates = [
      CaptureGate(
        name: "blur", limits: .init(isMaximum: true, warning: 1, failure: 2),
        readings: [.init(frame: "1", value: .infinity), .init(frame: nil, time: 0.1, value: 3)])
    ]
    var part = Room.Part(
      .wall, category: "", placement: .identity, size: SIMD3(1, 2, 0))
    part.curve = .init(center: SIMD2(0, 1), isMajor: true)
    scene.room = Room(parts: [part])
    scene.buildings = [TwoRoomBuilding.twoRooms()]
    scene.sections = [
      Section(
        name: "A", placement: Transform(translation: SIMD3(0, 1.2, 0)),
        curves: [.init(points: [SIMD2(0, 0), SIMD2(1, 0.1)], isClosed: false, layer: "wall")])
    ]
    scene.survey = Survey()
    scene.capture = capture(scene.capture ?? Capture())
    return scene
  }

  private static func capture(_ plain: Capture) -> Capture {
    var capture = plain
    capture.saysUp = false
    var depth = Capture.DepthSource(
      path: "d.png", encoding: .png16(metersPerUnit: 0.001),
      confidence: .init(path: "c.png", highest: 255))
    depth.scale = 0.998
    depth.masks = [.init(path: "m.png", hidden: .white)]
    capture.frames[0].depth = depth
    capture.frames[0].distortion = .radialTangential(
      numerator: SIMD3(0.1, -0.2, 1e-9), denominator: SIMD3(0, 0, -0.0),
      tangential: SIMD2(1e-4, 2e-4))
    capture.frames[0].masks = [.init(path: "m.png", hidden: .transparent)]
    capture.frames[0].timestamp = 1_234_567.890_123
    capture.frames[0].exposure = .init(duration: 1.0 / 60, iso: nil)
    capture.frames[0].tracking = .limited
    capture.frames[0].warp = ImageWarp(
      columns: 2, rows: 2, shifts: (0..<4).map { SIMD2(Float($0) / 3, -0.0) })
    capture.frames[0].record = #"{ "a": [1, "ü"] }"#
    var video = capture.frames[0]
    video.name = "video"
    video.image = .video("v.mov", index: 17)
    video.distortion = .fisheye(SIMD4(1, 2, 3, 4))
    capture.frames.append(video)
    var alone = capture.frames[0].depthFrame
    alone?.depth.encoding = .float32(width: 4, height: 3)
    capture.depthFrames = alone.map { [$0] } ?? []
    capture.origin = Capture.Origin(folder: "there", layout: "polycam")
    capture.origin?.manifest = "{}"
    capture.origin?.attachments = ["a.txt"]
    capture.origin?.locks.focus = false
    capture.origin?.recipe = .init(
      steps: [.init(name: "s", times: 0...1)], claims: [.init(.dwell, value: 2, place: "p")])
    return capture
  }

  @Test func `every property of a scene comes back bit by bit`() throws {
    let scene = Self.whole
    // Without this, a property added later would be tested by nothing.
    for (label, value) in Mirror(reflecting: scene).children {
      let standard = Mirror(reflecting: Scene()).children.first { $0.label == label }
      if label == "coordinateSystem" { continue }
      #expect("\(value)" != "\(standard?.value ?? "")", "\(label ?? "") is the default")
    }
    try store.keep(Self.checkpoint(), scene, for: Self.key)
    let kept = try #require(store.candidates(for: Self.key).first)
    #expect(kept.checkpoint == Self.checkpoint())
    #expect(try kept.scene() == scene)
    for fixture in MeshFixtures.all + [SceneFixtures.room, SceneFixtures.points] {
      let key = SHA256.hexadecimal(of: Array(fixture.name.utf8))
      try store.keep(Self.checkpoint(), fixture, for: key)
      let copy = try #require(try store.candidates(for: key).first?.scene())
      // Two that are not a number are no equals.
      #expect("\(copy)" == "\(fixture)", "\(fixture.name)")
    }
  }

  @Test func `a file that is not as it was written gives no scene`() throws {
    try store.keep(Self.checkpoint(), Self.whole, for: Self.key)
    let file = try #require(try store.files().first)
    let bytes = try FileSystem.contents(of: file.path)
    var generator = SeededGenerator(seed: 55)
    for round in 0..<60 {
      var damaged = bytes
      switch round % 3 {
      case 0: damaged[Int.random(in: bytes.indices, using: &generator)] ^= 1 << UInt8(round % 8)
      case 1: damaged.removeLast(Int.random(in: 1...bytes.count, using: &generator))
      default: damaged.append(0)
      }
      try Data(damaged).write(to: URL(filePath: file.path))
      let isIntact = try file.isIntact()
      #expect(isIntact == false)
      for kept in store.candidates(for: Self.key) {
        #expect(throws: (any Error).self) { try kept.scene() }
      }
    }
    try Data(bytes).write(to: URL(filePath: file.path))
    let mended = try store.candidates(for: Self.key).first?.scene()
    #expect(mended == Self.whole)
  }

  @Test func `paths of private files are those of the run that reads`() throws {
    var places = ShownPaths()
    places.show("/tmp/one", as: "scan.zip")
    var writer = CheckpointFolder(store.path)
    writer.places = places
    var scene = Self.whole
    scene.capture?.frames[0].image = .file("/tmp/one/images/1.jpg")
    try writer.keep(Self.checkpoint(of: "of /tmp/one/a"), scene, for: Self.key)
    let text = String(decoding: try FileSystem.contents(of: store.files()[0].path), as: UTF8.self)
    #expect(!text.contains("/tmp/one"))
    var others = ShownPaths()
    others.show("/var/two", as: "scan.zip")
    var reader = CheckpointFolder(store.path)
    reader.places = others
    let kept = try #require(reader.candidates(for: Self.key).first)
    #expect(kept.checkpoint?.stage == "of /var/two/a")
    #expect(try kept.scene().capture?.frames[0].image == .file("/var/two/images/1.jpg"))
  }

  @Test func `several writers of one result leave one whole file`() throws {
    let (store, scene) = (store, Self.whole)
    let failures = Parallel.map(count: 16) { index -> String in
      do {
        try store.keep(Self.checkpoint(), scene, for: Self.key)
        guard try store.candidates(for: Self.key).first?.scene() == scene else { return "another" }
        return ""
      } catch { return "\(error)" }
    }
    #expect(failures.filter { !$0.isEmpty } == [])
    #expect(try store.files().count == 1)
    #expect(try FileSystem.deepNames(inFolder: store.path).count == 1)
  }

  @Test func `the results that were used longest ago make room`() throws {
    let scene = SceneFixtures.room
    let keys = (0..<4).map { SHA256.hexadecimal(of: [UInt8($0)]) }
    for key in keys.prefix(3) { try store.keep(Self.checkpoint(), scene, for: key) }
    let bytes = try #require(try store.files().first).byteCount
    // The first is used again.
    _ = try store.candidates(for: keys[0]).first?.scene()
    var small = store
    small.capacity = 3 * bytes + bytes / 2
    try small.keep(Self.checkpoint(), scene, for: keys[3])
    #expect(keys.map { store.candidates(for: $0).count } == [1, 0, 1, 1])
    // What would take most of the room is not kept at all.
    small.capacity = bytes
    try small.keep(Self.checkpoint(), scene, for: keys[1])
    #expect(keys.map { store.candidates(for: $0).count } == [1, 0, 1, 1])
    #expect(try store.prune(to: 0).count == 3)
    #expect(try FileSystem.deepNames(inFolder: store.path).isEmpty)
  }

  @Test func `what a killed run has left is removed when it is old, and nothing of anybody else`()
    throws
  {
    try store.keep(Self.checkpoint(), SceneFixtures.room, for: Self.key)
    let own = ["ab/.\(Self.key).1", "ab/.\(Self.key).2"]
    let others = [
      "ab/.env", "ui/.git", "ab/.\(Self.key).x", "cd/.\(Self.key).1", "ab/\(Self.key)-x.meshscene",
      "ab/notes.meshscene",
    ]
    let old = Date(timeIntervalSinceNow: -7200)
    for name in own + others {
      try folder.write("cache/\(name)", [1])
      try FileManager.default.setAttributes(
        [.modificationDate: name == own[1] ? Date() : old], ofItemAtPath: "\(store.path)/\(name)")
    }
    try FileManager.default.createSymbolicLink(
      atPath: "\(store.path)/ef", withDestinationPath: "\(folder.path)/elsewhere")
    let linked = "elsewhere/.ef\(Self.key.dropFirst(2)).1"
    try folder.write(linked, [1])
    try FileManager.default.setAttributes(
      [.modificationDate: old], ofItemAtPath: "\(folder.path)/\(linked)")
    #expect(try store.prune(to: 0).count == 1)
    let left = try FileSystem.deepNames(inFolder: store.path).filter { $0 != "ef" }
    #expect(left == (others + [own[1]]).sorted())
    #expect(try FileSystem.status(of: "\(folder.path)/\(linked)") != nil)
  }

  @Test func `a place that can't be written is told if the user named it`() throws {
    try folder.write("file", "")
    var blocked = CheckpointFolder("\(folder.path)/file/cache")
    #expect(throws: FileError.self) {
      try blocked.keep(Self.checkpoint(), SceneFixtures.room, for: Self.key)
    }
    blocked.isNamed = false
    try blocked.keep(Self.checkpoint(), SceneFixtures.room, for: Self.key)
    #expect(blocked.candidates(for: Self.key).isEmpty)
  }

  @Test func `the place is an option, a variable, or the user's folder of caches`() throws {
    func place(_ words: [String: [String]], _ variables: [String: String]) throws -> String? {
      let settings = try RunSettings(words: { words[$0] }, environment: { _ in nil })
      return CheckpointFolder.chosen(by: settings, environment: { variables[$0] })?.path
    }
    let home = ["HOME": "/me", "XDG_CACHE_HOME": "/caches"]
    #expect(try place([:], home) == "/caches/meshpipe")
    #expect(try place([:], home.merging(["MESHPIPE_CACHE": "/there"]) { $1 }) == "/there")
    #expect(try place(["--cache": ["here"]], home) == "here")
    for off in ["none"] { #expect(try place([:], ["HOME": "/h", "MESHPIPE_CACHE": off]) == nil) }
    #expect(try place(["--no-cache": []], home) == nil)
    #expect(try place([:], [:]) == nil)
    #expect(throws: InvalidSetting.self) { try place(["--cache-size": ["five"]], home) }
  }
}
