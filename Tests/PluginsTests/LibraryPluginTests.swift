import Foundation
import MeshPipeline
import MeshTestSupport
import Testing

@testable import Plugins

/// Plugins over the C ABI: what they may do, and what each way of breaking the agreement costs.
struct LibraryPluginTests {
  private static let fixture = Result { try LibraryFixture() }

  private func plugin() throws -> LibraryFixture { try Self.fixture.get() }

  /// A scene with all that can travel.
  private var everything: Scene {
    var scene = CheckScenes.everything
    scene.materials[1].normalTexture = 0
    scene.materials[0].occlusionTexture = 0
    scene.materials[0].metallicRoughnessTexture = 0
    scene.materials[1].emissiveTexture = 0
    scene.materials[0].alphaMode = .mask(cutoff: 0.25)
    scene.materials[1].isUnlit = true
    scene.coordinateSystem = CoordinateSystem(
      up: .z, forward: .negativeY, handedness: .left, metersPerUnit: 0.01)
    scene.capture = Capture(
      frames: (0..<3).map { index in
        Capture.Frame(
          name: "frame \(index)", image: .video("a.mov", index: index), imageSize: SIMD2(64, 48),
          intrinsics: .init(focalLength: SIMD2(50, 51), principalPoint: SIMD2(32, 24)),
          pose: Transform(
            x: SIMD3(1, 0, 0), y: SIMD3(0, 1, 0), z: SIMD3(0, 0, 1),
            translation: SIMD3(Double(index), 0, 0)), timestamp: Double(index))
      })
    return scene
  }

  @Test func `a stage that does nothing leaves everything as it is, in place`() throws {
    let before = everything
    let after = try plugin().run("nothing", before)
    #expect(after == before)
    func address(_ scene: Scene) -> UnsafeRawPointer? {
      scene.meshes[0].positions.withUnsafeBytes { $0.baseAddress }
    }
    #expect(address(after) == address(before))
    #expect(try plugin().run("nothing", Scene()) == Scene())
  }

  @Test func `scenes of many meshes come back too`() throws {
    var scene = Scene()
    for index in 0..<500 {
      var mesh = CheckScenes.everything.meshes[index % 2]
      mesh.name = "mesh \(index)"
      mesh.faceMaterials = nil
      scene.meshes.append(mesh)
    }
    scene.meshes.append(Mesh(name: "empty"))
    #expect(try plugin().run("nothing", scene) == scene)
    let lifted = try plugin().run("lift", scene, with: ["distance": 1])
    #expect(lifted.meshes[499].positions[1].y == scene.meshes[499].positions[1].y + 1)
    #expect(lifted.meshes[499].indices == scene.meshes[499].indices)
  }

  @Test(arguments: ["cc", "c++"])
  func `positions change, and nothing else, and the input stays`(compiler: String) throws {
    let plugin = compiler == "cc" ? try plugin() : try LibraryFixture(compiler: compiler)
    let before = everything
    let context = StageContext()
    let after = try plugin.run("lift", before, with: ["distance": 0.05], in: context)
    #expect(context.notes.map { "\($0.key) \($0.value.compactText)" } == ["lifted 2"])
    #expect(before == everything)
    var expected = before
    for index in expected.meshes.indices {
      // 5 cm are 5 units.
      for vertex in expected.meshes[index].positions.indices {
        expected.meshes[index].positions[vertex].y += 5
      }
    }
    #expect(after == expected)
  }

