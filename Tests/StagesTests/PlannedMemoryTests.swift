import MeshPipeline
import Testing

@testable import Stages

/// Plans beside the peaks of runs, measured with `--report`, without the memory of the program and the scene.
@Suite struct PlannedMemoryTests {
  private func isClose(_ estimate: Int, toMegabytes measured: Double) -> Bool {
    let megabytes = Double(estimate) / 1e6
    return megabytes > measured / 1.6 && megabytes < 1.6 * measured
  }

  /// A chair in 94 frames of a phone.
  private let chair = PlannedScene(faceCount: 18_095, frameCount: 94, framePixelCount: 1920 * 1440)

  @Test(arguments: [(1024, 129.0), (4096, 179), (8192, 341)])
  func `pages of photographs count`(size: Int, measured: Double) {
    var parameters = BakeTexture.Parameters()
    parameters.size = size
    #expect(isClose(BakeTexture(parameters).expectedMemory(for: chair), toMegabytes: measured))
  }

  @Test func `frames count`() {
    #expect(
      isClose(BakeColors(.init()).expectedMemory(for: chair), toMegabytes: 201)
        && isClose(RefinePoses(.init()).expectedMemory(for: chair), toMegabytes: 75))
    let without = PlannedScene(faceCount: 18_095, frameCount: 0, framePixelCount: 0)
    #expect(BakeColors(.init()).expectedMemory(for: without) == 0)
    #expect(BakeTexture(.init()).expectedMemory(for: without) == 0)
  }

  @Test(arguments: [(1024, 3, 56.0), (4096, 1, 616), (4096, 3, 688)])
  func `pages of maps count`(size: Int, maps: Int, measured: Double) {
    let room = PlannedScene(faceCount: 20_000, frameCount: 0, framePixelCount: 0)
    var parameters = BakeMaps.Parameters()
    parameters.maps = Array([.normal, .occlusion, .color].prefix(maps))
    parameters.size = size
    #expect(isClose(BakeMaps(parameters).expectedMemory(for: room), toMegabytes: measured))
  }

  /// Peaks of whole runs in megabytes, of Benchmarks' room and a room of ARKit.
  ///
  /// Holes and pieces count for more than the number of faces tells, but a plan should not be far below the peak.
  @Test(
    arguments: [
      ("remesh", "{}", 276.0, 233.0), ("make-solid", #"{ "method": "shell" }"#, 233, 176),
      ("make-solid", #"{ "method": "wrap" }"#, 329, 289), ("fill-holes", "{}", 76, 121),
      ("fill-holes", #"{ "fill": "flat" }"#, 74, 88), ("smooth", "{}", 114, 105),
      ("flatten", "{}", 112, 103),
      ("inspect", "{}", 159, 158), ("decimate", #"{ "target": "10%" }"#, 107, 138),
      ("unwrap", "{}", 478, 269),
      ("detect-shapes", "{}", 141, 133),
      ("compute-normals", #"{ "creaseAngle": "40deg" }"#, 146, 143),
    ])
  func `faces count`(
    name: String, options: String, regular: Double, scanned: Double
  ) throws {
    let rooms = [
      (faces: 1_043_507, sceneBytes: 27.1e6, peak: regular),
      (faces: 984_527, sceneBytes: 20.2e6, peak: scanned),
    ]
    for room in rooms {
      let scene = PlannedScene(faceCount: room.faces, frameCount: 0, framePixelCount: 0)
      let working = try stage(name, options).expectedMemory(for: scene)
      let share = (30e6 + 2 * room.sceneBytes + Double(working)) / (1e6 * room.peak)
      #expect(share > 0.8 && share < 1.8, "\(share)")
    }
  }

  private func stage(_ name: String, _ options: String) throws -> any Stage {
    let definition = try #require(StageRegistry(builtInStages)[name])
    let object = try #require(JSONReader.read(Array(options.utf8)).value)
    guard case .object(let members) = object.content else { return try #require(nil) }
    return try #require(definition.prepared(with: members) { _, _, _ in } as? any Stage)
  }
}
