import MeshpipeScene
import NativeLibraries

/// The frames as they are analysed one after the other, each by itself.
struct AnalyzedFrames {
  /// Bytes of a pixel while a frame is analysed: 3 as it is decoded and 8 in linear light, and its pyramid's coarse
  /// levels.
  private static let bytesPerPixel = 12
  /// Measurements that wait to be sorted into the table: a batch of fewer would move the table's rows too often, and
  /// more would take as much memory as the table.
  ///
  /// The larger of this number and this part of the table.
  private static let leastWaiting = 1 << 21
  private static let waitingPart = 8

  var table: ObservationTable
  private(set) var depthBounds: [DepthBounds?] = []
  private(set) var thumbnails: [FrameThumbnail?] = []
  private(set) var faults = FrameFaults()

  /// None yet.
  init(_ domain: BakeDomain, _ frames: [Capture.Frame], _ options: BakeOptions) {
    let count = domain.mesh.vertexCount
    let room =
      options.imageMemory / (MemoryLayout<ObservationTable.Observation>.stride * max(1, count))
    table = ObservationTable(
      vertexCount: count,
      maximumObservations: max(options.leastObservations, min(room, frames.count)))
  }

  mutating func add(
    _ frames: [Capture.Frame], from store: FrameStore, of domain: BakeDomain, spacing: [Float],
    _ options: BakeOptions, progress: (Double) throws -> Void
  ) throws {
    var frameOptions = options.analysis
    frameOptions.depthBoundsStep = DepthBounds.step(
      frames.map(\.imageSize), atLeast: frameOptions.depthBoundsStep, memory: options.imageMemory)
    var waiting: [VertexMeasurements?] = []
    let batch = options.batchSize(
      frames, bytesPerPixel: Self.bytesPerPixel, reduction: frameOptions.reduction)
    for start in stride(from: 0, to: frames.count, by: batch) {
      let range = start..<min(start + batch, frames.count)
      let found = Parallel.map(count: range.count) { [frameOptions] index in
        Result(
          of: frames[range.lowerBound + index], from: store, domain, spacing: spacing, frameOptions,
          usesDepth: options.usesDepth)
      }
      for (place, result) in found.enumerated() {
        waiting.append(result.analysis?.seen)
        depthBounds.append(result.analysis?.depthBounds)
        thumbnails.append(result.analysis?.thumbnail)
        if let fault = result.fault { faults.dropped.append((start + place, fault)) }
        if let fault = result.depthFault { faults.depths.append((start + place, fault)) }
      }
      let count = waiting.reduce(0) { $0 + ($1?.vertices.count ?? 0) }
      if range.upperBound == frames.count
        || count > max(Self.leastWaiting, table.observations.count / Self.waitingPart)
      {
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

/// The frames and depth maps of a capture that could not be used, and why.
package struct FrameFaults: Sendable {
  /// Frames that could not be used.
  package var dropped: [(frame: Int, reason: String)] = []
  /// Frames whose depth maps could not be used, at least partly.
  package var depths: [(frame: Int, reason: String)] = []
}
