import MeshPipeline

/// The pages of a texture while frame after frame adds its part.
///
/// A texel is the sum of its frames' colours, each with its share, and with the frame's gain. Shares and
/// gains are linear over each cell, so there is no step anywhere on the surface, also not where charts
/// meet. A cell is written when the last of its frames has come, and holds no memory before the first.
/// Those with a vertex that no frame sees come last: they go on with what was painted beside them.
struct TextureComposition {
  let raster: CellRaster
  /// What each vertex looks like; the fourth component is 0 where no frame sees it.
  private(set) var colors: [SIMD4<Float>]
  private let borders: CellBorders
  /// The gain of each view times its share, and its share.
  private let gains: [SIMD4<Float>]
  /// How much of each frame's fine detail is added once more, by vertex: see ``DetailBoost``.
  private let boosts: [Float]
  /// The cells of each frame.
  private let parts: [[Part]]
  /// Of unfinished cells, the sums of light (32767 is 1) and of shares (32767 is 1) of each texel.
  private var sums: [[SIMD4<UInt16>]]
  /// How many frames each cell still waits for, and for the colours of vertices that no frame sees.
  private var waiting: [UInt16]
  /// All pages, one after the other, as sRGB.
  private(set) var pixels: [UInt8]
  let pageStarts: [Int]

  fileprivate static let one: Float = 32_767

  /// A cell as one frame sees it, in 16 bytes: there are several for each cell.
  private struct Part: Sendable {
    var cell: UInt32
    /// The view of each corner; `.max` where the frame has no share.
    var a: UInt32
    var b: UInt32
    var c: UInt32
  }

  /// - Parameters:
  ///   - colors: What each vertex that a frame sees looks like.
  ///   - boosts: See ``DetailBoost``.
  init(
    _ raster: CellRaster, _ table: ViewTable, _ looks: FrameLooks, colors: [SIMD4<Float>],
    boosts: [Float], borders: CellBorders
  ) {
    self.raster = raster
    self.borders = borders
    var colors = colors
    for vertex in 0..<table.vertexCount {
      let isSeen = table.range(of: vertex).contains { table.views[$0].share > 0 }
      colors[vertex].w = isSeen ? 1 : 0
    }
    self.colors = colors
    gains = Parallel.array(count: table.views.count) { index in
      let view = table.views[index]
      var gain = looks.gains[Int(view.frame)]
      gain *= SIMD4(view.level.x, view.level.y, view.level.z, 0)
      gain.w = 1
      return gain * view.share
    }
    self.boosts = boosts
    (parts, waiting) = Self.parts(raster.cells, table, colors)
    sums = [[SIMD4<UInt16>]](repeating: [], count: raster.cells.cellCount)
    var pageStarts = [0]
    for page in raster.atlas.pages {
      pageStarts.append(pageStarts[pageStarts.count - 1] + 3 * page.x * page.y)
    }
    self.pageStarts = pageStarts
    pixels = [UInt8](repeating: 0, count: pageStarts[pageStarts.count - 1])
  }

