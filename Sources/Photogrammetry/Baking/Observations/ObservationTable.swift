import MeshpipeScene
import SurfaceKernels

/// The frames that see each vertex of a surface, in compressed sparse rows.
///
/// Frames are added as they come, and each vertex keeps only the best of its observations: hundreds of
/// frames that see the same point say hardly more about it than some dozens, and would fill the
/// memory.
struct ObservationTable: Sendable {
  /// Where the observations of each vertex begin; one more element than there are vertices.
  private(set) var offsets: [UInt32]
  /// The observations of each vertex, by ascending frame.
  var observations: [Observation] = []
  private(set) var frameCount = 0
  private let maximumObservations: Int

  /// A vertex as one frame sees it, in 24 bytes: there are several for each vertex.
  struct Observation: Sendable {
    var measurement: FrameAnalysis.Measurement
    var frame: UInt32
    /// The agreement of the observation's colour with the others, 0…1.
    var agreement: Float = 1
  }

  var vertexCount: Int { offsets.count - 1 }

  /// A table without observations.
  ///
  /// - Parameter maximumObservations: The number of observations of each vertex that are kept: those with the
  ///   most reliable pixels, of equal ones the earlier.
  init(vertexCount: Int, maximumObservations: Int) {
    offsets = [UInt32](repeating: 0, count: vertexCount + 1)
    self.maximumObservations = maximumObservations
  }

  @inline(__always)
  func range(of vertex: Int) -> Range<Int> {
    Int(offsets[vertex])..<Int(offsets[vertex + 1])
  }

  /// Adds the next frames; nil for one that could not be read.
  ///
  /// - Parameter total: The total number of frames, so that memory is reserved for all at once.
  mutating func add(_ frames: [VertexMeasurements?], of total: Int) {
    var used = Parallel.array(count: vertexCount) { [offsets] in offsets[$0 + 1] - offsets[$0] }
    let old = offsets
    makeRoom(for: frames, of: total)
    move(from: old)
    let chunkSize = 1 << 12
    observations.withDisjointBuffer { [offsets, maximumObservations, frameCount] observations in
      used.withDisjointBuffer { used in
        Parallel.forEachChunk(of: offsets.count - 1, chunkSize: chunkSize) { _, chunk in
          for (place, frame) in frames.enumerated() {
            guard let frame else { continue }
            let number = UInt32(truncatingIfNeeded: frameCount + place)
            for index in frame.places(of: chunk) {
              let vertex = Int(frame.vertices[index])
              let observation = Observation(measurement: frame.measurements[index], frame: number)
              let first = Int(offsets[vertex])
              if used[vertex] < maximumObservations {
                observations[first + Int(used[vertex])] = observation
                used[vertex] += 1
              } else {
                Self.replaceWorst(
                  in: first..<first + maximumObservations, of: observations, by: observation)
              }
            }
          }
        }
      }
    }
    frameCount += frames.count
  }

  /// Makes the rows as long as they will be.
  private mutating func makeRoom(for frames: [VertexMeasurements?], of total: Int) {
    var counts = [UInt32](repeating: 0, count: vertexCount)
    for frame in frames {
      for vertex in frame?.vertices ?? [] { counts[Int(vertex)] += 1 }
    }
    var (first, end) = (offsets[0], UInt32(0))
    for vertex in 0..<vertexCount {
      let count = offsets[vertex + 1] - first + counts[vertex]
      first = offsets[vertex + 1]
      end += min(count, UInt32(truncatingIfNeeded: maximumObservations))
      offsets[vertex + 1] = end
    }
    let needed = Int(end)
    if observations.capacity < needed {
      // As much for each of the frames to come, or the table would be copied repeatedly.
      let seen = max(1, frameCount + frames.count)
      let expected = needed / seen * total + needed / 16
      observations.reserveCapacity(max(needed, min(expected, vertexCount * maximumObservations)))
    }
    let none = Observation(
      measurement: FrameAnalysis.Measurement(color: .zero, resolution: 0, confidence: 0), frame: 0)
    observations.append(contentsOf: repeatElement(none, count: needed - observations.count))
  }

  /// Moves the old rows to their new positions, the last one first.
  private mutating func move(from old: [UInt32]) {
    for vertex in (0..<vertexCount).reversed() where offsets[vertex] != old[vertex] {
      let (from, to) = (Int(old[vertex]), Int(offsets[vertex]))
      for index in (0..<Int(old[vertex + 1]) - from).reversed() {
        observations[to + index] = observations[from + index]
      }
    }
  }

  /// Replaces the least observation of a full row by this one, if it is better.
  private static func replaceWorst(
    in row: Range<Int>, of observations: DisjointBuffer<Observation>, by observation: Observation
  ) {
    guard var worst = row.first else { return }
    for index in row
    where observations[index].measurement.quality <= observations[worst].measurement.quality {
      worst = index
    }
    guard observations[worst].measurement.quality < observation.measurement.quality else { return }
    for index in worst..<row.upperBound - 1 { observations[index] = observations[index + 1] }
    observations[row.upperBound - 1] = observation
  }
}
