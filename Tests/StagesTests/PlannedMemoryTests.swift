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
}
