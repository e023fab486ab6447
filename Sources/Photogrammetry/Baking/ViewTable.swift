import MeshPipeline
import SurfaceKernels

/// The frames that see each vertex of a surface, in compressed sparse rows.
///
/// Frames are added as they come, and each vertex keeps only the best of its views: hundreds of
/// frames that see the same place say hardly more about it than some dozens, and would fill the
/// memory.
struct ViewTable: Sendable {
  /// Where the views of each vertex begin; one more element than there are vertices.
  private(set) var offsets: [UInt32]
  /// The views of each vertex, by ascending frame.
  var views: [View] = []
  private(set) var frameCount = 0
  private let maximumViews: Int

  /// A vertex as one frame sees it, in 24 bytes: there are several for each vertex.
  struct View: Sendable {
    var sighting: FrameSightings.Sighting
    var frame: UInt32
    /// How well its colour agrees with the others, 0…1.
    var agreement: Float = 1
  }

  var vertexCount: Int { offsets.count - 1 }

  /// A table without views.
  ///
  /// - Parameter maximumViews: The number of views of each vertex that are kept: those with the
  ///   most reliable pixels, of equal ones the earlier.
  init(vertexCount: Int, maximumViews: Int) {
    offsets = [UInt32](repeating: 0, count: vertexCount + 1)
    self.maximumViews = maximumViews
  }

  @inline(__always)
  func range(of vertex: Int) -> Range<Int> {
    Int(offsets[vertex])..<Int(offsets[vertex + 1])
  }

  /// Adds the next frames; nil for one that could not be read.
  ///
  /// - Parameter total: The total number of frames, so that memory is reserved for all at once.
  mutating func add(_ frames: [SeenVertices?], of total: Int) {
    var used = Parallel.array(count: vertexCount) { [offsets] in offsets[$0 + 1] - offsets[$0] }
    let old = offsets
    makeRoom(for: frames, of: total)
    move(from: old)
    let chunkSize = 1 << 12
    views.withDisjointBuffer { [offsets, maximumViews, frameCount] views in
      used.withDisjointBuffer { used in
        Parallel.forEachChunk(of: offsets.count - 1, chunkSize: chunkSize) { _, chunk in
          for (place, frame) in frames.enumerated() {
            guard let frame else { continue }
            let number = UInt32(truncatingIfNeeded: frameCount + place)
            for index in frame.places(of: chunk) {
              let vertex = Int(frame.vertices[index])
              let view = View(sighting: frame.sightings[index], frame: number)
              let first = Int(offsets[vertex])
              if used[vertex] < maximumViews {
                views[first + Int(used[vertex])] = view
                used[vertex] += 1
              } else {
                Self.replaceWorst(in: first..<first + maximumViews, of: views, by: view)
              }
            }
          }
        }
      }
    }
    frameCount += frames.count
  }

  /// Makes the rows as long as they will be.
  private mutating func makeRoom(for frames: [SeenVertices?], of total: Int) {
    var counts = [UInt32](repeating: 0, count: vertexCount)
    for frame in frames {
      for vertex in frame?.vertices ?? [] { counts[Int(vertex)] += 1 }
    }
    var (first, end) = (offsets[0], UInt32(0))
    for vertex in 0..<vertexCount {
      let count = offsets[vertex + 1] - first + counts[vertex]
      first = offsets[vertex + 1]
      end += min(count, UInt32(truncatingIfNeeded: maximumViews))
      offsets[vertex + 1] = end
    }
    let needed = Int(end)
    if views.capacity < needed {
      // As much for each of the frames to come, or the table would be copied repeatedly.
      let seen = max(1, frameCount + frames.count)
      let expected = needed / seen * total + needed / 16
      views.reserveCapacity(max(needed, min(expected, vertexCount * maximumViews)))
    }
    let none = View(
      sighting: FrameSightings.Sighting(color: .zero, resolution: 0, trust: 0), frame: 0)
    views.append(contentsOf: repeatElement(none, count: needed - views.count))
  }

  /// Moves the old rows to their new positions, the last one first.
  private mutating func move(from old: [UInt32]) {
    for vertex in (0..<vertexCount).reversed() where offsets[vertex] != old[vertex] {
      let (from, to) = (Int(old[vertex]), Int(offsets[vertex]))
      for place in (0..<Int(old[vertex + 1]) - from).reversed() {
        views[to + place] = views[from + place]
      }
    }
  }

  /// Replaces the least view of a full row by this one, if it is better.
  private static func replaceWorst(
    in row: Range<Int>, of views: DisjointBuffer<View>, by view: View
  ) {
    guard var worst = row.first else { return }
    for index in row where views[index].sighting.worth <= views[worst].sighting.worth {
      worst = index
    }
    guard views[worst].sighting.worth < view.sighting.worth else { return }
    for index in worst..<row.upperBound - 1 { views[index] = views[index + 1] }
    views[row.upperBound - 1] = view
  }
}
