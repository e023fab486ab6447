import MeshPipeline
import SurfaceKernels

/// The pages of a texture while frame after frame adds its part.
///
/// A texel is the sum of its frames' colours, each multiplied by its share and the frame's gain.
/// Shares and gains are linear over each cell, so the texture has no steps anywhere on the surface,
/// not even where charts meet. The sum accumulates in the page itself, as sRGB codes: rounding adds
/// less than half a code to a texel of a few frames, and the sums take no memory of their own.
/// Cells with a vertex that no frame sees are completed last: they continue what was painted around
/// them.
struct TextureAccumulator {
  let raster: CellRaster
  /// The colour of each vertex; the fourth component is 0 where no frame sees it.
  private(set) var colors: [SIMD4<Float>]
  private let borders: BakeMeshBorders
  /// The gain of each view times its share, and its share.
  private let gains: [SIMD4<Float>]
  /// How much of each frame's fine detail is added again, by vertex: see ``DetailCompensation``.
  private let boosts: [Float]
  /// The cells of each frame.
  private let parts: [[Part]]
  /// The share of each texel of an unfinished cell, 255 for 1, whose frames turned out not to see
  /// it; empty for most cells, where there is none.
  private var lostShares: [[UInt8]]
  /// The number of frames that each cell still waits for, plus one for the colours of unseen
  /// vertices.
  private var waiting: [UInt16]
  /// All pages, one after the other, as sRGB.
  private(set) var pixels: [UInt8]

  /// A cell as one frame sees it, in 16 bytes: there are several for each cell.
  private struct Part: Sendable {
    var cell: UInt32
    /// The view of each corner; `.max` if the frame has no share.
    var a: UInt32
    var b: UInt32
    var c: UInt32
  }

  init(_ raster: CellRaster, _ selection: ViewSelection) {
    let (selected, calibration) = (selection.selected, selection.calibration)
    self.raster = raster
    borders = calibration.domain.borders
    var colors = calibration.consensus.colors
    for vertex in 0..<selected.vertexCount {
      colors[vertex].w = selected.range(of: vertex).isEmpty ? 0 : 1
    }
    self.colors = colors
    gains = Parallel.array(count: selected.contributions.count) { index in
      let view = selected.contributions[index]
      var gain = calibration.photometry.gains[Int(view.frame)]
      gain *= SIMD4(view.level.x, view.level.y, view.level.z, 0)
      gain.w = 1
      return gain * view.share
    }
    boosts = DetailCompensation.boosts(
      selected, calibration.consensus.doubts(), strength: calibration.options.detailCompensation)
    (parts, waiting) = Self.parts(raster.cells, selected, colors)
    lostShares = [[UInt8]](repeating: [], count: raster.cells.cellCount)
    pixels = [UInt8](repeating: 0, count: raster.pageStarts[raster.atlas.pages.count])
  }

  private static func parts(
    _ cells: BakeMesh, _ selected: SelectedObservations, _ colors: [SIMD4<Float>]
  ) -> ([[Part]], [UInt16]) {
    var parts = [[Part]](repeating: [], count: selected.frameCount)
    var waiting = [UInt16](repeating: 0, count: cells.cellCount)
    var found: [(frame: UInt32, views: SIMD3<UInt32>)] = []
    for cell in 0..<cells.cellCount {
      let (a, b, c) = cells.vertices(ofCell: cell)
      found.removeAll(keepingCapacity: true)
      for (corner, vertex) in [a, b, c].enumerated() {
        for index in selected.range(of: vertex) {
          let frame = selected.contributions[index].frame
          if let place = found.firstIndex(where: { $0.frame == frame }) {
            found[place].views[corner] = UInt32(truncatingIfNeeded: index)
          } else {
            var views = SIMD3<UInt32>(repeating: .max)
            views[corner] = UInt32(truncatingIfNeeded: index)
            found.append((frame, views))
          }
        }
      }
      let isSeen = min(colors[a].w, colors[b].w, colors[c].w) > 0
      waiting[cell] = UInt16(clamping: found.count + (isSeen ? 0 : 1))
      for (frame, views) in found {
        parts[Int(frame)].append(
          Part(cell: UInt32(truncatingIfNeeded: cell), a: views.x, b: views.y, c: views.z))
      }
    }
    return (parts, waiting)
  }

  /// Whether a frame contributes to any texel.
  func needs(_ frame: Int) -> Bool { !parts[frame].isEmpty }

  /// How far the image of a frame may be reduced: 1, 2, 4 or 8.
  ///
  /// - Parameter camera: The camera of the full image.
  func reduction(of frame: Int, from camera: Camera) -> Int {
    var reduction = FrameReduction()
    for part in parts[frame] {
      guard let triangle = raster.triangle(ofCell: Int(part.cell)) else { continue }
      let (a, b, c) = raster.cells.vertices(ofCell: Int(part.cell))
      let footprint = TexelFootprint(
        of: (
          raster.cells.positions[a].simd, raster.cells.positions[b].simd,
          raster.cells.positions[c].simd
        ), triangle, in: camera)
      let share = [part.a, part.b, part.c].reduce(Float(0)) {
        $0 + ($1 == .max ? 0 : gains[Int($1)].w / 3)
      }
      reduction.add(footprint.leastWidth, weight: share * triangle.texelArea)
    }
    return reduction.factor(for: SIMD2<Int>(camera.size))
  }

  /// Adds a frame's light; nil if it turned out to show nothing.
  ///
  /// Frames must be added one after the other; their order only affects rounding.
  mutating func add(_ frame: Int, _ view: BakedFrame?) {
    let parts = parts[frame]
    let gains = gains
    let boosts = boosts
    let painter = CellPainter(raster, colors: colors, borders: borders)
    let work = waiting
    @Sendable func gain(_ view: UInt32) -> SIMD4<Float> { view == .max ? .zero : gains[Int(view)] }
    pixels.withDisjointBuffer { pixels in
      lostShares.withDisjointBuffer { lostShares in
        Parallel.forEachChunk(of: parts.count, chunkSize: 128) { _, range in
          for part in parts[range] {
            let cell = Int(part.cell)
            let (a, b, c) = painter.raster.cells.vertices(ofCell: cell)
            painter.add(
              cell,
              CornerGains(
                a: gain(part.a), b: gain(part.b), c: gain(part.c),
                boosts: SIMD3(boosts[a], boosts[b], boosts[c])), view,
              isLast: work[cell] == 1, &lostShares[cell], pixels)
          }
        }
      }
    }
    for part in parts { waiting[Int(part.cell)] -= 1 }
  }

  /// Whether a cell is complete.
  func isPainted(_ cell: Int) -> Bool { waiting[cell] == 0 }

  /// Paints the remaining cells, with colours for the vertices that no frame sees.
  mutating func finish(unseen: [SIMD4<Float>]) {
    for vertex in colors.indices where colors[vertex].w == 0 {
      colors[vertex] = unseen[vertex]
      colors[vertex].w = 0
    }
    let painter = CellPainter(raster, colors: colors, borders: borders)
    let work = waiting
    pixels.withDisjointBuffer { pixels in
      lostShares.withDisjointBuffer { lostShares in
        Parallel.forEachChunk(of: work.count, chunkSize: 128) { _, range in
          for cell in range where work[cell] > 0 { painter.finish(cell, &lostShares[cell], pixels) }
        }
      }
    }
    waiting = [UInt16](repeating: 0, count: waiting.count)
  }
}
