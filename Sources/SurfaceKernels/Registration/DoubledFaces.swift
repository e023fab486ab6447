package import MeshpipeScene
package import NativeLibraries

/// Surfaces beside which those of further scans are doubled.
package struct DoubledFaces: Sendable {
  private let surface: NearestSurface
  private let mesh: Mesh
  /// A place that is farther aside than above is beyond the border of the surface.
  private static let leastRise = 0.7
  private static let leastCosine = 0.7

  /// - Parameters:
  ///   - positions: Finite.
  ///   - indices: Three vertices per face.
  package init(positions: [Vector3], indices: [UInt32]) throws(NativeLibraryError) {
    mesh = Mesh(positions: positions, indices: indices)
    surface = try NearestSurface(positions: positions, indices: indices)
  }

  /// Which faces of a mesh lie on these surfaces and look the same way, with all their corners.
  ///
  /// - Parameter tolerance: The distance within which two surfaces are one.
  package func faces(of other: Mesh, within tolerance: Float) -> [Bool] {
    let normals = other.vertexNormals(weight: .area, fallback: .zero)
    let places = surface.places(nearestTo: other.positions)
    let isDoubled = Parallel.array(count: other.vertexCount) { vertex -> Bool in
      let place = places[vertex]
      guard place.distance <= tolerance, place.face != .max else { return false }
      let face = Int(place.face)
      let normal = mesh.areaVector(ofFace: face).normalized
      guard normal.dot(normals[vertex].double) > Self.leastCosine else { return false }
      let corner = mesh.positions[Int(mesh.indices[3 * face])].double
      let height = abs((other.positions[vertex].double - corner).dot(normal))
      return height >= Self.leastRise * Double(place.distance)
    }
    return (0..<other.faceCount).map { face in
      (0..<3).allSatisfy { isDoubled[Int(other.indices[3 * face + $0])] }
    }
  }
}
