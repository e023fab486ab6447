package import MeshPipeline
import NativeLibraries
import SurfaceKernels

/// The observations of a mesh's vertices in all frames of a capture, and the frames' calibration that
/// follows from them: the first of the three steps of a bake.
///
/// ``ViewSelection`` is the second, ``TextureComposition`` the third: the steps of Waechter et al., "Let there be
/// color! Large-scale texturing of 3D reconstructions" (2014), with vertices of a ``BakeMesh`` in place of faces.
///
/// In: a mesh in units and axes of the scene, and frames with pose, intrinsics and lens (``Camera``), each with an
/// image and perhaps a depth map in metres. Out: for each vertex the frames that see it (``ObservationTable``: linear
/// light, resolution in pixels per metre, confidence), and for each frame gains, sharpness and a mask.
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

  /// The error of a coordinate as a share of the largest: several roundings, of 2⁻²⁴ each, on the way into the
  /// camera's axes and back.
  private static let roundingError: Float = 0x1p-19

  /// The distance by which rays miss the mesh through rounding of coordinates alone, in metres.
  private static func leastError(_ surface: ObservedSurface, _ frames: [Capture.Frame]) -> Float {
    var box = Box(surface.positions)
    for frame in frames { box.add(SIMD3<Float>(frame.pose.translation)) }
    let largest = max(box.maximum.max(), -box.minimum.min())
    guard largest.isFinite else { return 0 }
    return surface.scale.meters(largest * Self.roundingError)
  }
}

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
    let batch = options.batchSize(
      frames, bytesPerPixel: Self.bytesPerPixel, reduction: frameOptions.reduction)
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
