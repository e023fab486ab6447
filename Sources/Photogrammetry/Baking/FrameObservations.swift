package import MeshPipeline
import NativeLibraries
import SurfaceKernels

/// The observations of a mesh's vertices in all frames of a capture, and the frames' calibration that
/// follows from them: the first of the three steps of a bake.
///
/// ``ViewSelection`` is the second, ``TextureComposition`` the third.
package struct FrameObservations: Sendable {
  package let calibration: FrameCalibration
  /// Which frames see each vertex, and how.
  let table: ViewTable

  /// Analyses each frame once, at reduced size.
  package init(
    _ cells: CellSurface, on surface: ObservedSurface, frames: [Capture.Frame],
    options: BakeOptions, progress: (Double) throws -> Void
  ) throws {
    let options = options.held(to: Self.leastError(surface, frames))
    let domain = BakeDomain(
      cells, on: surface, meshError: options.sightings.limits.meshError)
    let spacing = domain.spacing()
    var analyzed = AnalyzedFrames(domain, frames, options)
    try analyzed.add(frames, of: domain, spacing: spacing, options, progress: progress)
    calibration = FrameCalibration(
      frames, domain, &analyzed, spacing: spacing, options: options)
    table = analyzed.table
  }

  /// The distance by which rays miss the mesh through rounding of coordinates alone, in metres.
  private static func leastError(_ surface: ObservedSurface, _ frames: [Capture.Frame]) -> Float {
    var box = Box(surface.positions)
    for frame in frames { box.add(SIMD3<Float>(frame.pose.translation)) }
    let largest = max(box.maximum.max(), -box.minimum.min())
    guard largest.isFinite else { return 0 }
    // Several roundings, of 2⁻²⁴ each, on the way into the camera's axes and back.
    return largest * 0x1p-19 / surface.unitsPerMeter
  }
}

/// The frames as they are analysed one after the other, each by itself.
struct AnalyzedFrames {
  var table: ViewTable
  private(set) var occlusions: [OcclusionMap?] = []
  private(set) var thumbnails: [FrameThumbnail?] = []
  private(set) var faults = FrameFaults()

  /// None yet.
  fileprivate init(_ domain: BakeDomain, _ frames: [Capture.Frame], _ options: BakeOptions) {
    let count = domain.cells.vertexCount
    let room = options.imageMemory / (MemoryLayout<ViewTable.View>.stride * max(1, count))
    table = ViewTable(
      vertexCount: count, maximumViews: max(options.leastViews, min(room, frames.count)))
  }

  fileprivate mutating func add(
    _ frames: [Capture.Frame], of domain: BakeDomain, spacing: [Float], _ options: BakeOptions,
    progress: (Double) throws -> Void
  ) throws {
    var sightings = options.sightings
    sightings.occlusionStep = OcclusionMap.step(
      frames.map(\.imageSize), atLeast: sightings.occlusionStep, memory: options.imageMemory)
    var waiting: [SeenVertices?] = []
    let batch = options.batchSize(frames, bytesPerPixel: 12, reduction: sightings.reduction)
    for start in stride(from: 0, to: frames.count, by: batch) {
      let range = start..<min(start + batch, frames.count)
      let found = Parallel.map(count: range.count) { [sightings] place in
        Analysis(
          of: frames[range.lowerBound + place], domain, spacing: spacing, sightings,
          usesDepth: options.usesDepth)
      }
      for (place, analysis) in found.enumerated() {
        waiting.append(analysis.sightings?.seen)
        occlusions.append(analysis.sightings?.occlusion)
        thumbnails.append(analysis.sightings?.thumbnail)
        if let fault = analysis.fault { faults.dropped.append((start + place, fault)) }
        if let fault = analysis.depthFault { faults.depths.append((start + place, fault)) }
      }
      // Only a few at the same time, or they would take as much memory as the table.
      let count = waiting.reduce(0) { $0 + ($1?.vertices.count ?? 0) }
      if range.upperBound == frames.count || count > max(1 << 21, table.views.count / 8) {
        table.add(waiting, of: frames.count)
        waiting = []
      }
      try progress(Double(range.upperBound) / Double(frames.count))
    }
  }

  /// The result of decoding one frame.
  private struct Analysis: Sendable {
    var sightings: FrameSightings?
    var fault: String?
    var depthFault: String?

    init(
      of frame: Capture.Frame, _ domain: BakeDomain, spacing: [Float],
      _ options: FrameSightings.Options, usesDepth: Bool
    ) {
      do {
        let image = try frame.loadImage(reducedBy: options.reduction)
        let depth = usesDepth ? frame.readableDepth() : (map: nil, fault: nil)
        sightings = FrameSightings(
          of: domain.cells, at: domain.borders.lookouts, spacing: spacing, on: domain.surface,
          in: frame, image: image, depth: depth.map, options: options)
        depthFault = depth.fault
      } catch {
        fault = error.userMessage
      }
    }
  }
}
