package import MeshPipeline
import NativeLibraries

/// Fuses depth maps to a surface by a truncated signed distance field on a sparse grid of voxels
/// (Curless and Levoy 1996; Newcombe and others 2011; Nießner and others 2013).
///
/// Distances are taken along the normal of the measured surface (Bylow and others 2013). Depth maps are
/// decoded twice: once to find the blocks of the grid, and once for the field, so that frames before
/// a block was first seen carve it, too. Memory grows with the surface and not with the frames; the
/// result does not depend on the number of threads.
package struct DepthFusion: Sendable {
  package struct Settings: Sendable {
    /// The edge of a voxel in metres; nil for the median footprint of a pixel.
    package var voxel: Double?
    /// The distance from the surface at which distances are cut, in voxels.
    package var truncation = 4.0
    /// The greatest depth used, in metres.
    package var maximumDepth = 5.0
    /// Depths of less confidence are ignored; 0 low, 1 medium, 2 high.
    package var minimumConfidence = 1
    /// The least sum of weights of a voxel of the surface; a good depth at 1 m counts 1.
    package var minimumWeight = 0.05
    /// The standard deviation of a good depth at 1 m, in metres: what is within it is smoothed; 0
    /// for exact depths.
    package var noise = 0.004
    /// The square root of the least area of a part, in voxels.
    package var minimumWidth = 8.0

    package init() {}
  }

  /// Why depth maps can't be fused.
  package enum Failure: Error {
    /// No frame has a readable depth map with depths in range, and why the first one has none.
    case noDepth(reason: String)
    /// The surface is farther from the origin than a million blocks.
    case tooFar(frame: String)
    /// The surface needs more blocks than fit into memory.
    case tooManyBlocks(voxel: Double)
  }

  package struct Result: Sendable {
    package var mesh: Mesh
    /// Metres.
    package var voxel: Double
    /// Frames whose depth map can't be read, and why.
    package var faults: [(frame: String, reason: String)]
    package var frameCount: Int
  }

  private let frames: [Capture.DepthFrame]
  private let scale: MetricScale
  private let settings: Settings
  /// Depth maps that are decoded and fitted at a time.
  private static let batch = 16
  /// The number of frames that decide on the size of voxels.
  private static let sampleCount = 32
  /// 4 GB of voxels.
  private static let mostBlocks = 1_000_000

  package init(_ frames: [Capture.DepthFrame], _ system: CoordinateSystem, _ settings: Settings) {
    self.frames = frames
    scale = MetricScale(system)
    self.settings = settings
  }

  private var limits: DepthPlanes.Limits {
    DepthPlanes.Limits(
      depths: 0.1...max(0.1, Float(settings.maximumDepth)),
      minimumConfidence: UInt8(settings.minimumConfidence))
  }

  /// - Parameter progress: Receives the finished share, and may cancel by an error.
  package func fused(_ progress: (Double) throws -> Void) throws -> Result {
    let voxel = try settings.voxel ?? footprint()
    let truncation = Float(settings.truncation * voxel)
    var keys: Set<UInt64> = []
    var faults: [(String, String)] = []
    for first in stride(from: 0, to: frames.count, by: Self.batch) {
      let found = Parallel.map(count: min(Self.batch, frames.count - first)) {
        index -> (Set<UInt64>?, String?) in
        let (view, fault) = view(of: frames[first + index])
        return (
          view.map { $0.touchedBlocks(voxel: Float(voxel), truncation: truncation) ?? nil } ?? [],
          fault
        )
      }
      for (index, (touched, fault)) in found.enumerated() {
        let frame = frames[first + index].name
        guard let touched else { throw Failure.tooFar(frame: frame) }
        keys.formUnion(touched)
        if let fault { faults.append((frame, fault)) }
      }
      guard keys.count <= Self.mostBlocks else { throw Failure.tooManyBlocks(voxel: voxel) }
      try progress(0.3 * Double(first) / Double(frames.count))
    }
    guard !keys.isEmpty else { throw noDepth(faults) }
    var blocks = VoxelBlocks(keys, voxel: Float(voxel))
    keys = []
    let integration = DepthIntegration(voxel: Float(voxel), truncation: truncation)
    for first in stride(from: 0, to: frames.count, by: Self.batch) {
      let views = Parallel.map(count: min(Self.batch, frames.count - first)) {
        view(of: frames[first + $0]).view
      }
      for view in views {
        if let view { blocks.integrate(view, integration) }
      }
      try progress(0.3 + 0.5 * Double(first) / Double(frames.count))
    }
    blocks.finish(minimumWeight: max(Float(settings.minimumWeight), .leastNormalMagnitude))
    var surface = SurfaceExtraction(blocks).surface()
    try progress(0.9)
    if settings.noise > 0 {
      surface.denoise(blocks, SurfaceDenoising.Noise(deviation: Float(settings.noise)))
    }
    let mesh = withoutFragments(inScene(surface), voxel)
    return Result(mesh: mesh, voxel: voxel, faults: faults, frameCount: frames.count)
  }

  private func noDepth(_ faults: [(frame: String, reason: String)]) -> Failure {
    guard let first = faults.first else {
      return .noDepth(
        reason: "no depth is between 0.1 and \(settings.maximumDepth) m and of confidence "
          + "\(settings.minimumConfidence) or more")
    }
    return .noDepth(reason: "frame '\(first.frame)': \(first.reason)")
  }

  /// Leaves out parts that are a few voxels wide: noise, and what moved.
  private func withoutFragments(_ mesh: Mesh, _ voxel: Double) -> Mesh {
    var mesh = mesh
    let parts = FaceComponents(sharingVerticesOf: mesh.indices, vertexCount: mesh.vertexCount)
    var areas = [Double](repeating: 0, count: parts.count)
    for face in 0..<mesh.faceCount { areas[Int(parts.labels[face])] += mesh.area(ofFace: face) }
    let width = scale.units(meters: settings.minimumWidth * voxel)
    mesh.keepFaces(parts.labels.map { areas[Int($0)] >= width * width })
    return mesh
  }

  private func inScene(_ surface: FusedSurface) -> Mesh {
    var mesh = Mesh(
      positions: Parallel.array(count: surface.positions.count) {
        let position = surface.positions[$0]
        return Vector3(
          scale.units(meters: position.x), scale.units(meters: position.y),
          scale.units(meters: position.z))
      }, indices: surface.indices)
    mesh.normals = surface.normals
    mesh.confidences = surface.weights.map(FusedSurface.confidence)
    return mesh
  }

  private func view(of frame: Capture.DepthFrame) -> (view: DepthView?, fault: String?) {
    let (map, fault) = frame.depth.readable()
    guard let map, map.width > 0, map.height > 0 else { return (nil, fault ?? "it is empty") }
    return (DepthView(map, frame, scale, limits), fault)
  }

  /// The median width of a pixel on the surface, in metres, over some frames.
  private func footprint() throws -> Double {
    let count = min(frames.count, Self.sampleCount)
    let widths = Parallel.map(count: count) { place -> [Float] in
      let frame = frames[place * frames.count / count]
      guard let map = frame.depth.readable().map else { return [] }
      let focal = Float(
        frame.intrinsics.scaled(from: frame.imageSize, to: map.size).focalLength.x)
      let limits = limits
      return stride(from: 0, to: map.meters.count, by: 37).compactMap { index in
        guard limits.depths.contains(map.meters[index]),
          map.confidences.map({ $0[index] >= limits.minimumConfidence }) ?? true
        else { return nil }
        return map.meters[index] / focal
      }
    }
    guard let median = widths.flatMap(\.self).median(), median > 0 else {
      throw noDepth(frames.compactMap { frame in view(of: frame).fault.map { (frame.name, $0) } })
    }
    return Double(median)
  }
}
