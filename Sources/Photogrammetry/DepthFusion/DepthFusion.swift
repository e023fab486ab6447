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
    /// The edge of a voxel at thin parts and edges in metres, about; nil for what stereo resolves there.
    package var fineVoxel: Double?
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
    /// The edge of a voxel at thin parts and edges in metres; nil if it is ``voxel``.
    package var fineVoxel: Double?
    /// The edge of voxels that fit the pixels, if these were too many; nil if ``voxel`` is that.
    package var finerVoxel: Double?
    /// Frames whose depth map is not used, or without its confidences, and why.
    package var faults: [(frame: String, reason: String)]
    /// Frames of whose depths many are elsewhere than the surface, and the share of these.
    package var contradictions: [(frame: String, share: Double)]
    package var frameCount: Int
    /// The mean correction of depths by their smooth error, in metres; nil if none was taken out.
    package var bias: Float?
    /// Sessions of which one shows surface where another sees free space.
    package var changes: [SessionChanges.Contradiction] = []
  }

  private var maps: DepthMaps
  private let settings: Settings
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
  /// The width of voxels in those that depths resolve at details, from which on these are a half or a quarter.
  private static let steps = (half: 1.4, quarter: 2.8)
  /// The fewest depth maps that show a detail: outliers are in one.
  private static let leastSightings = 2
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
    let changes = try SessionChanges(frames, maps.system, settings) { try progress(0) }
    guard let changes else { return try fusedAll(progress) }
    var fusion = self
    fusion.maps.changes = changes
    var result = try fusion.fusedAll(progress)
    result.changes = changes.contradictions
    return result
  }

  private func fusedAll(_ progress: (Double) throws -> Void) throws -> Result {
    if let voxel = settings.voxel { return try fused(voxel, progress) }
    let fitting = try fittingVoxel()
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
    let ratio = ratio(of: voxel)
    let touched = try touchedBlocks(voxel, ratio) { try progress(Self.shares.blocks * $0) }
    let rough = removesBias ? try roughSurface(touched, voxel, progress) : nil
    let start = rough == nil ? Self.shares.blocks : Self.shares.rough
    var field = emptyField(touched, voxel, ratio)
    var testimonies: [(frame: Int, DepthTestimony)] = []
    var corrections: Float = 0
    try integrate(
      touched, into: &field, truncation: settings.truncation * voxel,
      corrected: { view in
        guard let rough, view.planes.noise == .sensor else { return view }
        return DepthBias(of: view, from: rough).removed(from: view)
      }
    ) { index, view in
      testimonies.append((index, DepthTestimony(view)))
      corrections += view.correction
      let done = Double(index + 1) / Double(frames.count)
      try progress(start + (Self.shares.field - start) * done)
    }
    let contradictions = contradictions(
      testimonies, field.blocks, Float(settings.truncation * voxel))
    let bias = rough == nil ? nil : corrections / Float(max(testimonies.count, 1))
    let surface = surface(of: field)
    try progress(Self.shares.surface)
    let mesh = withoutFragments(
      inScene(surface), voxel,
      details: field.details.map { (surface.starts[1][0], Double($0.blocks.voxel)) })
    guard mesh.faceCount > 0 else { throw Failure.noSurface(voxel: voxel) }
    return Result(
      mesh: mesh, voxel: voxel, fineVoxel: field.details.map { voxel / Double($0.ratio) },
      faults: touched.faults,
      contradictions: contradictions, frameCount: frames.count, bias: bias)
  }

  /// The grids at the measured surface.
  private func emptyField(_ touched: TouchedBlocks, _ voxel: Double, _ ratio: Int) -> FusedField {
    let countsFrames = settings.minimumFrames > 1
    var field = FusedField(
      blocks: VoxelBlocks(touched.keys, voxel: Float(voxel), countsFrames: countsFrames))
    let leaves = touched.details
    guard !leaves.isEmpty else { return field }
    var keys = leaves
    for key in leaves {
      let block = SparseBlocks.coordinates(key)
      for corner in 1..<8 {
        keys.insert(
          SparseBlocks.key(
            block &+ (SIMD3(Int32(corner), Int32(corner >> 1), Int32(corner >> 2)) & 1)))
      }
    }
    let fine = voxel / Double(ratio)
    field.details = FusedField.Details(
      blocks: VoxelBlocks(
        keys, voxel: Float(fine), offset: Float((voxel - fine) / 2), countsFrames: countsFrames),
      ratio: ratio, leaves: leaves)
    return field
  }

  private var removesBias: Bool {
    guard frames.contains(where: { DepthNoise($0.depth.origin) == .sensor }) else { return false }
    if let asked = settings.removesBias { return asked }
    guard settings.noise > 0, frames.count > 1, frames.count <= Self.mostBiased else {
      return false
    }
    return (frames[0].depth.headerSize?.x ?? 0) >= DepthBias.leastWidth
  }

  /// Adds all depth maps to an empty field.
  ///
  /// - Parameters:
  ///   - truncation: That of the coarse voxels, in metres.
  ///   - corrected: What is added for a view.
  ///   - added: Receives the indices of frames, and what was added for them.
  private func integrate(
    _ touched: TouchedBlocks, into field: inout FusedField, truncation: Double,
    corrected: @Sendable (DepthView) -> DepthView = { $0 },
    added: (Int, DepthView) throws -> Void
  ) throws {
    let integration = DepthIntegration(voxel: field.blocks.voxel, truncation: Float(truncation))
    for batch in maps.batches() {
      let views = Parallel.map(count: batch.count) { place in
        let index = batch.lowerBound + place
        return touched.isFar[index] ? nil : maps.view(of: index).view.map(corrected)
      }
      for (index, view) in zip(batch, views) {
        guard let view else { continue }
        field.blocks.integrate(view, integration)
        if let fine = field.details?.blocks.voxel {
          field.details?.blocks.integrate(
            view,
            DepthIntegration(
              voxel: fine, truncation: Float(settings.truncation) * fine, isFine: true))
        }
        try added(index, view)
      }
    }
    let minimumWeight = max(Float(settings.minimumWeight), .leastNormalMagnitude)
    field.blocks.finish(minimumWeight: minimumWeight, minimumFrames: settings.minimumFrames)
    field.details?.blocks.finish(
      minimumWeight: minimumWeight, minimumFrames: settings.minimumFrames)
  }

  /// The surface of all depth maps as they are, which the biases of each are measured against.
  private func roughSurface(
    _ touched: TouchedBlocks, _ voxel: Double, _ progress: (Double) throws -> Void
  ) throws -> RayTracer {
    let keys = touched.keys.map { SparseBlocks.key(SparseBlocks.coordinates($0) &>> 1) }
    var field = FusedField(
      blocks: VoxelBlocks(
        Set(keys), voxel: Float(Self.roughness * voxel), countsFrames: settings.minimumFrames > 1))
    try integrate(touched, into: &field, truncation: settings.truncation * voxel) { index, _ in
      let done = Double(index + 1) / Double(frames.count)
      try progress(Self.shares.blocks + (Self.shares.rough - Self.shares.blocks) * done)
    }
    let surface = surface(of: field)
    return try RayTracer(positions: surface.positions, indices: surface.indices)
  }

  private func surface(of field: FusedField) -> FusedSurface {
    var surface = SurfaceExtraction(field).surface()
    if settings.noise > 0 {
      surface.denoise(field, SurfaceDenoising.Noise(deviation: Float(settings.noise)))
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
    /// The fine blocks at details.
    var details: Set<UInt64> = []
    var isFar: [Bool]
    var faults: [(frame: String, reason: String)] = []
  }

  private func touchedBlocks(
    _ voxel: Double, _ ratio: Int, _ progress: (Double) throws -> Void
  ) throws -> TouchedBlocks {
    var result = TouchedBlocks(isFar: [Bool](repeating: false, count: frames.count))
    let truncation = Float(settings.truncation * voxel)
    let search =
      ratio > 1 ? DetailSearch(fine: Float(voxel) / Float(ratio), coarse: Float(voxel)) : nil
    var sightings: [UInt64: UInt8] = [:]
    for batch in maps.batches() {
      let found = Parallel.map(count: batch.count) {
        index -> (Set<UInt64>?, Set<UInt64>, String?) in
        let (view, fault) = maps.view(
          of: batch.lowerBound + index, rowStep: DepthView.allocationStep)
        guard let view else { return ([], [], fault) }
        let keys = view.touchedBlocks(voxel: Float(voxel), truncation: truncation)
        return (keys, search?.blocks(in: view, step: DepthView.allocationStep) ?? [], fault)
      }
      for (index, (keys, details, fault)) in zip(batch, found) {
        result.isFar[index] = keys == nil
        result.keys.formUnion(keys ?? [])
        for key in details { sightings[key] = min(sightings[key, default: 0], .max - 1) + 1 }
        let far = keys == nil ? "it is a million blocks of voxels away from the origin" : nil
        if let reason = far ?? fault { result.faults.append((frames[index].name, reason)) }
      }
      guard result.keys.count <= settings.mostBlocks else {
        throw Failure.tooManyBlocks(voxel: voxel)
      }
      try progress(Double(batch.upperBound) / Double(frames.count))
    }
    result.details = Set(sightings.lazy.filter { $0.value >= Self.leastSightings }.map(\.key))
    guard result.keys.count + result.details.count <= settings.mostBlocks else {
      throw Failure.tooManyBlocks(voxel: voxel)
    }
    guard result.keys.isEmpty else { return result }
    if let far = result.isFar.firstIndex(of: true) {
      throw Failure.tooFar(frame: frames[far].name)
    }
    throw Failure.noDepth(reason: maps.reasonForNone(result.faults))
  }

  /// Leaves out parts that are a few voxels wide: noise, and what moved.
  ///
  /// - Parameter details: The first vertex of the fine voxels, and their width: that of parts which are mostly fine.
  private func withoutFragments(
    _ mesh: Mesh, _ voxel: Double, details: (start: Int, voxel: Double)?
  ) -> Mesh {
    var mesh = mesh
    let parts = FaceComponents(sharingVerticesOf: mesh.indices, vertexCount: mesh.vertexCount)
    // Of all faces, and of the fine ones.
    var areas = [SIMD2<Double>](repeating: .zero, count: parts.count)
    let start = details?.start ?? mesh.vertexCount
    for face in 0..<mesh.faceCount {
      let area = mesh.area(ofFace: face)
      let isFine = Int(mesh.indices[3 * face]) >= start
      areas[Int(parts.labels[face])] += SIMD2(area, isFine ? area : 0)
    }
    let isLarge = areas.map { area in
      let isFine = 2 * area.y > area.x
      let width = maps.scale.units(
        meters: settings.minimumWidth * (isFine ? details?.voxel ?? voxel : voxel))
      return area.x >= width * width
    }
    mesh.keepFaces(parts.labels.map { isLarge[Int($0)] })
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

  /// The width of voxels in those at details: 4, 2, or 1 where depths resolve no more.
  private func ratio(of voxel: Double) -> Int {
    guard let fine = settings.fineVoxel ?? resolution.stereo(), fine > 0 else { return 1 }
    return voxel / fine >= Self.steps.quarter ? 4 : voxel / fine >= Self.steps.half ? 2 : 1
  }

  private var resolution: DepthResolution { DepthResolution(maps: maps, noise: settings.noise) }

  /// The width of voxels that fit the depths.
  private func fittingVoxel() throws -> Double {
    if let median = resolution.median() { return median }
    throw Failure.noDepth(
      reason: maps.reasonForNone(
        frames.indices.compactMap { index in
          maps.view(of: index).fault.map { (frames[index].name, $0) }
        }))
  }
}
