import MeshpipeScene
import POSIX

/// The target lengths of edges, in working units.
struct RemeshSizing: Sendable {
  /// The length of edges where the surface is flat.
  let usual: Double
  /// The length at each vertex of the reference; nil if it is the same everywhere.
  let lengths: [Float]?
  /// The area of the surface in squares of the length.
  let squares: Double
  /// The factor that multiplies lengths, so that the number of faces that they are for results.
  private(set) var factor: Float = 1

  /// The maximum distance by which a single step may move the surface, as a fraction of an edge.
  private static let tolerance: Float = 0.03
  /// The area of a face with edges of the length 1.
  private static let areaOfUnitFace = 0.433

  /// The length of edges for a size, in working units.
  static func edgeLength(
    _ size: Remeshing.Options.Size, on reference: RemeshReference
  ) -> Double {
    switch size {
    case .length(let units): return units / reference.scale
    case .faces(let count):
      return (reference.area / Double(max(1, count)) / areaOfUnitFace).squareRoot()
    }
  }

  /// - Parameters:
  ///   - usual: The length of edges where the surface is flat, in working units.
  ///   - error: The distance between edges and the surface that curved parts get shorter edges for.
  init(usual: Double, error: Double?, _ reference: RemeshReference) {
    self.usual = usual
    guard let error, error > 0, usual > 0 else {
      lengths = nil
      squares = reference.area / (usual * usual)
      return
    }
    let lengths = Self.lengths(reference, usual: usual, error: error / reference.scale)
    self.lengths = lengths
    let areas = reference.areas
    squares = areas.indices.reduce(0) { sum, face in
      let length = (0..<3).map { lengths[Int(reference.faces.vertices[3 * face + $0])] }.min() ?? 1
      return sum + Double(areas[face]) / Double(length * length)
    }
  }

  /// The number of faces to expect.
  var faceCount: Double { squares / Self.areaOfUnitFace }

  var tolerance: Float { Self.tolerance * Float(usual) * factor }

  /// Makes edges longer or shorter, since there are more or fewer faces than there should be.
  mutating func adjust(toFaceCount count: Int) {
    guard faceCount > 0 else { return }
    let change = Float((Double(count) / faceCount).squareRoot())
    factor = min(1.3, max(0.8, factor * min(1.15, max(0.9, change))))
  }

  // MARK: Curvature

  /// Edges where the surface is most curved are at least this share of the usual length.
  static let leastShare: Float = 0.1
  /// The largest difference of lengths per distance.
  private static let slope: Float = 0.4

  /// The length at each vertex by its curvature (Dunyach and others 2013), without sudden changes.
  private static func lengths(
    _ reference: RemeshReference, usual: Double, error: Double
  ) -> [Float] {
    let curvatures = self.curvatures(reference)
    var lengths = curvatures.map { curvature -> Float in
      let radius = 1 / max(1e-9, Double(curvature))
      let square = 6 * error * radius - 3 * error * error
      let length = square > 0 ? square.squareRoot() : 0
      return min(Float(usual), max(leastShare * Float(usual), Float(length)))
    }
    limitSlopes(of: &lengths, reference)
    return lengths
  }

  /// The largest curvature at each vertex: how much normals turn along edges that are not on lines.
  private static func curvatures(_ reference: RemeshReference) -> [Float] {
    let vertices = reference.faces.vertices
    let positions = reference.positions
    var halfedges = [UInt32](repeating: HalfedgeFaces.none, count: positions.count)
    var normals = [Vector3](repeating: .zero, count: positions.count)
    for corner in vertices.indices {
      let vertex = Int(vertices[corner])
      halfedges[vertex] = UInt32(corner)
      let normal = areaVector(ofFace: corner / 3, vertices, positions).normalized
      normals[vertex] = Vector3(normals[vertex].simd + normal)
    }
    let (starts, sums) = (halfedges, normals)
    let faces = reference.faces
    let isLine = Self.lineVertices(reference)
    let own = Parallel.array(count: positions.count) { vertex -> Float in
      guard starts[vertex] != HalfedgeFaces.none, !isLine[vertex] else { return 0 }
      var largest: Float = 0
      faces.forEachNeighbor(from: starts[vertex]) { neighbor in
        guard !isLine[Int(neighbor)] else { return }
        let edge = positions[Int(neighbor)].simd - positions[vertex].simd
        let turn = sums[Int(neighbor)].simd.normalized - sums[vertex].simd.normalized
        let square = edge.lengthSquared
        if square > 0 { largest = max(largest, abs(turn.dot(edge)) / square) }
      }
      return largest
    }
    // The mean over the neighbours, so that a single vertex counts little.
    return Parallel.array(count: positions.count) { vertex in
      guard starts[vertex] != HalfedgeFaces.none else { return 0 }
      var (sum, count) = (own[vertex], Float(1))
      faces.forEachNeighbor(from: starts[vertex]) { neighbor in
        guard !isLine[Int(neighbor)] else { return }
        sum += own[Int(neighbor)]
        count += 1
      }
      return isLine[vertex] && count > 1 ? sum / (count - 1) : sum / count
    }
  }

  /// The vertices on lines, whose normals are those of several surfaces.
  private static func lineVertices(_ reference: RemeshReference) -> [Bool] {
    var isLine = [Bool](repeating: false, count: reference.positions.count)
    for halfedge in reference.isLine.indices where reference.isLine[halfedge] {
      isLine[Int(reference.faces.vertices[halfedge])] = true
      isLine[Int(reference.faces.end(of: UInt32(halfedge)))] = true
    }
    return isLine
  }

  /// Shortens lengths near shorter ones.
  private static func limitSlopes(of lengths: inout [Float], _ reference: RemeshReference) {
    for pass in 0..<8 {
      var isChanged = false
      let corners = reference.faces.vertices.indices
      func limit(_ corner: Int) {
        let a = Int(reference.faces.vertices[corner])
        let b = Int(reference.faces.end(of: UInt32(corner)))
        let way = slope * (reference.positions[a].simd - reference.positions[b].simd).length
        if lengths[a] > lengths[b] + way { (lengths[a], isChanged) = (lengths[b] + way, true) }
        if lengths[b] > lengths[a] + way { (lengths[b], isChanged) = (lengths[a] + way, true) }
      }
      if pass % 2 == 0 { corners.forEach(limit) } else { corners.reversed().forEach(limit) }
      if !isChanged { return }
    }
  }
}
