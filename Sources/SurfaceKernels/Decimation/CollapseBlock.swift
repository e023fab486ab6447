import MeshpipeBase
import MeshpipeScene

/// A block of a surface's vertices with all their faces, decimated on its own.
///
/// The vertices of other blocks that its faces use follow its own. They stay fixed, and so do their
/// neighbours.
struct CollapseBlock: Sendable {
  /// The cost of a neighbour of another block's vertex, of whose faces too few are known.
  static let unknownCost: Float = -1

  let state: CollapseState
  private let options: EdgeCollapse.Options
  /// The block's own vertices.
  let vertexCount: Int
  /// The faces whose first corner is the block's own; other blocks pass on the others.
  let faceCount: Int
  private(set) var removedFaces = 0
  private(set) var largestError: Float = 0
  private(set) var wasErrorBound = false

  /// Extracts a block from a surface, and classifies its vertices and computes their costs.
  ///
  /// - Parameter spare: Memory to reuse if it is large enough.
  init(
    _ block: Int, of blocks: SurfaceBlocks, surface: EdgeCollapse.Surface, frame: CollapseFrame,
    options: EdgeCollapse.Options, reusing spare: CollapseState? = nil
  ) {
    self.options = options
    let own = blocks.vertices(of: block)
    self.vertexCount = own.count
    var corners = blocks.cornerRanks(of: block, surface)
    let vertexCount = own.count + Self.number(&corners, own)
    if let spare, spare.positions.count >= vertexCount {
      state = spare
    } else {
      // Rounded up, so that most other blocks can reuse it.
      let room = CollapseState.Size(
        vertices: (vertexCount / 1024 + 1) * 1024, faces: blocks.largestFaceCount)
      state = CollapseState(frame, options, room: room, of: surface)
    }
    let size = CollapseState.Size(vertices: vertexCount, faces: corners.count / 3)
    faceCount = Self.fill(
      state, size: size, ownCount: own.count, with: block, of: blocks, surface: surface,
      corners: corners)
    state.begin(size, own: own.count, at: surface.positions)
    findCosts()
  }

  /// Replaces the rank of each corner's vertex by its index in the block.
  ///
  /// - Returns: The number of vertices of other blocks; they are ordered by rank too.
  private static func number(_ corners: inout [UInt32], _ own: Range<Int>) -> Int {
    let first = UInt32(truncatingIfNeeded: own.lowerBound)
    let count = UInt32(truncatingIfNeeded: own.count)
    var others = corners.filter { $0 &- first >= count }
    others.sort()
    var otherCount = 0
    for rank in others where otherCount == 0 || rank != others[otherCount - 1] {
      others[otherCount] = rank
      otherCount += 1
    }
    for corner in corners.indices {
      let rank = corners[corner]
      guard rank &- first >= count else {
        corners[corner] = rank - first
        continue
      }
      var (low, high) = (0, otherCount)
      while low < high {
        let middle = (low + high) / 2
        if others[middle] < rank { low = middle + 1 } else { high = middle }
      }
      corners[corner] = count + UInt32(truncatingIfNeeded: low)
    }
    return otherCount
  }

  /// Fills a state with faces in the order of their first corners, and classifies the vertices.
  ///
  /// - Returns: The number of faces whose first corner is the block's own; they come first.
  private static func fill(
    _ state: CollapseState, size: CollapseState.Size, ownCount: Int, with block: Int,
    of blocks: SurfaceBlocks, surface: EdgeCollapse.Surface, corners: [UInt32]
  ) -> Int {
    // First the number of faces of each vertex, then where they begin, and finally where they end.
    let ends = state.faceEnds.elements
    ends.fill(0..<size.vertices, with: 0)
    for face in 0..<size.faces { ends[corners[3 * face]] += 1 }
    var before: UInt32 = 0
    var ownFaces = size.faces
    for vertex in 0..<size.vertices {
      if vertex == ownCount { ownFaces = Int(before) }
      (ends[vertex], before) = (before, before + ends[vertex])
    }
    state.vertexOrder.fill(0..<size.vertices, with: CollapseState.none)
    for index in 0..<size.faces {
      let old = blocks.face(index, of: block)
      let first = corners[3 * index]
      let face = Int(ends[first])
      ends[first] += 1
      for corner in 0..<3 {
        let number = corners[3 * index + corner]
        state.faces[CollapseCorner(corner, of: face)] = number
        state.vertexOrder[number] = surface.vertices[3 * Int(old) + corner]
        if let all = surface.wedges {
          state.wedges[3 * face + corner] = all[3 * Int(old) + corner]
        }
      }
      if let mapping = surface.mapping {
        let places = mapping.places(of: Int(old))
        state.places[3 * face] = places.0 * state.frame.scale
        state.places[3 * face + 1] = places.1 * state.frame.scale
        state.places[3 * face + 2] = places.2 * state.frame.scale
      }
      state.faces.set(face, region: surface.regions?[Int(old)] ?? 0, input: old)
    }
    return ownFaces
  }

