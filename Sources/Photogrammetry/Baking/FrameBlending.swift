package import MeshPipeline
import NativeLibraries
import SurfaceKernels

/// The frames of a capture as colours of a surface: the part that the baking stages share.
package struct FrameBlending {
  package struct Options: Sendable {
    package var sightings = FrameSightings.Options()
    package var shares = ViewShares.Options()
    package var solvesGains = true
    /// Whether surfaces that look brighter at grazing angles get their colour from views without
    /// reflections.
    package var removesGloss = true
    package var usesDepth = true
    /// How frames are levelled to the consensus locally; nil for one gain per frame.
    package var leveling: FrameLeveling.Options? = FrameLeveling.Options()
    /// How much of the fine detail that blending removes is restored: see ``DetailBoost``.
    package var detailBoost: Float = 0.36
    /// Whether objects that the mesh lacks are masked out: see ``ForegroundVote``.
    package var leavesOutForeground = true
    /// The most memory for decoded frames at the same time, in bytes; and for views of vertices,
    /// unless ``leastViews`` of each take more.
    package var imageMemory = 256 << 20
    /// The number of views of each vertex that are kept in any case: see ``ViewTable``.
    package var leastViews = 32

    package init() {}

    /// The least assumed error of the mesh, in metres.
    fileprivate func held(to leastError: Float) -> Options {
      var options = self
      options.sightings.limits.meshError = max(sightings.limits.meshError, leastError)
      return options
    }
  }

  package let cells: CellSurface
  let borders: CellBorders
  let surface: ObservedSurface
  package let frames: [Capture.Frame]
  let options: Options
  /// Empty once views are chosen: few of them are needed any more.
  private(set) var table: ViewTable
  /// Empty until views are chosen.
  private(set) var chosen: ChosenViews
  package private(set) var looks: FrameLooks
  package private(set) var consensus: ColorConsensus
  /// The share of the vertices that are glossy: see ``GlossEstimate``.
  package private(set) var glossyShare: Float
  private(set) var occlusions: [OcclusionMap?]
  /// Where frames show objects that the mesh lacks; nil for frames that don't.
  package private(set) var foregrounds: [ForegroundMask?]
  /// Frames that could not be used, and why.
  package private(set) var dropped: [(frame: Int, reason: String)] = []
  /// Frames whose depth maps could not be used, at least partly, and why.
  package private(set) var depthFaults: [(frame: Int, reason: String)] = []
  let offsets: [UInt32]
  let neighbors: [UInt32]

  /// Analyses all frames once, at reduced size.
  package init(
    _ cells: CellSurface, on surface: ObservedSurface, frames: [Capture.Frame], options: Options,
    progress: (Double) throws -> Void
  ) throws {
    self.cells = cells
    self.surface = surface
    self.frames = frames
    let options = options.held(to: Self.leastError(surface, frames))
    self.options = options
    var sightings = options.sightings
    sightings.occlusionStep = OcclusionMap.step(
      frames.map(\.imageSize), atLeast: sightings.occlusionStep, memory: options.imageMemory)
    (offsets, neighbors) = cells.neighbors()
    let spacing = Self.spacing(cells, offsets, neighbors)
    borders = CellBorders(
      cells, inset: options.sightings.limits.meshError * surface.unitsPerMeter)
    let places = borders.lookouts
    let room =
      options.imageMemory / (MemoryLayout<ViewTable.View>.stride * max(1, cells.vertexCount))
    table = ViewTable(
      vertexCount: cells.vertexCount, maximumViews: max(options.leastViews, min(room, frames.count))
    )
    occlusions = []
    var thumbnails: [FrameThumbnail?] = []
    var waiting: [SeenVertices?] = []
    let reduction = options.sightings.reduction
    let batch = Self.batchSize(
      frames, bytesPerPixel: 12, reduction: reduction, memory: options.imageMemory)
    for start in stride(from: 0, to: frames.count, by: batch) {
      let range = start..<min(start + batch, frames.count)
      let found = Parallel.map(count: range.count) { [sightings] place in
        Self.look(
          at: frames[range.lowerBound + place], cells, places, spacing, surface, sightings,
          usesDepth: options.usesDepth)
      }
      for (place, look) in found.enumerated() {
        waiting.append(look.sightings?.seen)
        occlusions.append(look.sightings?.occlusion)
        thumbnails.append(look.sightings?.thumbnail)
        if let fault = look.fault { dropped.append((start + place, fault)) }
        if let fault = look.depthFault { depthFaults.append((start + place, fault)) }
      }
      // Only a few at the same time, or they would take as much memory as the table.
      let count = waiting.reduce(0) { $0 + ($1?.vertices.count ?? 0) }
      if range.upperBound == frames.count || count > max(1 << 21, table.views.count / 8) {
        table.add(waiting, of: frames.count)
        waiting = []
      }
      try progress(Double(range.upperBound) / Double(frames.count))
    }
    let geometry = GainSamples.Geometry(
      positions: cells.positions, normals: cells.normals,
      cameras: frames.map { SIMD3<Float>($0.pose.translation) })
    looks = FrameLooks(
      table, geometry: geometry, exposures: frames.map(\.exposure),
      solvesGains: options.solvesGains)
    let vote = ForegroundVote(
      frames, thumbnails, occlusions, looks, unitsPerMeter: surface.unitsPerMeter,
      meshError: options.sightings.limits.meshError)
    foregrounds = options.leavesOutForeground ? vote.masks() : frames.map { _ in nil }
    vote.doubt(&table, at: places, spacing: spacing, foregrounds)
    let gloss =
      options.removesGloss
      ? GlossEstimate(table, looks, geometry, offsets: offsets, neighbors: neighbors) : nil
    glossyShare = gloss.map { $0.share } ?? 0
    consensus = ColorConsensus(&table, looks, geometry: geometry, gloss: gloss)
    chosen = ChosenViews(vertexCount: cells.vertexCount, frameCount: frames.count)
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

  /// The result of decoding one frame.
  private struct Look: Sendable {
    var sightings: FrameSightings?
    var fault: String?
    var depthFault: String?
  }

  private static func look(
    at frame: Capture.Frame, _ cells: CellSurface, _ places: [Vector3], _ spacing: [Float],
    _ surface: ObservedSurface, _ options: FrameSightings.Options, usesDepth: Bool
  ) -> Look {
    do {
      let image = try frame.loadImage(reducedBy: options.reduction)
      let depth = usesDepth ? frame.readableDepth() : (map: nil, fault: nil)
      let sightings = FrameSightings(
        of: cells, at: places, spacing: spacing, on: surface, in: frame, image: image,
        depth: depth.map, options: options)
      return Look(sightings: sightings, depthFault: depth.fault)
    } catch {
      return Look(fault: error.userMessage)
    }
  }

  /// The number of frames that may be decoded at the same time.
  static func batchSize(
    _ frames: [Capture.Frame], bytesPerPixel: Int, reduction: Int, memory: Int
  ) -> Int {
    let largest = frames.map { $0.imageSize.x * $0.imageSize.y }.max() ?? 1
    let bytes = largest / (reduction * reduction) * bytesPerPixel
    return max(1, min(8, memory / max(bytes, 1)))
  }

  /// The mean distance of each vertex to its neighbours.
  private static func spacing(
    _ cells: CellSurface, _ offsets: [UInt32], _ neighbors: [UInt32]
  ) -> [Float] {
    Parallel.array(count: cells.vertexCount) { vertex in
      let range = Int(offsets[vertex])..<Int(offsets[vertex + 1])
      guard !range.isEmpty else { return 0 }
      let origin = cells.positions[vertex].simd
      var sum: Float = 0
      for place in range { sum += (cells.positions[Int(neighbors[place])].simd - origin).length }
      return sum / Float(range.count)
    }
  }

  /// Chooses the frames that each vertex takes its fine detail from, and levels them there.
  package mutating func chooseViews(density: Float) {
    var shareOptions = options.shares
    shareOptions.density = density
    let shares = ViewShares.choose(
      table, looks, doubts: consensus.doubts(), offsets: offsets, neighbors: neighbors,
      options: shareOptions)
    chosen = ChosenViews(table, shares: shares)
    if let leveling = options.leveling {
      FrameLeveling.level(
        &chosen, table, looks, consensus, offsets: offsets, neighbors: neighbors,
        options: leveling)
    }
    table = ViewTable(vertexCount: cells.vertexCount, maximumViews: 0)
  }

  /// The colour of each vertex, filled where no frame sees it.
  package func filledColors() -> [SIMD4<Float>] { filled(consensus.colors) }

  private func filled(_ colors: [SIMD4<Float>]) -> [SIMD4<Float>] {
    var colors = colors
    ColorDiffusion.fill(
      &colors, offsets: offsets, neighbors: neighbors,
      places: PositionWelder.weld(cells.positions).vertices)
    return colors
  }

  /// Whether any frame contributes to each face of the surface.
  package func seenFaces() -> [Bool] {
    var isSeen = [Bool](repeating: false, count: surface.faceCount)
    for cell in 0..<cells.cellCount {
      let (a, b, c) = cells.vertices(ofCell: cell)
      for vertex in [a, b, c] where consensus.colors[vertex].w > 0 {
        isSeen[Int(cells.faces[cell])] = true
      }
    }
    return isSeen
  }

  /// Decodes the frames again, one after the other, and composes them.
  ///
  /// Where texels are several pixels wide, images are decoded at reduced size.
  ///
  /// - Parameter unseenColor: In sRGB codes, for surface that no frame sees; nil to fill it from
  ///   its surroundings.
  package func compose(
    _ raster: CellRaster, unseenColor: SIMD3<Float>? = nil, progress: (Double) throws -> Void
  ) throws -> TextureComposition {
    var composition = TextureComposition(
      raster, chosen, looks, colors: consensus.colors,
      boosts: DetailBoost.boosts(chosen, consensus.doubts(), strength: options.detailBoost),
      borders: borders)
    let wanted = frames.indices.filter { composition.needs($0) }
    let reductions = Parallel.map(count: wanted.count) { [composition] place in
      composition.reduction(of: wanted[place], from: Camera(frames[wanted[place]]))
    }
    let batch = min(
      2,
      Self.batchSize(
        frames, bytesPerPixel: 11, reduction: reductions.min() ?? 1, memory: options.imageMemory))
    for start in stride(from: 0, to: wanted.count, by: batch) {
      let range = start..<min(start + batch, wanted.count)
      let images = Parallel.map(count: range.count) { place in
        let reduction = reductions[range.lowerBound + place]
        let frame = frames[wanted[range.lowerBound + place]]
        return (try? frame.loadImage(reducedBy: reduction)).map {
          LinearImage($0).withDetail(reducedBy: reduction)
        }
      }
      for (place, image) in images.enumerated() {
        let frame = wanted[start + place]
        let view = image.map {
          BakedFrame(
            camera: Camera(frames[frame], size: SIMD2($0.width, $0.height)), image: $0,
            occlusion: occlusions[frame]?.withExtremes(), foreground: foregrounds[frame],
            millimetersPerUnit: 1000 / surface.unitsPerMeter,
            tolerance: OcclusionMap.tolerance(options.sightings.limits.meshError))
        }
        composition.add(frame, view)
      }
      try progress(Double(range.upperBound) / Double(wanted.count))
    }
    composition.finish(unseen: unseenColors(unseenColor, composition))
    return composition
  }

  /// The colour of each unseen vertex: the given colour, or what is painted around it.
  private func unseenColors(
    _ color: SIMD3<Float>?, _ composition: TextureComposition
  ) -> [SIMD4<Float>] {
    if let color {
      let light = (0..<3).map {
        LinearImage.one * Float(SRGBTable.linear(ofEncoded: Double(color[$0]) / 255))
      }
      return Array(
        repeating: SIMD4(light[0], light[1], light[2], 0), count: cells.vertexCount)
    }
    var colors = composition.colors
    let isAtUnseen = colors.indices.map { vertex in
      colors[vertex].w > 0
        && (Int(offsets[vertex])..<Int(offsets[vertex + 1])).contains {
          colors[Int(neighbors[$0])].w == 0
        }
    }
    for (vertex, color) in composition.painted(around: isAtUnseen).enumerated() where color.w > 0 {
      colors[vertex] = color
    }
    return filled(colors)
  }
}
