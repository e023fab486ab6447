import MeshpipeBase
package import MeshpipeScene
import NativeLibraries
import SurfaceKernels

/// Fuses depth maps to a surface by a truncated signed distance field on a sparse grid of voxels
/// (Curless and Levoy 1996; Newcombe and others 2011; Nießner and others 2013).
///
/// Distances are taken along the normal of the measured surface (Bylow and others 2013). Depth maps are
/// decoded twice: once to find the blocks of the grid, and once for the field, so that frames before
/// a block was first seen carve it, too; and between these for a rough surface, where their biases are
/// taken out. Memory grows with the surface and not with the frames; the result does not depend on the
/// number of threads.
package struct DepthFusion: Sendable {
  package struct Settings: Sendable {
    /// The edge of a voxel in metres; nil for the median width of what one depth resolves: its pixel, or its noise.
    package var voxel: Double?
    /// The distance from the surface at which distances are cut, in voxels.
    package var truncation = 4.0
    /// The greatest depth used, in metres.
    package var maximumDepth: Double
    /// Depths of less confidence are ignored; 0 low, 1 medium, 2 high.
    package var minimumConfidence: Int
    /// The least sum of weights of a voxel of the surface; a good depth at 1 m counts 1.
    package var minimumWeight: Double
    /// The least number of frames whose depths agree with the surface within the truncation; up to 255.
    package var minimumFrames: Int
    /// The standard deviation of a good depth at 1 m, in metres: what is within it is smoothed; 0
    /// for exact depths.
    package var noise: Double
    /// The square root of the least area of a part, in voxels.
    package var minimumWidth = 8.0

    /// The most blocks of voxels: 4 GB.
    package var mostBlocks = 1_000_000

    /// Whether the smooth error of each depth map is estimated and taken out; nil for where that helps.
    package var removesBias: Bool?

    package init(
      voxel: Double?, maximumDepth: Double, minimumConfidence: Int, minimumWeight: Double,
      minimumFrames: Int, noise: Double, removesBias: Bool?
    ) {
      self.voxel = voxel
      self.maximumDepth = maximumDepth
      self.minimumConfidence = minimumConfidence
      self.minimumWeight = minimumWeight
      self.minimumFrames = minimumFrames
      self.noise = noise
      self.removesBias = removesBias
    }
  }

  /// Why depth maps can't be fused.
  package enum Failure: Error {
    /// No frame has a readable depth map with depths in range, and why the first one has none.
    case noDepth(reason: String)
    /// All surfaces are farther from the origin than a million blocks.
    case tooFar(frame: String)
    /// The surface needs more blocks than fit into memory.
    case tooManyBlocks(voxel: Double)
    /// No voxel has enough weight, or all surfaces are smaller than one.
    case noSurface(voxel: Double)
  }

  package struct Result: Sendable {
    package var mesh: Mesh
    /// The edge of a voxel in metres.
    package var voxel: Double
    /// The edge of voxels that fit the pixels, if these were too many; nil if ``voxel`` is that.
    package var finerVoxel: Double?
    /// Frames whose depth map is not used, or without its confidences, and why.
    package var faults: [(frame: String, reason: String)]
    /// Frames of whose depths many are elsewhere than the surface, and the share of these.
    package var contradictions: [(frame: String, share: Double)]
    package var frameCount: Int
    /// The mean correction of depths by their smooth error, in metres; nil if none was taken out.
    package var bias: Float?
  }

  private let maps: DepthMaps
  private let settings: Settings
  /// The number of frames that decide on the size of voxels, and the step between their pixels: a
  /// prime, so that these are in all columns.
  private static let sample = (frames: 32, step: 37)
  /// The narrowest voxel, in standard deviations of a good depth.
  ///
  /// Of a synthetic room with 640 × 480 depths, by 5 and 40 frames, such voxels give what those of a pixel's width give,
  /// within a tenth of a millimetre and .3 % of the surface, for half of the time and memory.
  private static let leastDeviations = 0.65
  /// The shares of the time after which the blocks, the rough surface, the field and the surface are there.
  private static let shares = (blocks: 0.3, rough: 0.45, field: 0.8, surface: 0.9)
  /// The width of the voxels of the rough surface, in those of the field: biases are means over cells that are many
  /// pixels wide, of which a voxel is about one.
  private static let roughness = 2.0
  /// The greatest number of depth maps whose biases are taken out if nothing is said: the means of more of
  /// them have little left.
  private static let mostBiased = 500
  /// A frame is named if a larger share of its depths is contradicted, also as a multiple of the median.
  private static let contradicted = (share: 0.25, multiple: 4.0)
  /// The factor by which voxels become wider, where they are too many.
  private static let widening = 1.4

  package init(_ frames: [Capture.DepthFrame], _ system: CoordinateSystem, _ settings: Settings) {
    maps = DepthMaps(
      frames, system, maximumDepth: settings.maximumDepth,
      minimumConfidence: settings.minimumConfidence, isExtended: true)
    self.settings = settings
  }

  private var frames: [Capture.DepthFrame] { maps.frames }

  /// The fused surface, in units and axes of the scene.
  ///
  /// Without a width of voxels, wider ones are tried where the surface needs too many.
  ///
  /// - Parameter progress: Receives the finished share, and may cancel by an error.
  /// - Throws: ``Failure``, an error of the ray tracer, or what `progress` throws.
  package func fused(_ progress: (Double) throws -> Void) throws -> Result {
    if let voxel = settings.voxel { return try fused(voxel, progress) }
    let fitting = try resolution()
    var voxel = fitting
    var finished = 0.0
    while true {
      do {
        var result = try fused(voxel) {
          // A second attempt does not go back to the beginning.
          finished = max(finished, $0)
          try progress(finished)
        }
        result.finerVoxel = voxel == fitting ? nil : fitting
        return result
      } catch Failure.tooManyBlocks {
        voxel *= Self.widening
      }
    }
  }

  private func fused(_ voxel: Double, _ progress: (Double) throws -> Void) throws -> Result {
    let integration = DepthIntegration(
      voxel: Float(voxel), truncation: Float(settings.truncation * voxel))
    let touched = try touchedBlocks(voxel, integration.truncation) {
      try progress(Self.shares.blocks * $0)
    }
    let rough = removesBias ? try roughSurface(touched, voxel, progress) : nil
    let start = rough == nil ? Self.shares.blocks : Self.shares.rough
    var blocks = VoxelBlocks(
      touched.keys, voxel: Float(voxel), countsFrames: settings.minimumFrames > 1)
    var testimonies: [(frame: Int, DepthTestimony)] = []
    var corrections: Float = 0
    try integrate(
      touched, into: &blocks, integration,
      corrected: { view in
        rough.map { DepthBias(of: view, from: $0).removed(from: view) } ?? view
      }
    ) { index, view in
      testimonies.append((index, DepthTestimony(view)))
      corrections += view.correction
      let done = Double(index + 1) / Double(frames.count)
      try progress(start + (Self.shares.field - start) * done)
    }
    let contradictions = contradictions(testimonies, blocks, integration.truncation)
    let bias = rough == nil ? nil : corrections / Float(max(testimonies.count, 1))
    let surface = surface(of: blocks)
    try progress(Self.shares.surface)
    let mesh = withoutFragments(inScene(surface), voxel)
    guard mesh.faceCount > 0 else { throw Failure.noSurface(voxel: voxel) }
    return Result(
      mesh: mesh, voxel: voxel, faults: touched.faults, contradictions: contradictions,
      frameCount: frames.count, bias: bias)
  }

  private var removesBias: Bool {
    if let asked = settings.removesBias { return asked }
    guard settings.noise > 0, frames.count > 1, frames.count <= Self.mostBiased else {
      return false
    }
    return (frames[0].depth.headerSize?.x ?? 0) >= DepthBias.leastWidth
  }

  /// Adds all depth maps to an empty field.
  ///
  /// - Parameters:
  ///   - corrected: What is added for a view.
  ///   - added: Receives the indices of frames, and what was added for them.
  private func integrate(
    _ touched: TouchedBlocks, into blocks: inout VoxelBlocks, _ integration: DepthIntegration,
    corrected: @Sendable (DepthView) -> DepthView = { $0 },
    added: (Int, DepthView) throws -> Void
  ) throws {
    for batch in maps.batches() {
      let views = Parallel.map(count: batch.count) { place in
        let index = batch.lowerBound + place
        return touched.isFar[index] ? nil : maps.view(of: index).view.map(corrected)
      }
      for (index, view) in zip(batch, views) {
        guard let view else { continue }
        blocks.integrate(view, integration)
        try added(index, view)
      }
    }
    blocks.finish(
      minimumWeight: max(Float(settings.minimumWeight), .leastNormalMagnitude),
      minimumFrames: settings.minimumFrames)
  }

  /// The surface of all depth maps as they are, which the biases of each are measured against.
  private func roughSurface(
    _ touched: TouchedBlocks, _ voxel: Double, _ progress: (Double) throws -> Void
  ) throws -> RayTracer {
    let keys = touched.keys.map { SparseBlocks.key(SparseBlocks.coordinates($0) &>> 1) }
    var blocks = VoxelBlocks(
      Set(keys), voxel: Float(Self.roughness * voxel), countsFrames: settings.minimumFrames > 1)
    let integration = DepthIntegration(
      voxel: blocks.voxel, truncation: Float(settings.truncation * voxel))
    try integrate(touched, into: &blocks, integration) { index, _ in
      let done = Double(index + 1) / Double(frames.count)
      try progress(Self.shares.blocks + (Self.shares.rough - Self.shares.blocks) * done)
    }
    let surface = surface(of: blocks)
    return try RayTracer(positions: surface.positions, indices: surface.indices)
  }

  private func surface(of blocks: VoxelBlocks) -> FusedSurface {
    var surface = SurfaceExtraction(blocks).surface()
    if settings.noise > 0 {
      surface.denoise(blocks, SurfaceDenoising.Noise(deviation: Float(settings.noise)))
    }
    return surface
  }

  private func contradictions(
    _ testimonies: [(frame: Int, DepthTestimony)], _ blocks: VoxelBlocks, _ truncation: Float
  ) -> [(frame: String, share: Double)] {
    let shares = Parallel.map(count: testimonies.count) { index in
      testimonies[index].1.contradictedShare(in: blocks, truncation: truncation)
    }
    let median = shares.compactMap(\.self).median() ?? 0
    let limit = max(Self.contradicted.share, Self.contradicted.multiple * median)
    return zip(testimonies, shares).compactMap { testimony, share in
      guard let share, share > limit else { return nil }
      return (frames[testimony.frame].name, share)
    }
  }

  /// The blocks at measured surfaces, and the frames whose surface is too far away for one.
  private struct TouchedBlocks {
    var keys: Set<UInt64> = []
    var isFar: [Bool]
    var faults: [(frame: String, reason: String)] = []
  }

  private func touchedBlocks(
    _ voxel: Double, _ truncation: Float, _ progress: (Double) throws -> Void
  ) throws -> TouchedBlocks {
    var result = TouchedBlocks(isFar: [Bool](repeating: false, count: frames.count))
    for batch in maps.batches() {
      let found = Parallel.map(count: batch.count) { index -> (Set<UInt64>?, String?) in
        let (view, fault) = maps.view(
          of: batch.lowerBound + index, rowStep: DepthView.allocationStep)
        guard let view else { return ([], fault) }
        return (view.touchedBlocks(voxel: Float(voxel), truncation: truncation), fault)
      }
      for (index, (keys, fault)) in zip(batch, found) {
        result.isFar[index] = keys == nil
        result.keys.formUnion(keys ?? [])
        let far = keys == nil ? "it is a million blocks of voxels away from the origin" : nil
        if let reason = far ?? fault { result.faults.append((frames[index].name, reason)) }
      }
      guard result.keys.count <= settings.mostBlocks else {
        throw Failure.tooManyBlocks(voxel: voxel)
      }
      try progress(Double(batch.upperBound) / Double(frames.count))
    }
    guard result.keys.isEmpty else { return result }
    if let far = result.isFar.firstIndex(of: true) {
      throw Failure.tooFar(frame: frames[far].name)
    }
    throw Failure.noDepth(reason: maps.reasonForNone(result.faults))
  }

  /// Leaves out parts that are a few voxels wide: noise, and what moved.
  private func withoutFragments(_ mesh: Mesh, _ voxel: Double) -> Mesh {
    var mesh = mesh
    let parts = FaceComponents(sharingVerticesOf: mesh.indices, vertexCount: mesh.vertexCount)
    var areas = [Double](repeating: 0, count: parts.count)
    for face in 0..<mesh.faceCount { areas[Int(parts.labels[face])] += mesh.area(ofFace: face) }
    let width = maps.scale.units(meters: settings.minimumWidth * voxel)
    mesh.keepFaces(parts.labels.map { areas[Int($0)] >= width * width })
    return mesh
  }

  private func inScene(_ surface: FusedSurface) -> Mesh {
    var mesh = Mesh(
      positions: Parallel.array(count: surface.positions.count) {
        maps.scale.units(meters: surface.positions[$0])
      }, indices: surface.indices)
    mesh.normals = surface.normals
    mesh.confidences = surface.weights.map(FusedSurface.confidence)
    return mesh
  }

  /// The median width on the surface of what a depth resolves, in metres, over some frames.
  ///
  /// The noise of a depth grows with its distance, as the width of its pixel does.
  private func resolution() throws -> Double {
    let some = frames.evenly(atMost: Self.sample.frames)
    let leastWidth = Float(Self.leastDeviations * settings.noise)
    let widths = Parallel.map(count: some.count) { position -> [Float] in
      let frame = some[position]
      guard let map = frame.depth.readable().map else { return [] }
      let focal = Float(
        frame.intrinsics.scaled(from: frame.imageSize, to: map.size).focalLength.x)
      let limits = maps.limits
      return stride(from: 0, to: map.meters.count, by: Self.sample.step).compactMap { index in
        guard limits.depths.contains(map.meters[index]),
          map.confidences.map({ $0[index] >= limits.minimumConfidence }) ?? true
        else { return nil }
        return map.meters[index] * max(1 / focal, leastWidth)
      }
    }
    guard let median = widths.flatMap(\.self).median(), median > 0 else {
      throw Failure.noDepth(
        reason: maps.reasonForNone(
          frames.indices.compactMap { index in
            maps.view(of: index).fault.map { (frames[index].name, $0) }
          }))
    }
    return Double(median)
  }
}
