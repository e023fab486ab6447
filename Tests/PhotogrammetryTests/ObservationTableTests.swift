import MeshPipeline
import MeshTestSupport
import Testing

@testable import Photogrammetry

/// Which views of a vertex are kept, and what comes of the frames that they belong to.
struct ObservationTableTests {
  private static let vertexCount = 4500

  /// What frames see, at random, with many measurements of the same worth; nothing of the fourth.
  private static func frames(_ count: Int) -> [VertexMeasurements?] {
    var random = SeededGenerator(seed: 7)
    return (0..<count).map { frame in
      var seen = VertexMeasurements()
      for vertex in 0..<vertexCount where Int(random.next() % 8) < vertex % 9 {
        seen.append(
          vertex,
          FrameAnalysis.Measurement(
            color: SIMD4(UInt16(frame), UInt16(truncatingIfNeeded: vertex), 0, 0),
            resolution: Float(1 + random.next() % 6), confidence: Float(1 + random.next() % 3) / 4))
      }
      return frame == 3 ? nil : seen
    }
  }

  /// A table that takes so many frames at a time.
  private static func table(_ frames: [VertexMeasurements?], inSteps steps: Int, limit: Int)
    -> ObservationTable
  {
    var table = ObservationTable(vertexCount: vertexCount, maximumObservations: limit)
    for start in stride(from: 0, to: frames.count, by: steps) {
      table.add(Array(frames[start..<min(start + steps, frames.count)]), of: frames.count)
    }
    return table
  }

  @Test(arguments: [1, 6, 20], [1, 4, 100])
  func `the best views of a vertex are kept, however many frames come at a time`(
    steps: Int, limit: Int
  ) throws {
    let frames = Self.frames(20)
    var all = [[(frame: Int, worth: Float)]](repeating: [], count: Self.vertexCount)
    for (number, seen) in frames.enumerated() {
      guard let seen else { continue }
      for (vertex, projection) in zip(seen.vertices, seen.measurements) {
        all[Int(vertex)].append((number, projection.resolution * projection.confidence))
      }
    }
    let table = Self.table(frames, inSteps: steps, limit: limit)
    #expect(table.frameCount == 20)
    for (vertex, views) in all.enumerated() {
      let best = views.sorted { ($1.worth, $0.frame) < ($0.worth, $1.frame) }.prefix(limit)
      let kept = table.observations[table.range(of: vertex)]
      #expect(kept.map { Int($0.frame) } == best.map(\.frame).sorted())
      // Each is what its frame saw of this vertex.
      #expect(
        kept.allSatisfy {
          $0.measurement.color == SIMD4(UInt16($0.frame), UInt16(truncatingIfNeeded: vertex), 0, 0)
        })
    }
  }

  @Test func `a view takes no more memory than it is said to`() {
    #expect(MemoryLayout<ObservationTable.Observation>.stride == 24)
  }

  @Test func `frames that see the same place again and again are not all kept`() throws {
    let capture = try SyntheticCapture.small { ($0.frameCount, $0.size) = (4, SIMD2(64, 48)) }
    let surface = try ObservedSurface(capture.scene)
    let bakeMesh = BakeMesh(surface, edgeLimit: 0.3)
    func observations(_ frames: [Capture.Frame], memory: Int) throws -> FrameObservations {
      var options = BakeOptions.ofTests
      options.imageMemory = memory
      return try FrameObservations(bakeMesh, on: surface, frames: frames, options: options) { _ in }
    }
    let limit = 40
    let memory = limit * bakeMesh.vertexCount * MemoryLayout<ObservationTable.Observation>.stride
    let once = try observations(capture.frames, memory: memory)
    let many = (0..<20).flatMap { _ in capture.frames }
    let often = try observations(many, memory: memory)
    let counts = (0..<bakeMesh.vertexCount).map { often.table.range(of: $0).count }
    #expect(counts.max() == limit)
    let least = try observations(many, memory: 1)
    #expect(least.table.range(of: counts.firstIndex(of: limit) ?? 0).count == 32)
    // The same pictures again tell nothing new.
    for (first, second) in zip(
      once.calibration.consensus.colors, often.calibration.consensus.colors)
    {
      #expect(first.w == second.w)
      #expect(((first - second) / (first + 650)).max() < 0.1)
    }
  }

  @Test func `a frame that is darker than the others is levelled where it has a share`() throws {
    // Three frames see an even plate; one of them is a tenth too dark, and sees a part alone.
    let grid = MeshFixtures.grid(columns: 24, rows: 12)
    let surface = try ObservedSurface(positions: grid.positions, indices: grid.indices)
    let bakeMesh = BakeMesh(surface, edgeLimit: 100)
    let (offsets, neighbors) = bakeMesh.neighbors()
    func light(_ frame: Int) -> Float { frame == 1 ? 18_000 : 20_000 }
    let frames = (0..<3).map { frame in
      var seen = VertexMeasurements()
      for vertex in 0..<bakeMesh.vertexCount where frame != 1 || vertex % 25 < 12 {
        let code = UInt16(light(frame))
        seen.append(
          vertex,
          FrameAnalysis.Measurement(
            color: SIMD4(code, code, code, 900), resolution: 1, confidence: 1))
      }
      return seen
    }
    var table = ObservationTable(vertexCount: bakeMesh.vertexCount, maximumObservations: 8)
    table.add(frames, of: 3)
    let photometry = FramePhotometry(table, solvesGains: false)
    let consensus = ColorConsensus(&table, photometry)
    var selected = SelectedObservations(table, weights: table.observations.map { _ in 1 / 3 })
    LocalExposure.level(
      &selected, in: table, photometry: photometry, consensus: consensus, offsets: offsets,
      neighbors: neighbors)
    for vertex in 0..<bakeMesh.vertexCount {
      let views = selected.contributions[selected.range(of: vertex)]
      #expect(views.contains { $0.frame == 1 } == (vertex % 25 < 12))
      for view in views {
        let level = light(Int(view.frame)) * view.localGain.y
        // Where it ends the levels of the others change, as smoothly as levels do.
        #expect(abs(level / consensus.colors[vertex].y - 1) < 0.02)
      }
    }
  }
}
