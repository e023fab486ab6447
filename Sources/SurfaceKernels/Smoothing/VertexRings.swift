import MeshpipeScene

/// The vertices around a vertex, gathered ring by ring, and their mean normal.
struct VertexRings {
  private(set) var vertices: [Int] = []
  /// The sum of the area vectors of the faces around the vertices, of which those outside count less often.
  private(set) var normal = SIMD3<Double>.zero
  /// The sum of the area vectors without the faces of the first vertex; ``outerArea`` sums their lengths.
  private var outerNormal = SIMD3<Double>.zero
  private var outerArea = 0.0
  private var isGathered: Set<Int> = []

  /// The flatness of the surface around the first vertex, whose own position does not matter: 1 if it is a plane, and
  /// 0.7 if it is half on one side and half on the other of a right angle.
  var flatness: Double { outerArea > 0 ? outerNormal.length / outerArea : 0 }

  /// Gathers about as many vertices as wanted, beginning with the one in the middle.
  mutating func gather(around index: Int, of surface: SmoothingSurface, count: Int) {
    vertices.removeAll(keepingCapacity: true)
    isGathered.removeAll(keepingCapacity: true)
    vertices.append(index)
    isGathered.insert(index)
    normal = .zero
    outerNormal = .zero
    outerArea = 0
    var next = 0
    while next < vertices.count, vertices.count < count {
      let (places, step) = surface.corners(around: vertices[next])
      next += 1
      for index in stride(from: places.lowerBound, to: places.upperBound, by: step) {
        add(Int(surface.around.corners[index]), of: surface)
      }
    }
  }

  private mutating func add(_ corner: Int, of surface: SmoothingSurface) {
    let first = Int(surface.indices[nextCorner(corner)])
    let second = Int(surface.indices[previousCorner(corner)])
    let vertex = Int(surface.indices[corner])
    let tip = surface.original[vertex].double
    let vector = (surface.original[first].double - tip)
      .cross(surface.original[second].double - tip)
    normal += vector
    if ![first, second, vertex].contains(vertices[0]) {
      outerNormal += vector
      outerArea += vector.length
    }
    for vertex in [first, second]
    where surface.freedom[vertex] > 0 && isGathered.insert(vertex).inserted {
      vertices.append(vertex)
    }
  }
}
