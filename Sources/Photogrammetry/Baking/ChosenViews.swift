import MeshPipeline

/// The frames that each vertex takes its fine detail from, in compressed sparse rows.
struct ChosenViews: Sendable {
  /// Where the views of each vertex begin; one more element than there are vertices.
  let offsets: [UInt32]
  /// The views of each vertex, by ascending frame.
  var views: [View]
  let frameCount: Int

  /// A frame's contribution to a vertex.
  struct View: Sendable {
    var frame: UInt32
    /// The share that the frame has in the vertex's fine detail, 0…1.
    var share: Float
    /// The factor of its light here, in addition to the gain of its frame.
    var level = Vector3(1, 1, 1)
  }

  var vertexCount: Int { offsets.count - 1 }

  /// None.
  init(vertexCount: Int, frameCount: Int) {
    offsets = [UInt32](repeating: 0, count: vertexCount + 1)
    views = []
    self.frameCount = frameCount
  }

  /// - Parameter shares: The share of each view of the table.
  init(_ table: ViewTable, shares: [Float]) {
    var offsets: [UInt32] = [0]
    offsets.reserveCapacity(table.vertexCount + 1)
    var views: [View] = []
    for vertex in 0..<table.vertexCount {
      for index in table.range(of: vertex) where shares[index] > 0 {
        views.append(View(frame: table.views[index].frame, share: shares[index]))
      }
      offsets.append(UInt32(truncatingIfNeeded: views.count))
    }
    self.offsets = offsets
    self.views = views
    frameCount = table.frameCount
  }

  @inline(__always)
  func range(of vertex: Int) -> Range<Int> {
    Int(offsets[vertex])..<Int(offsets[vertex + 1])
  }
}