  @Test func `attributes, materials and meshes can be added`() throws {
    let context = StageContext()
    let bare = Scene(meshes: [CheckScenes.everything.meshes[1]])
    let after = try plugin().run("paint", bare, in: context)
    #expect(context.warnings == ["wet \u{FFFD}[31m paint"])
    #expect(after.meshes.map(\.name) == ["Zweites \"Netz\"", "twin"])
    #expect(after.meshes[0].colors?[1] == Color(red: 4, green: 5, blue: 6, alpha: 7))
    #expect(after.meshes[0].classes?.names == ["none", "lamp"])
    #expect(after.meshes[0].classes?.labels.prefix(2) == [1, 0])
    #expect(after.meshes[1].positions == bare.meshes[0].positions)
    #expect(
      after.materials == [Material(name: "paint", baseColor: SIMD4(1, 0, 0, 1), roughness: 0)])
  }

  @Test func `every kind of parameter arrives`() throws {
    let context = StageContext()
    _ = try plugin().run(
      "tell", Scene(),
      with: [
        "share": ["count": JSONValue(.null), "fraction": 0.2], "keep": ["wall", "Boden ß"],
        "mode": "soft", "flag": true, "seed": 77, "missing": JSONValue(.null),
      ], in: context)
    let told = context.notes.map { "\($0.key) \($0.value.compactText)" }
    #expect(
      told == [
        "fraction 0.2", "count 0", "keep \"Boden ß\"", "mode \"soft\"", "flag 1", "missing -1",
        "seed 77",
      ])
    #expect(context.logLines == ["told all"])
  }

  @Test func `frames can be left out, and keep what never travelled`() throws {
    let before = everything
    let after = try plugin().run("track", before)
    #expect(after.capture?.frames == Array(before.capture?.frames.suffix(1) ?? []))
    #expect(after.meshes == before.meshes)
  }

  @Test func `a cancelled stage ends`() throws {
    let cancellation = Cancellation()
    let context = StageContext(cancellation: cancellation) { _ in cancellation.request() }
    #expect(throws: Cancelled.self) { try plugin().run("wait", Scene(), in: context) }
    #expect(throws: Cancelled.self) { try plugin().run("lift", everything, in: context) }
  }

  @Test(arguments: [
    (
      "nan", "70: plugin 'native' sent invalid data: mesh 'first sheet' has non-finite numbers"
    ),
    (
      "index",
      "70: plugin 'native' sent invalid data: mesh 'first sheet': face 1 refers to vertex 16, but there are 16 vertices"
    ),
    (
      "short",
      "70: plugin 'native' sent invalid data: positions of mesh 0: a block of 191 bytes instead of 192"
    ),
    (
      "foreign",
      "70: plugin 'native' sent invalid data: positions of mesh 0: not in a block from 'allocate' or a lent one"
    ),
    ("count", "70: plugin 'native' sent invalid data: mesh 0 has 18446744073709551615 vertices"),
    (
      "fewer",
      "70: plugin 'native' sent invalid data: mesh 'first sheet': face 17 refers to vertex 15, but there are 15 vertices"
    ),
    ("null-array", "70: plugin 'native' sent invalid data: indices of mesh 0 are NULL"),
    ("null-mesh", "70: plugin 'native' sent invalid data: number 0 of its meshes is NULL"),
    (
      "size",
      "70: plugin 'native' sent invalid data: mesh 0: a block of 152 bytes instead of 1048576"
    ),
    (
      "axes",
      "70: plugin 'native' sent invalid data: its axes or unit are invalid: up and forward are the same axis, or the unit is zero"
    ),
    ("frame", "70: plugin 'native' sent invalid data: it sent frames, but was given none"),
    ("words", "65: plugin 'native': the scan is \u{FFFD}[31m bad"),
    ("both", "65: plugin 'native': not done at all"),
    ("silence", "70: plugin 'native' ended without a result (status 4)"),
    ("no-such-stage", "69: plugin 'native': there is no such stage"),
  ])
  func `what breaks the agreement is refused`(way: String, message: String) throws {
    #expect(try plugin().fault(of: way) == message)
  }

  @Test(arguments: [
    ("NO_ENTRY", "has no function 'meshpipe_plugin_entry'"),
    ("NO_PLUGIN", "69: plugin 'native': it does not work with version 1 of the ABI"),
    ("NO_RUN", "69: plugin 'native' can't be started: its function 'run' is NULL"),
    ("ABI=7", "69: plugin 'native': it speaks version 7 of the ABI, this meshpipe version 1"),
  ])
  func `a library that is no plugin of this version is refused`(
    macro: String, message: String
  ) throws {
    let fault = try LibraryFixture(macros: [macro]).fault(of: "nothing")
    #expect(fault.hasPrefix("69: plugin 'native'") && fault.contains(message), "\(fault)")
  }

  @Test func `a file that is no library, or another than the manifest's, is not loaded`() throws {
    let wrong = try LibraryFixture(
      manifestKeys: #""sha256": "\#(String(repeating: "0", count: 64))","#)
    let set = PluginSet(PluginSearch(folders: [wrong.folder.path]))
    #expect(set.stages.isEmpty)
    #expect(wrong.fault(of: "nothing").hasSuffix("does not match the manifest; it was changed"))
    let broken = try LibraryFixture()
    try broken.folder.write(LibraryFixture.libraryName, "no library at all")
    #expect(broken.fault(of: "nothing").hasPrefix("69: plugin 'native' can't be started: "))
  }

  @Test func `the check finds nothing wrong, and what writes where it must not`() throws {
    var findings: [PluginCheck.Finding] = []
    var manifest = try plugin().manifest
    manifest.stages.removeAll { !["nothing", "lift", "track"].contains($0.name) }
    try PluginCheck(manifest) { findings.append($0) }.run()
    #expect(findings.filter { $0.verdict == .bad } == [])
    #expect(findings.count > 15)
    #expect(!findings.contains { $0.trial.contains("nonsense") })

    // One that loses what it is given, of pictures too.
    findings = []
    manifest.stages = try plugin().manifest.stages.filter { $0.name == "blind" }
    manifest.stages[0].dataFlow.needs = [.frames]
    try PluginCheck(manifest) { findings.append($0) }.run()
    #expect(
      findings.filter { $0.verdict == .bad }.map(\.message) == [
        "frames were lost; keep them, or list them in \"removes\""
      ])

    findings = []
    manifest.stages = try plugin().manifest.stages.filter { $0.name == "scribble" }
    try PluginCheck(manifest) { findings.append($0) }.run()
    #expect(
      findings.filter { $0.verdict == .bad }.map(\.message) == [
        "it wrote to read-only arrays"
      ])
  }

  @Test func `a system that can't confine plugins is told of once`() throws {
    let notice = ConfinementNotice(canConfine: false)
    let contexts = [StageContext(), StageContext()]
    for context in contexts { notice.tell(in: context) }
    #expect(contexts.map(\.warnings.count) == [1, 0])
    #expect(contexts.map(\.adviceCount) == [1, 0])
    let context = StageContext()
    ConfinementNotice(canConfine: true).tell(in: context)
    #expect(context.warnings == [])
  }

  @Test(arguments: [
    (#""abi": 2"#, "the plugin speaks version 2 of the ABI, this meshpipe version 1"),
    (#""abi": [2, 3]"#, "the plugin speaks versions 2 to 3 of the ABI, this meshpipe version 1"),
    (
      #""abi": [3, 2]"#,
      "'abi' must be a version such as 1, or the first and the last such as [1, 2]"
    ),
    (#""homepage": """#, "\"abi\" is missing: the version that it was compiled for, 1"),
    (
      #""abi": [1, 2], "limits": {}"#,
      "'limits' is for a separate program; a 'library' runs in meshpipe's process"
    ),
  ])
  func `a manifest of a library says what it has to`(keys: String, message: String) {
    let text = """
      { "meshpipePlugin": 1, "name": "n", "version": "1", "library": "n", \(keys), "stages": [] }
      """
    let reading = PluginManifest.read(Array(text.utf8), path: "/p/n.meshpipe-plugin.json")
    #expect(reading.diagnostics.map(\.message) == [message])
  }
}
