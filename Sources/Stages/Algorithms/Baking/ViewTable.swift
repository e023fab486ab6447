import MeshPipeline

/// Which frames see which vertex of a surface, in compressed rows.
struct ViewTable: Sendable {
  /// Where the views of each vertex begin; one more than there are vertices.
  let offsets: [UInt32]
  /// The views of each vertex, by ascending frame.
  var views: [View]
  let frameCount: Int

  /// A vertex as one frame sees it.
  struct View: Sendable {
    var frame: UInt32
    var sighting: FrameSightings.Sighting
    /// The share that the frame has in the vertex's fine detail, 0…1.
    var share: Float = 0
    /// How well its colour agrees with that of the others, 0…1.
    var agreement: Float = 1
    /// What its light is to be multiplied with here, beside the gain of its frame.
    var level = Vector3(1, 1, 1)
  }

  var vertexCount: Int { offsets.count - 1 }

  /// - Parameter frames: What each frame sees; nil for one that could not be read.
  init(_ frames: [FrameSightings?], vertexCount: Int) {
    var offsets = [UInt32](repeating: 0, count: vertexCount + 1)
    for frame in frames {
      guard let frame else { continue }
      for vertex in frame.vertices { offsets[Int(vertex) + 1] += 1 }
    }
    for vertex in 0..<vertexCount { offsets[vertex + 1] += offsets[vertex] }
    var next = offsets
    let none = FrameSightings.Sighting(color: .zero, resolution: 0, energy: 0, trust: 0)
    var views = [View](
      repeating: View(frame: 0, sighting: none), count: Int(offsets[vertexCount]))
    for (number, frame) in frames.enumerated() {
      guard let frame else { continue }
      for (vertex, sighting) in zip(frame.vertices, frame.sightings) {
        views[Int(next[Int(vertex)])] = View(
          frame: UInt32(truncatingIfNeeded: number), sighting: sighting)
        next[Int(vertex)] += 1
      }
    }
    self.offsets = offsets
    self.views = views
    frameCount = frames.count
  }

  @inline(__always)
  func range(of vertex: Int) -> Range<Int> {
    Int(offsets[vertex])..<Int(offsets[vertex + 1])
  }
}
