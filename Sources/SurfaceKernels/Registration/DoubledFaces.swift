package import MeshpipeScene
package import NativeLibraries

/// Surfaces beside which those of further scans are doubled.
package struct DoubledFaces: Sendable {
  private let surface: NearestSurface
  private let positions: [Vector3]
  private let indices: [UInt32]
  /// A place that is farther aside than above is beyond the border of the surface.
  private static let leastRise = 0.7
  private static let leastCosine = 0.7

  /// - Parameters:
  ///   - positions: Finite.
  ///   - indices: Three vertices per face.
  package init(positions: [Vector3], indices: [UInt32]) throws(NativeLibraryError) {
    (self.positions, self.indices) = (positions, indices)
    surface = try NearestSurface(positions: positions, indices: indices)
  }

  /// Which faces of a mesh lie on these surfaces and look the same way, with all their corners.
  ///
  /// - Parameter tolerance: The distance within which two surfaces are one.
  package func faces(of mesh: Mesh, within tolerance: Float) -> [Bool] {
    let normals = mesh.vertexNormals(weight: .area, fallback: .zero)
    let places = surface.places(nearestTo: mesh.positions)
    let isDoubled = Parallel.array(count: mesh.vertexCount) { vertex -> Bool in
      let place = places[vertex]
      guard place.distance <= tolerance, place.face != .max else { return false }
      let face = Int(place.face)
      let corners = (0..<3).map { positions[Int(indices[3 * face + $0])].double }
      let normal = (corners[1] - corners[0]).cross(corners[2] - corners[0]).normalized
      guard normal.dot(normals[vertex].double) > Self.leastCosine else { return false }
      let height = abs((mesh.positions[vertex].double - corners[0]).dot(normal))
      return height >= Self.leastRise * Double(place.distance)
    }
    return (0..<mesh.faceCount).map { face in
      (0..<3).allSatisfy { isDoubled[Int(mesh.indices[3 * face + $0])] }
    }
  }
}
