import MeshpipeScene

/// The frames that each vertex takes its fine detail from, in compressed sparse rows.
struct SelectedObservations: Sendable {
  /// Where the contributions of each vertex begin; one more element than there are vertices.
  let offsets: [UInt32]
  /// The contributions of each vertex, by ascending frame.
  var contributions: [Contribution]
  let frameCount: Int

  /// A frame's contribution to a vertex.
  struct Contribution: Sendable {
    var frame: UInt32
    /// The weight that the frame has in the vertex's fine detail, 0…1.
    var weight: Float
    /// The factor of its linear light here, per channel, in addition to the gain of its frame.
    var localGain = Vector3(1, 1, 1)
  }

  var vertexCount: Int { offsets.count - 1 }

  /// None.
  init(vertexCount: Int, frameCount: Int) {
    offsets = [UInt32](repeating: 0, count: vertexCount + 1)
    contributions = []
    self.frameCount = frameCount
  }

  /// - Parameter weights: The weight of each observation of the table.
  init(_ table: ObservationTable, weights: [Float]) {
    var offsets: [UInt32] = [0]
    offsets.reserveCapacity(table.vertexCount + 1)
    var contributions: [Contribution] = []
    for vertex in 0..<table.vertexCount {
      for index in table.range(of: vertex) where weights[index] > 0 {
        contributions.append(
          Contribution(frame: table.observations[index].frame, weight: weights[index]))
      }
      offsets.append(UInt32(truncatingIfNeeded: contributions.count))
    }
    self.offsets = offsets
    self.contributions = contributions
    frameCount = table.frameCount
  }

  @inline(__always)
  func range(of vertex: Int) -> Range<Int> {
    Int(offsets[vertex])..<Int(offsets[vertex + 1])
  }
}
