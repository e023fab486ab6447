import MeshPipeline
import MeshTestSupport
import Testing

@testable import Photogrammetry

/// What views of a glossy plate make of its colour.
struct GlossEstimateTests {
  /// Frames at eye level walk along a plate of known light; some come near enough to look down on it.
  private func blending(
    light: (_ cosine: Float, _ frame: Int) -> Float
  ) throws -> (GlossEstimate, ColorConsensus) {
    let grid = MeshFixtures.grid(columns: 16, rows: 16)
    let surface = try ObservedSurface(positions: grid.positions, indices: grid.indices)
    let cells = BakeMesh(surface, edgeLimit: 100)
    let (offsets, neighbors) = cells.neighbors()
    let box = Box(cells.positions)
    let center = (box.minimum + box.maximum) / 2
    let normal = cells.normals[0].simd
    let side = (box.maximum - box.minimum).normalized
    let reach = (box.maximum - box.minimum).length
    let cameras = (0..<12).map { frame in
      center + normal * reach + side * (reach * (Float(frame) * 0.6 - 1.5))
    }
    let geometry = GainSamples.Geometry(
      positions: cells.positions, normals: cells.normals, cameras: cameras)
    let frames = cameras.indices.map { frame in
      var seen = VertexMeasurements()
      for vertex in 0..<cells.vertexCount {
        let code = UInt16(light(geometry.cosine(of: vertex, from: frame), frame))
        seen.append(
          vertex,
          FrameAnalysis.Measurement(
            color: SIMD4(code, code, code, 900), resolution: 1, confidence: 1))
      }
      return seen
    }
    var table = ObservationTable(vertexCount: cells.vertexCount, maximumObservations: 32)
    table.add(frames, of: frames.count)
    let photometry = FramePhotometry(table, geometry: geometry, solvesGains: false)
    let gloss = GlossEstimate(table, photometry, geometry, offsets: offsets, neighbors: neighbors)
    return (gloss, ColorConsensus(&table, photometry, geometry: geometry, gloss: gloss))
  }

  @Test func `a glossy plate gets its own colour`() throws {
    let (gloss, consensus) = try blending { cosine, _ in
      16_000 * (1 + 0.9 * (1 - cosine) * (1 - cosine))
    }
    #expect(gloss.share > 0.9)
    for color in consensus.colors { #expect(abs(color.y / 16_000 - 1) < 0.04) }
  }

  @Test func `frames that differ otherwise are averaged as before`() throws {
    let (gloss, consensus) = try blending { _, frame in frame % 2 == 0 ? 15_500 : 16_500 }
    #expect(gloss.share < 0.1)
    for color in consensus.colors { #expect(abs(color.y / 16_000 - 1) < 0.01) }
  }

  @Test func `a plate that is darker from the side is not glossy`() throws {
    let (gloss, _) = try blending { cosine, _ in 16_000 * (0.6 + 0.4 * cosine) }
    #expect(gloss.share == 0)
  }
}
