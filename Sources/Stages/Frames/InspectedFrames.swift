import MeshPipeline
import NativeLibraries
import Photogrammetry
import SurfaceKernels

/// What the images of a capture say about its frames.
struct InspectedFrames {
  private(set) var inspections: [FrameInspection] = []
  /// The logarithm to base 2 of how sharp each frame is: 0 where edges are as wide as other frames
  /// predict, −1 where they are twice as wide; nil for frames that can't be judged.
  private(set) var sharpness: [Float?]
  /// The number of surface points of which the views are known.
  let sampleCount: Int

  /// The number of surface points for comparing sharpness and measuring coverage.
  static let sampleCount = 6000
  /// The number of frames between two progress reports.
  private static let batch = 16

  /// Reads all images, a few at a time and at reduced size.
  init(_ scene: Scene, in context: StageContext, progress: (Double) throws -> Void) throws {
    let frames = scene.capture?.frames ?? []
    let surface = try scene.faceCount > 0 ? ObservedSurface(scene) : nil
    let samples = surface.map { SurfaceSamples(of: $0, count: Self.sampleCount) }
    for first in stride(from: 0, to: frames.count, by: Self.batch) {
      let batch = Array(frames[first..<min(first + Self.batch, frames.count)])
      inspections += Parallel.map(count: batch.count) {
        FrameInspection(
          of: batch[$0], surface: surface, samples: samples, from: context.frameStore)
      }
      try progress(Double(inspections.count) / Double(frames.count))
    }
    sampleCount = samples?.count ?? 0
    sharpness =
      sampleCount > 0
      ? RelativeSharpness.relativeToPeers(inspections.map(\.observations), sampleCount: sampleCount)
      // Edge width in an image depends on its subject as much as on blur.
      : RelativeSharpness.relativeToNeighbors(inspections.map(\.edgeWidths)).map {
        $0.map { $0 / 2 }
      }
  }
}