  private func findCosts() {
    var worker = CollapseWorker(state, options, owner: 0)
    for vertex in 0..<vertexCount where worker.prepare(vertex) && !options.movesVertices {
      worker.findCost(of: vertex)
    }
    guard options.movesVertices else { return }
    for vertex in 0..<vertexCount where state.gather(vertex, into: &worker.ring) {
      if worker.isInside(worker.ring) {
        worker.findCost(of: vertex)
      } else {
        state.costs[vertex] = Self.unknownCost
      }
    }
  }

  /// Collapses the block's own vertices; may be called again to continue.
  ///
  /// - Parameters:
  ///   - last: The highest bucket of costs.
  ///   - share: The share of its faces to remove at most.
  mutating func thin(upTo last: Int, by share: Double) {
    var worker = CollapseWorker(state, options, owner: 0)
    let vertices = 0..<UInt32(truncatingIfNeeded: vertexCount)
    // One less, since the last step may remove two.
    let quota = Int(share * Double(faceCount)) - 1 - removedFaces
    try? worker.run(vertices, upTo: last, quota: quota) { (_: Int) throws(Cancelled) in }
    removedFaces += worker.removedFaces
    largestError = max(largestError, worker.largestError)
    wasErrorBound = wasErrorBound || worker.wasErrorBound
  }

  /// The approximate number of faces without neighbours of other blocks, before any decimation.
  var insideFaceCount: Int {
    var worker = CollapseWorker(state, options, owner: 0)
    var count = 0
    for vertex in 0..<vertexCount
    where state.gather(vertex, into: &worker.ring) && worker.isInside(worker.ring) { count += 1 }
    return faceCount * count / max(1, vertexCount)
  }

  /// The remaining elements of the block's own.
  var left: CollapseState.Size {
    var count = 0
    for vertex in 0..<vertexCount where isLeft(vertex) { count += 1 }
    return .init(vertices: count, faces: faceCount - removedFaces)
  }

  /// Counts the costs of the vertices that may move; unknown costs are skipped.
  func count(_ costs: inout CollapseCosts) {
    for vertex in 0..<vertexCount
    where state.isMovable(vertex) && state.costs[vertex] != Self.unknownCost {
      costs.add(state.costs[vertex])
    }
  }

  /// Vertices without faces do not count.
  private func isLeft(_ vertex: Int) -> Bool {
    state.kinds[vertex] != .removed && state.vertexOrder[vertex] != CollapseState.none
  }

  /// Appends the remaining elements to those of the blocks before; for now faces refer to the
  /// vertices of the input surface.
  ///
  /// - Parameter hasPlanes: Whether the planes of all vertices are known, since nothing was
  ///   decimated.
  func append(to whole: CollapseState, at start: CollapseState.Size, hasPlanes: Bool) {
    var (next, nextFace, face) = (start.vertices, start.faces, 0)
    for vertex in 0..<vertexCount {
      let end = Int(state.faceEnds[vertex])
      while face < end {
        if !state.faces.isRemoved(face) {
          copyFace(face, to: whole, nextFace)
          nextFace += 1
        }
        face += 1
      }
      if isLeft(vertex) {
        copyVertex(vertex, to: whole, next)
        if hasPlanes {
          whole.planes[next] = state.planes[vertex]
          if state.hasMapping { whole.mappings[next] = state.mappings[vertex] }
        }
        next += 1
      }
      if next > start.vertices { whole.faceEnds[next - 1] = UInt32(truncatingIfNeeded: nextFace) }
    }
  }

  private func copyFace(_ face: Int, to whole: CollapseState, _ index: Int) {
    for corner in 0..<3 {
      let vertex = state.faces[CollapseCorner(corner, of: face)]
      whole.faces[CollapseCorner(corner, of: index)] = state.vertexOrder[vertex]
      if state.hasWedges { whole.wedges[3 * index + corner] = state.wedges[3 * face + corner] }
      if state.hasMapping { whole.places[3 * index + corner] = state.places[3 * face + corner] }
    }
    whole.faces.set(index, region: state.faces.region(face), input: state.faces.input(face))
  }

  private func copyVertex(_ vertex: Int, to whole: CollapseState, _ index: Int) {
    whole.vertexOrder[index] = state.vertexOrder[vertex]
    whole.positions[index] = state.positions[vertex]
    whole.kinds[index] = state.kinds[vertex]
    whole.quadrics[index] = state.quadrics[vertex]
    whole.areaVectors[index] = state.areaVectors[vertex]
    whole.costs[index] = state.costs[vertex]
    if options.movesVertices { whole.anchors[index] = state.anchors[vertex] }
  }
}