  private static func parts(
    _ cells: CellSurface, _ table: ViewTable, _ colors: [SIMD4<Float>]
  ) -> ([[Part]], [UInt16]) {
    var parts = [[Part]](repeating: [], count: table.frameCount)
    var waiting = [UInt16](repeating: 0, count: cells.cellCount)
    var found: [(frame: UInt32, views: SIMD3<UInt32>)] = []
    for cell in 0..<cells.cellCount {
      let (a, b, c) = cells.vertices(ofCell: cell)
      found.removeAll(keepingCapacity: true)
      for (corner, vertex) in [a, b, c].enumerated() {
        for index in table.range(of: vertex) where table.views[index].share > 0 {
          let frame = table.views[index].frame
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

  /// Whether a frame has a part in any texel.
  func needs(_ frame: Int) -> Bool { !parts[frame].isEmpty }

  /// Adds what a frame shows.
  ///
  /// Frames must come one after the other; the order decides on rounding alone.
  mutating func add(_ frame: Int, _ view: BakedFrame) {
    let parts = parts[frame]
    let gains = gains
    let boosts = boosts
    let painter = CellPainter(raster, colors, borders, pageStarts)
    let work = waiting
    @Sendable func gain(_ view: UInt32) -> SIMD4<Float> { view == .max ? .zero : gains[Int(view)] }
    pixels.withSharedElements { pixels in
      sums.withSharedElements { sums in
        Parallel.forEachChunk(of: parts.count, chunkSize: 128) { _, range in
          for part in parts[range] {
            let cell = Int(part.cell)
            let (a, b, c) = painter.raster.cells.vertices(ofCell: cell)
            painter.add(
              cell,
              CornerGains(
                a: gain(part.a), b: gain(part.b), c: gain(part.c),
                boosts: SIMD3(boosts[a], boosts[b], boosts[c])), view,
              isLast: work[cell] == 1, &sums[cell], pixels)
          }
        }
      }
    }
    for part in parts { waiting[Int(part.cell)] -= 1 }
  }

  /// Whether nothing will be added to a cell any more.
  func isPainted(_ cell: Int) -> Bool { waiting[cell] == 0 }

  /// Paints the cells that are left, with colours for the vertices that no frame sees.
  mutating func finish(unseen: [SIMD4<Float>]) {
    for vertex in colors.indices where colors[vertex].w == 0 {
      colors[vertex] = unseen[vertex]
      colors[vertex].w = 0
    }
    let painter = CellPainter(raster, colors, borders, pageStarts)
    let work = waiting
    pixels.withSharedElements { pixels in
      sums.withSharedElements { sums in
        Parallel.forEachChunk(of: work.count, chunkSize: 128) { _, range in
          for cell in range where work[cell] > 0 { painter.finish(cell, &sums[cell], pixels) }
        }
      }
    }
    waiting = [UInt16](repeating: 0, count: waiting.count)
  }

  /// The pages as pictures, padded around the charts; the composition is of no use afterwards.
  mutating func takePages(rings: Int) -> [Image] {
    sums = []
    var all: [UInt8] = []
    swap(&all, &pixels)
    return raster.atlas.pages.indices.map { page in
      let size = raster.atlas.pages[page]
      var pixels =
        raster.atlas.pages.count == 1 ? all : Array(all[pageStarts[page]..<pageStarts[page + 1]])
      if raster.atlas.pages.count == 1 { all = [] }
      PagePadding.fill(&pixels, covered: raster.atlas.coverage(ofPage: page), rings: rings)
      return Image(width: size.x, height: size.y, pixels: pixels)
    }
  }
}

/// What a frame's light is multiplied with at the corners of a cell; the fourth is its share.
///
/// Before that, its fine detail is added so many times more.
struct CornerGains {
  var a: SIMD4<Float>
  var b: SIMD4<Float>
  var c: SIMD4<Float>
  var boosts: SIMD3<Float>
}

/// Puts the texels of a cell together.
private struct CellPainter: Sendable {
  let raster: CellRaster
  let colors: [SIMD4<Float>]
  let borders: CellBorders
  let pageStarts: [Int]
  let codes = SRGBTable.shared.codes

  init(
    _ raster: CellRaster, _ colors: [SIMD4<Float>], _ borders: CellBorders, _ pageStarts: [Int]
  ) {
    self.raster = raster
    self.colors = colors
    self.borders = borders
    self.pageStarts = pageStarts
  }

  /// Adds a frame's light to a cell, and paints it when the frame is its last.
  func add(
    _ cell: Int, _ gains: CornerGains, _ view: BakedFrame, isLast: Bool,
    _ sums: inout [SIMD4<UInt16>], _ pixels: SharedElements<UInt8>
  ) {
    guard let triangle = raster.triangle(ofCell: cell) else { return }
    let (a, b, c) = raster.cells.vertices(ofCell: cell)
    let projection = CellProjection(
      view, raster.cells.positions[a].simd, raster.cells.positions[b].simd,
      raster.cells.positions[c].simd, triangle,
      outlines: borders.outlines(ofCell: cell, in: raster.cells, from: view.camera.position))
    @inline(__always) func light(_ weights: SIMD3<Float>) -> SIMD4<Float> {
      let gain = gains.a * weights.x + gains.b * weights.y + gains.c * weights.z
      let boost = (gains.boosts * weights).sum()
      guard gain.w > 0.002, var color = projection.color(at: weights, boost: boost) else {
        return .zero
      }
      let trust = color.w
      color *= trust / LinearImage.one
      color.w = trust
      return color * gain
    }
    if isLast {
      let one = TextureComposition.one
      if sums.isEmpty {
        paint(cell, triangle, pixels) { weights, _ in light(weights) }
      } else {
        let before = sums
        paint(cell, triangle, pixels) { weights, texel in
          SIMD4<Float>(before[texel]) * (1 / one) + light(weights)
        }
        sums = []
      }
      return
    }
    if sums.isEmpty { sums = Array(repeating: .zero, count: raster.count(ofCell: cell)) }
    var texel = 0
    triangle.forEachSpan { span in
      var weights = span.weights
      for _ in span.columns {
        let sum = SIMD4<Float>(sums[texel]) + light(weights) * TextureComposition.one
        sums[texel] = clampedToCode(sum)
        weights += triangle.weightsPerColumn
        texel += 1
      }
    }
  }

  /// Paints a cell with what has come so far.
  func finish(_ cell: Int, _ sums: inout [SIMD4<UInt16>], _ pixels: SharedElements<UInt8>) {
    let before = sums
    paint(cell, pixels) { _, texel in
      before.isEmpty ? .zero : SIMD4<Float>(before[texel]) / TextureComposition.one
    }
    sums = []
  }

  func paint(
    _ cell: Int, _ pixels: SharedElements<UInt8>,
    _ light: (SIMD3<Float>, Int) -> SIMD4<Float>
  ) {
    guard let triangle = raster.triangle(ofCell: cell) else { return }
    paint(cell, triangle, pixels, light)
  }

  @inline(__always)
  private func paint(
    _ cell: Int, _ triangle: TexelTriangle, _ pixels: SharedElements<UInt8>,
    _ light: (SIMD3<Float>, Int) -> SIMD4<Float>
  ) {
    let page = raster.page(ofCell: cell)
    let width = raster.atlas.pages[page].x
    let start = pageStarts[page]
    let (a, b, c) = raster.cells.vertices(ofCell: cell)
    let (ofA, ofB, ofC) = (colors[a], colors[b], colors[c])
    var texel = 0
    triangle.forEachSpan { span in
      var weights = span.weights
      var pixel = start + 3 * (span.row * width + span.columns.lowerBound)
      for _ in span.columns {
        var color = light(weights, texel)
        // What the shares leave open: vertices that no frame sees, and texels that turned out hidden.
        if color.w < 0.995 {
          color = Self.completed(color, ofA, ofB, ofC, weights)
        }
        let code = clampedToCode(color * LinearImage.one)
        pixels[pixel] = codes[Int(code.x)]
        pixels[pixel + 1] = codes[Int(code.y)]
        pixels[pixel + 2] = codes[Int(code.z)]
        pixel += 3
        texel += 1
        weights += triangle.weightsPerColumn
      }
    }
  }

  /// A texel whose shares do not sum up to 1.
  private static func completed(
    _ sum: SIMD4<Float>, _ a: SIMD4<Float>, _ b: SIMD4<Float>, _ c: SIMD4<Float>,
    _ weights: SIMD3<Float>
  ) -> SIMD4<Float> {
    let seen = a.w * weights.x + b.w * weights.y + c.w * weights.z
    let smooth = (a * weights.x + b * weights.y + c * weights.z) * (1 / LinearImage.one)
    var unseen = a * ((1 - a.w) * weights.x)
    unseen += b * ((1 - b.w) * weights.y)
    unseen += c * ((1 - c.w) * weights.z)
    unseen *= 1 / LinearImage.one
    guard sum.w < seen * 0.98 else { return sum + unseen }
    // Some frame does not see this very texel: the others stand in, and in the end the smooth colour.
    let part = sum.w / max(seen, 1e-6)
    let certain = min(1, part * 60)
    guard certain > 0 else { return smooth }
    return (sum / max(part, 1e-3) + unseen) * certain + smooth * (1 - certain)
  }
}
