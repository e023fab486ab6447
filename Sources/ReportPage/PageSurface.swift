import MeshPipeline
import SurfaceKernels

/// The surface of a scene as graphics processors take it: vertices with one set of attributes each, and faces in groups
/// that are drawn with one look and belong to one class.
struct PageSurface {
  /// Faces in a row that look alike.
  struct Group {
    var look: Int
    /// Index into the classes of the model; nil for none.
    var label: Int?
    var start: Int
    var count: Int
  }

  let surface: SceneSurface
  private(set) var groups: [Group] = []
  /// The vertices of faces.
  private(set) var indices: [UInt32] = []
  /// The vertex of the scene's surface that each vertex was.
  private(set) var sources: [UInt32] = []
  /// Empty unless the surface has them.
  private(set) var normals: [Vector3] = []
  private(set) var coordinates: [Vector2] = []

  /// - Parameter labels: The class of each face, by its index in the model; nil without classes.
  init(_ surface: SceneSurface, labels: [Int]?) {
    self.surface = surface
    let order = arrange(labels)
    var vertices = CornerVertices(surface)
    indices.reserveCapacity(3 * order.count)
    for face in order {
      let look = surface.looks[Int(surface.faceLooks[face])]
      for corner in 3 * face..<3 * face + 3 {
        indices.append(vertices.vertex(ofCorner: corner, look, &self))
      }
    }
  }

  var positions: [Vector3] { sources.map { surface.positions[Int($0)] } }
  var colors: [Color]? {
    surface.colors.isEmpty ? nil : sources.map { surface.colors[Int($0)] }
  }

  /// Finds the groups.
  ///
  /// - Returns: The faces in their order: by group, and along a curve through space, so that they compress well.
  private mutating func arrange(_ labels: [Int]?) -> [Int] {
    var rank = [UInt32](repeating: 0, count: surface.positions.count)
    for (index, vertex) in SpatialOrder(of: surface.positions).indices.enumerated() {
      rank[Int(vertex)] = UInt32(index)
    }
    func corners(_ face: Int) -> [Int] { (0..<3).map { Int(surface.indices[3 * face + $0]) } }
    let faces = (0..<surface.faceCount).filter { face in
      let (a, b, c) = (
        surface.indices[3 * face], surface.indices[3 * face + 1], surface.indices[3 * face + 2]
      )
      return a != b && b != c && c != a
    }
    func key(_ face: Int) -> (Int, Int, UInt32, Int) {
      let first = min(
        rank[Int(surface.indices[3 * face])], rank[Int(surface.indices[3 * face + 1])],
        rank[Int(surface.indices[3 * face + 2])])
      return (Int(surface.faceLooks[face]), labels?[face] ?? -1, first, face)
    }
    let keys = faces.map(key).sorted { $0 < $1 }
    for (place, key) in keys.enumerated() {
      let label = key.1 < 0 ? nil : key.1
      if let last = groups.last, last.look == key.0, last.label == label {
        groups[groups.count - 1].count += 1
      } else {
        groups.append(Group(look: key.0, label: label, start: place, count: 1))
      }
    }
    return keys.map(\.3)
  }

  fileprivate mutating func append(_ source: UInt32, _ normal: Vector3?, _ place: Vector2?)
    -> UInt32
  {
    sources.append(source)
    if let normal { normals.append(normal) }
    if let place { coordinates.append(place) }
    return UInt32(sources.count - 1)
  }
}

/// Finds the vertices of corners: corners of a vertex become one unless their attributes differ.
private struct CornerVertices {
  private struct Key: Hashable {
    var vertex: UInt32
    var normal: Vector3
    var place: Vector2
  }

  private let surface: SceneSurface
  private let hasNormals: Bool
  private let hasCoordinates: Bool
  /// For surfaces whose corners never differ.
  private var vertices: [UInt32] = []
  private var verticesOfKeys: [Key: UInt32] = [:]

  init(_ surface: SceneSurface) {
    self.surface = surface
    hasNormals = surface.looks.contains { $0.normals != .face }
    hasCoordinates = !surface.textureCoordinates.isEmpty
    if !hasCoordinates, !surface.looks.contains(where: { $0.normals == .corner }) {
      vertices = [UInt32](repeating: .max, count: surface.positions.count)
    }
  }

  mutating func vertex(
    ofCorner corner: Int, _ look: SurfaceLook, _ page: inout PageSurface
  ) -> UInt32 {
    let source = surface.indices[corner]
    let normal: Vector3 =
      switch look.normals {
      case .face: .zero
      case .vertex: surface.normals[Int(source)]
      case .corner: surface.cornerNormals[corner]
      }
    let place = hasCoordinates ? surface.textureCoordinates[corner] : nil
    func append() -> UInt32 { page.append(source, hasNormals ? normal : nil, place) }
    if !vertices.isEmpty {
      if vertices[Int(source)] == .max { vertices[Int(source)] = append() }
      return vertices[Int(source)]
    }
    let key = Key(vertex: source, normal: normal, place: place ?? Vector2(0, 0))
    if let known = verticesOfKeys[key] { return known }
    let new = append()
    verticesOfKeys[key] = new
    return new
  }
}
