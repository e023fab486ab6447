import Captures
import Formats
import MeshPipeline
import MeshTestSupport
import Testing

/// Captures of other apps that become bundles.
struct BundleConversionTests {
  enum App: CaseIterable {
    case record3D, record3DExport, strayScanner, polycam
  }

  private func fixture(of app: App) throws -> CaptureFixture {
    let fixture = try CaptureFixture()
    switch app {
    case .record3D: try fixture.writeRecord3D()
    case .record3DExport: try fixture.writeRecord3DExport()
    case .strayScanner:
      try fixture.writeStrayScanner()
      try fixture.writeMesh("export.obj")
    case .polycam:
      try fixture.writePolycam()
      try fixture.writeMesh("room.obj")
      let mesh = try OBJ.read(fixture.path + "/room.obj", in: ReadingContext())
      try GLB.write(
        mesh, to: OutputSet(folder: fixture.path, mainFileName: "raw.glb"), in: WritingContext())
      try FileSystem.removeFile(fixture.path + "/room.obj")
    }
    return fixture
  }

  @Test(arguments: App.allCases)
  func `a capture of another app is the same as a bundle`(app: App) throws {
    let fixture = try fixture(of: app)
    let scene = try BundleRoundTripTests.scene(fixture.path)
    let folder = try TemporaryFolder()
    #expect(try BundleRoundTripTests.write(scene, to: folder.path) == [])
    try BundleRoundTripTests.expectIntact(folder.path)
    #expect(try CaptureFixture.read(folder.path).warnings == [])
    let back = try BundleRoundTripTests.scene(folder.path)
    #expect(back.meshes.map(\.positions) == scene.meshes.map(\.positions))
    #expect(back.materials == scene.materials)
    let frames = try #require(scene.capture?.frames)
    #expect(back.capture?.frames.count == 4 && frames.count == 4)
    for (one, other) in zip(frames, back.capture?.frames ?? []) {
      FrameRoundTripTests.expectSame(one, other, "\(one.name)")
      #expect(one.timestamp == other.timestamp)
      #expect(try one.loadImage().pixels == other.loadImage().pixels)
      let (depth, copy) = (try one.loadDepth(), try other.loadDepth())
      #expect(depth?.confidences == copy?.confidences)
      // A bundle has millimetres, as the fixture's depths are.
      #expect(
        zip(depth?.meters ?? [], copy?.meters ?? []).allSatisfy { abs($0 - $1) < 1e-6 })
      #expect(copy?.meters.count == 32 * 24)
    }
    // From here on nothing changes.
    let again = try TemporaryFolder()
    try BundleRoundTripTests.write(back, to: again.path)
    try BundleRoundTripTests.expectSameFiles(folder.path, again.path)
  }
}
