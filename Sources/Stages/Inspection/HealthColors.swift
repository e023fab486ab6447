import MeshPipeline
import Photogrammetry
import SurfaceKernels

/// The colours of vertices that show where a mesh is not sound.
struct HealthColors {
  /// What the colours show.
  let show: Inspect.Display
  /// Walls thinner than this are conspicuous, in units of the mesh.
  let minimumThickness: Double

  private static let sound = Color(red: 200, green: 200, blue: 200)
  private static let open = Color(red: 255, green: 150, blue: 0)
  private static let inverted = Color(red: 50, green: 90, blue: 255)
  private static let nonManifold = Color(red: 200, green: 0, blue: 200)
  private static let intersecting = Color(red: 230, green: 0, blue: 0)
  /// As different as eight colours can be that are neither grey nor dark.
  private static let parts = [
    Color(red: 66, green: 135, blue: 245), Color(red: 245, green: 166, blue: 35),
    Color(red: 80, green: 190, blue: 90), Color(red: 225, green: 70, blue: 70),
    Color(red: 155, green: 95, blue: 215), Color(red: 55, green: 200, blue: 205),
    Color(red: 235, green: 120, blue: 190), Color(red: 165, green: 130, blue: 75),
  ]

  /// The meaning of the colours, for the report.
  var legend: JSONValue {
    switch show {
    case .none: JSONValue(.null)
    case .defects: "orange: borders, blue: inverted, magenta: not manifold, red: self-intersections"
    case .components: "a colour for each component; there are eight"
    case .thickness: "red: thinner than minimumThickness, orange: than twice that"
    }
  }

  /// Colours the vertices of a mesh.
  ///
  /// - Parameters:
  ///   - winding: Shows the outside.
  ///   - intersecting: The faces that intersect another one.
  func color(_ mesh: inout Mesh, _ winding: Winding, intersecting: [Int]) throws {
    switch show {
    case .none: return
    case .defects: mesh.paint(defects(of: mesh, winding, intersecting))
    case .components: mesh.paint(components(of: mesh))
    case .thickness: mesh.paint(try thickness(of: mesh))
    }
  }

  private func defects(of mesh: Mesh, _ winding: Winding, _ intersecting: [Int]) -> [Color] {
    var colors = [Color](repeating: Self.sound, count: mesh.vertexCount)
    func paint(_ color: Color, ofFace face: Int) {
      for corner in 3 * face..<3 * face + 3 { colors[Int(mesh.indices[corner])] = color }
    }
    // The worst comes last and stays.
    for face in winding.isFlipped.indices where winding.isFlipped[face] {
      paint(Self.inverted, ofFace: face)
    }
    for edge in Edges(mesh) where edge.valence != 2 {
      let color = edge.valence == 1 ? Self.open : Self.nonManifold
      for vertex in [edge.lower, edge.higher] { colors[Int(vertex)] = color }
    }
    for face in intersecting { paint(Self.intersecting, ofFace: face) }
    return colors
  }

  private func components(of mesh: Mesh) -> [Color] {
    let labels = FaceComponents(edges: Edges(mesh), faceCount: mesh.faceCount).labels
    var colors = [Color](repeating: Self.sound, count: mesh.vertexCount)
    for (corner, vertex) in mesh.indices.enumerated() {
      colors[Int(vertex)] = Self.parts[Int(labels[corner / 3]) % Self.parts.count]
    }
    return colors
  }

  private func thickness(of mesh: Mesh) throws -> [Color] {
    var colors = [Color](repeating: Self.sound, count: mesh.vertexCount)
    guard let probe = try WallProbe(mesh) else { return colors }
    let thicknesses = probe.thicknesses(at: probe.faces)
    for (limit, color) in [
      (2 * minimumThickness, Self.open), (minimumThickness, Self.intersecting),
    ] {
      for (face, thickness) in zip(probe.faces, thicknesses) where Double(thickness) < limit {
        for corner in 3 * face..<3 * face + 3 { colors[Int(mesh.indices[corner])] = color }
      }
    }
    return colors
  }
}
