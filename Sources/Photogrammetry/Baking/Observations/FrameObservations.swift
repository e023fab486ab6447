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
  let table: ObservationTable

  /// Analyses each frame once, at reduced size.
  ///
  /// - Parameter store: Cleared at the end, since the next steps need the memory.
  package init(
    _ mesh: BakeMesh, on surface: ObservedSurface, frames: [Capture.Frame],
    from store: FrameStore = FrameStore(capacity: 0), options: BakeOptions,
    progress: (Double) throws -> Void
  ) throws {
    let options = options.held(to: Self.leastError(surface, frames))
    let domain = BakeDomain(
      mesh, on: surface, meshError: options.analysis.limits.meshError)
    let spacing = domain.spacing()
    var analyzed = AnalyzedFrames(domain, frames, options)
    try analyzed.add(frames, from: store, of: domain, spacing: spacing, options, progress: progress)
    store.clear()
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
  var table: ObservationTable
  private(set) var depthBounds: [DepthBounds?] = []
  private(set) var thumbnails: [FrameThumbnail?] = []
  private(set) var faults = FrameFaults()

  /// None yet.
  fileprivate init(_ domain: BakeDomain, _ frames: [Capture.Frame], _ options: BakeOptions) {
    let count = domain.mesh.vertexCount
    let room =
      options.imageMemory / (MemoryLayout<ObservationTable.Observation>.stride * max(1, count))
    table = ObservationTable(
      vertexCount: count,
      maximumObservations: max(options.leastObservations, min(room, frames.count)))
  }

  fileprivate mutating func add(
    _ frames: [Capture.Frame], from store: FrameStore, of domain: BakeDomain, spacing: [Float],
    _ options: BakeOptions, progress: (Double) throws -> Void
  ) throws {
    var frameOptions = options.analysis
    frameOptions.depthBoundsStep = DepthBounds.step(
      frames.map(\.imageSize), atLeast: frameOptions.depthBoundsStep, memory: options.imageMemory)
    var waiting: [VertexMeasurements?] = []
    let batch = options.batchSize(frames, bytesPerPixel: 12, reduction: frameOptions.reduction)
    for start in stride(from: 0, to: frames.count, by: batch) {
      let range = start..<min(start + batch, frames.count)
      let found = Parallel.map(count: range.count) { [frameOptions] place in
        Result(
          of: frames[range.lowerBound + place], from: store, domain, spacing: spacing, frameOptions,
          usesDepth: options.usesDepth)
      }
      for (place, result) in found.enumerated() {
        waiting.append(result.analysis?.seen)
        depthBounds.append(result.analysis?.depthBounds)
        thumbnails.append(result.analysis?.thumbnail)
        if let fault = result.fault { faults.dropped.append((start + place, fault)) }
        if let fault = result.depthFault { faults.depths.append((start + place, fault)) }
      }
      // Only a few at the same time, or they would take as much memory as the table.
      let count = waiting.reduce(0) { $0 + ($1?.vertices.count ?? 0) }
      if range.upperBound == frames.count || count > max(1 << 21, table.observations.count / 8) {
        table.add(waiting, of: frames.count)
        waiting = []
      }
      try progress(Double(range.upperBound) / Double(frames.count))
    }
  }

  /// The result of decoding one frame.
  private struct Result: Sendable {
    var analysis: FrameAnalysis?
    var fault: String?
    var depthFault: String?

    init(
      of frame: Capture.Frame, from store: FrameStore, _ domain: BakeDomain, spacing: [Float],
      _ options: FrameAnalysis.Options, usesDepth: Bool
    ) {
      do {
        let image = try frame.loadImage(reducedBy: options.reduction, from: store)
        let depth = usesDepth ? frame.readableDepth() : (map: nil, fault: nil)
        analysis = FrameAnalysis(
          of: domain.mesh, at: domain.borders.samplePositions, spacing: spacing, on: domain.surface,
          in: frame, image: image, depth: depth.map, options: options)
        depthFault = depth.fault
      } catch {
        fault = error.userMessage
      }
    }
  }
}
