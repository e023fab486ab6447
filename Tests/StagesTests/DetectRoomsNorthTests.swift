import Foundation
import MeshPipeline
import MeshTestSupport
import Stages
import Testing

/// Where plans have north from.
struct DetectRoomsNorthTests {
  private func north(
    of scene: Scene, given: Angle? = nil
  ) throws -> (north: Building.North?, inScene: SIMD3<Double>?) {
    var parameters = DetectRooms.Parameters()
    parameters.north = given
    let found = try DetectRooms(parameters).run(scene, in: StageContext())
    let building = try #require(found.buildings.first)
    let direction = building.north.map { north in
      building.placement.apply(toVector: SIMD3(-sin(north.angle), cos(north.angle), 0))
    }
    return (building.north, direction)
  }

  private var scene: Scene {
    var scene = Scene(coordinateSystem: .arkit)
    scene.room = Room(parts: RoomFixture(turn: 0.3, moved: SIMD3(3, -1, 7)).parts)
    return scene
  }

  @Test func `nothing is known without a source, and what the user says is`() throws {
    #expect(try north(of: scene).north == nil)
    let given = try north(of: scene, given: Angle(degrees: 30)).north
    #expect(given == Building.North(angle: 30 * .pi / 180, source: .user))
  }

  @Test func `a scan on a map has north where the map has, until it is turned`() throws {
    var scene = scene
    scene.convert(to: .blender)
    scene.survey = Survey()
    var system = ReferenceSystem()
    system.code = "EPSG:25832"
    scene.survey?.referenceSystem = system
    let found = try north(of: scene)
    #expect(found.north?.source == .grid("EPSG:25832"))
    #expect(try #require(found.inScene).y > 1 - 1e-12)
    scene.apply(Transform(rotationAbout: SIMD3(0, 0, 1), by: 0.1))
    #expect(try north(of: scene).north == nil)
  }

  /// The beginning of a photograph with EXIF data that say where it looks.
  private func photograph(bearing: Double, letter: Character) -> Data {
    var exif: [UInt8] = [0x4D, 0x4D, 0, 42, 0, 0, 0, 8, 0, 1, 0x88, 0x25, 0, 4, 0, 0, 0, 1]
    exif += [0, 0, 0, 26, 0, 0, 0, 0]
    exif += [0, 2, 0, 16, 0, 2, 0, 0, 0, 2, UInt8(letter.asciiValue ?? 0), 0, 0, 0]
    exif += [0, 17, 0, 5, 0, 0, 0, 1, 0, 0, 0, 56, 0, 0, 0, 0]
    let hundredths = Int((bearing * 100).rounded())
    exif += [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: hundredths >> $0) } + [0, 0, 0, 100]
    return Data([0xFF, 0xD8, 0xFF, 0xE1, 0, 72] + Array("Exif".utf8) + [0, 0] + exif)
  }

  @Test(arguments: [0.0, 77, 200])
  func `north is where the phone's compass has it`(degrees: Double) throws {
    let folder = try TemporaryFolder()
    var scene = scene
    // North in the scene, by degrees to the left of −z.
    let truth = Transform(rotationAbout: SIMD3(0, 1, 0), by: degrees * .pi / 180)
      .apply(toVector: SIMD3(0, 0, -1))
    var frames: [Capture.Frame] = []
    for index in 0..<6 {
      let turn = Double(index) * 50
      let path = "\(folder.path)/\(index).jpg"
      let bearing = (degrees - turn + 3600 + (index.isMultiple(of: 2) ? 4 : -4))
        .truncatingRemainder(dividingBy: 360)
      try photograph(bearing: bearing, letter: index == 5 ? "M" : "T").write(
        to: URL(filePath: path))
      frames.append(
        Capture.Frame(
          name: "\(index)", image: .file(path), imageSize: SIMD2(4, 3),
          intrinsics: Capture.Intrinsics(focalLength: SIMD2(3, 3), principalPoint: SIMD2(2, 1.5)),
          pose: Transform(rotationAbout: SIMD3(0, 1, 0), by: turn * .pi / 180)))
    }
    scene.capture = Capture(frames: frames)
    let found = try north(of: scene)
    // The one of magnetic north does not count.
    #expect(found.north?.source == .photographs(count: 5, isMagnetic: false))
    #expect((try #require(found.inScene) * truth).sum() > cos(1.0 * .pi / 180))
    let uncertainty = try #require(found.north?.uncertainty) * 180 / .pi
    #expect((10.0...12).contains(uncertainty))
  }
}
