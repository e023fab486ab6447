import MeshpipeScene

extension RemeshState {
  /// Splits edges that are longer than 4/3 of what they should be, the longest first, until there are none.
  ///
  /// Between passes edges are flipped for larger angles, which shortens the lines to the middles of edges.
  ///
  /// - Returns: The number of edges that were split.
  mutating func splitLongEdges() -> Int {
    var count = 0
    for _ in 0..<Self.mostPasses {
      let long = longEdges()
      if long.isEmpty { break }
      for halfedge in long where isLong(halfedge) {
        split(halfedge)
        count += 1
      }
      // Few are left to the next iteration.
      if 100 * long.count < faces.faceCount { break }
      flipEdges(for: .angles, passes: 1)
    }
    return count
  }

  /// The long edges, the longest first; lengths within a factor of √2 count as the same.
  ///
  /// Edges of the same length are in the order of the faces: one length after the other, each split would wait
  /// for memory.
  private func longEdges() -> [UInt32] {
    let chunks = Parallel.mapChunks(of: faces.vertices.count) { chunk in
      chunk.compactMap { halfedge -> UInt64? in
        let halfedge = UInt32(halfedge)
        guard isLong(halfedge) else { return nil }
        let square = squaredLength(faces.vertices[Int(halfedge)], faces.end(of: halfedge))
        // Positive numbers are ordered as their bits, and the upper ones are the power of two.
        let power = square.bitPattern >> UInt32(Float.significandBitCount)
        return UInt64(~power) << 32 | UInt64(halfedge)
      }
    }
    return chunks.joined().sorted().map { UInt32(truncatingIfNeeded: $0) }
  }

  private static let mostPasses = 40

  @inline(__always)
  private func isLong(_ halfedge: UInt32) -> Bool {
    let start = faces.vertices[Int(halfedge)]
    guard start != Self.none else { return false }
    let other = faces.opposites[Int(halfedge)]
    guard other == Self.none || halfedge < other else { return false }
    let end = faces.end(of: halfedge)
    let limit = targetLength(start, end) * (4.0 / 3)
    guard squaredLength(start, end) > limit * limit else { return false }
    let number = segmentNumbers[Int(halfedge)]
    return number == Self.none || segments[Int(number)].line != Self.none
  }

  /// Splits an edge in its middle.
  private mutating func split(_ halfedge: UInt32) {
    let (start, end) = (faces.vertices[Int(halfedge)], faces.end(of: halfedge))
    let other = faces.opposites[Int(halfedge)]
    let vertex = addVertex(halfedge, start, end)
    let number = segmentNumbers[Int(halfedge)]
    let second = number == Self.none ? Self.none : splitSegment(number, at: vertex)
    let ownNumber = number == Self.none || segments[Int(number)].from == start ? number : second
    let endNumber = ownNumber == number ? second : number

    let upper = splitFace(halfedge, at: vertex)
    segmentNumbers[Int(halfedge)] = ownNumber
    segmentNumbers[Int(upper)] = endNumber
    halfedges[Int(vertex)] = upper
    guard other != Self.none else { return }
    let lower = splitFace(other, at: vertex)
    faces.join(upper, other)
    faces.join(lower, halfedge)
    segmentNumbers[Int(other)] = endNumber
    segmentNumbers[Int(lower)] = ownNumber
    valences[Int(vertex)] = 4
  }

  /// Splits the face of a halfedge from a new vertex on it to the third vertex.
  ///
  /// - Returns: The halfedge from the new vertex to the end of the halfedge.
  private mutating func splitFace(_ halfedge: UInt32, at vertex: UInt32) -> UInt32 {
    let (next, last) = (following(halfedge), preceding(halfedge))
    let (end, tip) = (faces.vertices[Int(next)], faces.vertices[Int(last)])
    let first = UInt32(faces.vertices.count)
    faces.vertices += [vertex, end, tip]
    faces.opposites += [Self.none, Self.none, Self.none]
    segmentNumbers += [Self.none, segmentNumbers[Int(next)], Self.none]
    let beside = faces.opposites[Int(next)]
    faces.join(first + 1, beside)
    faces.vertices[Int(next)] = vertex
    faces.join(next, first + 2)
    segmentNumbers[Int(next)] = Self.none
    if halfedges[Int(end)] == next { halfedges[Int(end)] = first + 1 }
    valences[Int(tip)] += 1
    return first
  }

  private mutating func addVertex(_ halfedge: UInt32, _ start: UInt32, _ end: UInt32) -> UInt32 {
    let number = segmentNumbers[Int(halfedge)]
    let isBorder = faces.opposites[Int(halfedge)] == Self.none
    anchors.append(referenceFace(ofCorner: halfedge))
    if number != Self.none {
      let segment = segments[Int(number)]
      let middle = (segment.start + segment.end) / 2
      positions.append(Vector3(lines.position(segment.line, middle, reference.positions)))
      roles.append(isBorder ? [.line, .border] : .line)
    } else {
      positions.append(Vector3((position(start) + position(end)) / 2))
      roles.append([])
    }
    halfedges.append(Self.none)
    valences.append(3)
    originals.append(Self.none)
    return UInt32(positions.count - 1)
  }

  /// Ends a segment at a new vertex in its middle, and begins another one there.
  private mutating func splitSegment(_ number: UInt32, at vertex: UInt32) -> UInt32 {
    var second = segments[Int(number)]
    let middle = (second.start + second.end) / 2
    segments[Int(number)].to = vertex
    segments[Int(number)].end = middle
    second.from = vertex
    second.start = middle
    segments.append(second)
    return UInt32(segments.count - 1)
  }
}
