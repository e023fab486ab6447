import MeshpipeScene
import SurfaceKernels

/// The pages of a texture while frame after frame adds its part.
///
/// A texel is the sum of its frames' colours, each multiplied by its weight and the frame's gain.
/// Weights and gains are linear over each triangle, so the texture has no steps anywhere on the surface,
/// not even where charts meet. The sum accumulates in the page itself, as sRGB codes: rounding adds
/// less than half a code to a texel of a few frames, and the sums take no memory of their own.
/// Triangles with a vertex that no frame sees are completed last: they continue what was painted around
/// them.
struct TextureAccumulator {
  let raster: TriangleRaster
  /// The colour of each vertex; the fourth component is 0 where no frame sees it.
  private(set) var colors: [SIMD4<Float>]
  private let borders: BakeMeshBorders
  /// The gain of each view times its weight, and its weight.
  private let gains: [SIMD4<Float>]
  /// The amount of each frame's fine detail that is added again, by vertex: see ``DetailCompensation``.
  private let boosts: [Float]
  /// The triangles of each frame.
  private let parts: [[Part]]
  /// The weight of each texel of an unfinished triangle, 255 for 1, whose frames turned out not to see
  /// it; empty for most triangles, where there is none.
  private var lostWeights: [[UInt8]]
  /// The number of frames that each triangle still waits for, plus one for the colours of unseen
  /// vertices.
  private var waiting: [UInt16]
  /// All pages, one after the other, as sRGB.
  private(set) var pixels: [UInt8]

  /// A triangle as one frame sees it, in 16 bytes: there are several for each triangle.
  private struct Part: Sendable {
    var triangle: UInt32
    /// The view of each corner; `.max` if the frame has no weight.
    var a: UInt32
    var b: UInt32
    var c: UInt32
  }

  init(_ raster: TriangleRaster, _ selection: ViewSelection) {
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
      gain *= SIMD4(view.localGain.x, view.localGain.y, view.localGain.z, 0)
      gain.w = 1
      return gain * view.weight
    }
    boosts = DetailCompensation.boosts(
      selected, calibration.consensus.disagreements(),
      strength: calibration.options.detailCompensation)
    (parts, waiting) = Self.parts(raster.mesh, selected, colors)
    lostWeights = [[UInt8]](repeating: [], count: raster.mesh.triangleCount)
    pixels = [UInt8](repeating: 0, count: raster.pageStarts[raster.atlas.pages.count])
  }

  private static func parts(
    _ mesh: BakeMesh, _ selected: SelectedObservations, _ colors: [SIMD4<Float>]
  ) -> ([[Part]], [UInt16]) {
    var parts = [[Part]](repeating: [], count: selected.frameCount)
    var waiting = [UInt16](repeating: 0, count: mesh.triangleCount)
    var found: [(frame: UInt32, views: SIMD3<UInt32>)] = []
    for triangle in 0..<mesh.triangleCount {
      let (a, b, c) = mesh.vertices(ofTriangle: triangle)
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
      waiting[triangle] = UInt16(clamping: found.count + (isSeen ? 0 : 1))
      for (frame, views) in found {
        parts[Int(frame)].append(
          Part(triangle: UInt32(truncatingIfNeeded: triangle), a: views.x, b: views.y, c: views.z))
      }
    }
    return (parts, waiting)
  }

  /// Whether a frame contributes to any texel.
  func needs(_ frame: Int) -> Bool { !parts[frame].isEmpty }

  /// The factor by which the image of a frame may be reduced: 1, 2, 4 or 8.
  ///
  /// - Parameter camera: The camera of the full image.
  func reduction(of frame: Int, from camera: Camera) -> Int {
    var reduction = FrameReduction()
    for part in parts[frame] {
      guard let texelTriangle = raster.texelTriangle(of: Int(part.triangle)) else { continue }
      let (a, b, c) = raster.mesh.vertices(ofTriangle: Int(part.triangle))
      let footprint = TexelFootprint(
        of: (
          raster.mesh.positions[a].simd, raster.mesh.positions[b].simd,
          raster.mesh.positions[c].simd
        ), texelTriangle, in: camera)
      let weight = [part.a, part.b, part.c].reduce(Float(0)) {
        $0 + ($1 == .max ? 0 : gains[Int($1)].w / 3)
      }
      reduction.add(footprint.leastWidth, weight: weight * texelTriangle.texelArea)
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
    let painter = TrianglePainter(raster, colors: colors, borders: borders)
    let work = waiting
    @Sendable func gain(_ view: UInt32) -> SIMD4<Float> { view == .max ? .zero : gains[Int(view)] }
    pixels.withDisjointBuffer { pixels in
      lostWeights.withDisjointBuffer { lostWeights in
        Parallel.forEachChunk(of: parts.count, chunkSize: 128) { _, range in
          for part in parts[range] {
            let triangle = Int(part.triangle)
            let (a, b, c) = painter.raster.mesh.vertices(ofTriangle: triangle)
            painter.add(
              triangle,
              gains: CornerGains(
                a: gain(part.a), b: gain(part.b), c: gain(part.c),
                boosts: SIMD3(boosts[a], boosts[b], boosts[c])), view: view,
              isLast: work[triangle] == 1, lostWeights: &lostWeights[triangle], to: pixels)
          }
        }
      }
    }
    for part in parts { waiting[Int(part.triangle)] -= 1 }
  }

  /// Whether a triangle is complete.
  func isPainted(_ triangle: Int) -> Bool { waiting[triangle] == 0 }

  /// Paints the remaining triangles, with colours for the vertices that no frame sees.
  mutating func finish(unseen: [SIMD4<Float>]) {
    for vertex in colors.indices where colors[vertex].w == 0 {
      colors[vertex] = unseen[vertex]
      colors[vertex].w = 0
    }
    let painter = TrianglePainter(raster, colors: colors, borders: borders)
    let work = waiting
    pixels.withDisjointBuffer { pixels in
      lostWeights.withDisjointBuffer { lostWeights in
        Parallel.forEachChunk(of: work.count, chunkSize: 128) { _, range in
          for triangle in range where work[triangle] > 0 {
            painter.finish(triangle, &lostWeights[triangle], pixels)
          }
        }
      }
    }
    waiting = [UInt16](repeating: 0, count: waiting.count)
  }
}
