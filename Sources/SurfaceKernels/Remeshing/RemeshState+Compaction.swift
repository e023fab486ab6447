import MeshpipeScene

extension RemeshState {
  /// Whether more than a tenth of the faces are new or removed since the last compaction.
  ///
  /// To step over fewer takes less time than to renumber the rest.
  var isScattered: Bool {
    guard compactedFaceCount > 0 else { return true }
    let changed = faces.faceCount - compactedFaceCount + removedFaceCount
    return 10 * changed > faces.faceCount
  }

  /// Removes what collapses have left over, and renumbers the rest along a Morton curve.
  ///
  /// Splits add vertices and faces in the order of their lengths: all that follows would wait for memory.
  mutating func compact() {
    let vertices = SpatialOrder(of: positions).indices.filter { halfedges[Int($0)] != Self.none }
    var vertexNumbers = [UInt32](repeating: Self.none, count: positions.count)
    for (number, vertex) in vertices.enumerated() { vertexNumbers[Int(vertex)] = UInt32(number) }
    let kept = keptFaces(along: vertices)
    var faceNumbers = [UInt32](repeating: Self.none, count: faces.faceCount)
    for (number, face) in kept.enumerated() { faceNumbers[Int(face)] = UInt32(number) }
    renumberFaces(kept, faceNumbers, vertexNumbers)
    renumberVertices(vertices, faceNumbers)
    (compactedFaceCount, removedFaceCount) = (kept.count, 0)
    // Segments of removed edges keep no vertex; nothing refers to them.
    for number in segments.indices {
      segments[number].from = Self.renumbered(segments[number].from, vertexNumbers)
      segments[number].to = Self.renumbered(segments[number].to, vertexNumbers)
    }
  }

  /// The faces, each with those around its first vertex.
  private func keptFaces(along vertices: [UInt32]) -> [UInt32] {
    var isKept = [Bool](repeating: false, count: faces.faceCount)
    var kept: [UInt32] = []
    kept.reserveCapacity(faces.faceCount)
    for vertex in vertices {
      faces.forEachHalfedge(from: halfedges[Int(vertex)]) { halfedge in
        let face = halfedge / 3
        guard !isKept[Int(face)] else { return }
        isKept[Int(face)] = true
        kept.append(face)
      }
    }
    return kept
  }

  private mutating func renumberFaces(
    _ kept: [UInt32], _ faceNumbers: [UInt32], _ vertexNumbers: [UInt32]
  ) {
    // One after the other: the old values of each are freed before the next is made.
    faces.vertices = Self.cornerValues(ofFaces: kept) { [old = faces.vertices] in
      vertexNumbers[Int(old[$0])]
    }
    faces.opposites = Self.cornerValues(ofFaces: kept) { [old = faces.opposites] in
      Self.moved(old[$0], faceNumbers)
    }
    segmentNumbers = Self.cornerValues(ofFaces: kept) { [old = segmentNumbers] in old[$0] }
  }

  /// The values of three corners for each of some faces.
  @inline(__always)
  private static func cornerValues(
    ofFaces faces: [UInt32], _ value: @Sendable (_ corner: Int) -> UInt32
  ) -> [UInt32] {
    Parallel.array(count: 3 * faces.count, chunkSize: 3 << 12) { range, output in
      for face in faces[range.lowerBound / 3..<range.upperBound / 3] {
        let first = 3 * Int(face)
        for corner in first..<first + 3 { output.append(value(corner)) }
      }
    }
  }

  private mutating func renumberVertices(_ vertices: [UInt32], _ faceNumbers: [UInt32]) {
    func chosen<Value: BitwiseCopyable & Sendable>(_ values: [Value]) -> [Value] {
      Parallel.array(count: vertices.count) { values[Int(vertices[$0])] }
    }
    positions = chosen(positions)
    roles = chosen(roles)
    anchors = chosen(anchors)
    valences = chosen(valences)
    originals = chosen(originals)
    let old = halfedges
    halfedges = Parallel.array(count: vertices.count) {
      Self.moved(old[Int(vertices[$0])], faceNumbers)
    }
  }

  private static func moved(_ halfedge: UInt32, _ faceNumbers: [UInt32]) -> UInt32 {
    halfedge == none ? none : 3 * faceNumbers[Int(halfedge / 3)] + halfedge % 3
  }

  private static func renumbered(_ vertex: UInt32, _ numbers: [UInt32]) -> UInt32 {
    vertex == none ? none : numbers[Int(vertex)]
  }
}
