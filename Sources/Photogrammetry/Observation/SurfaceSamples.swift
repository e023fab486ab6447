package import MeshpipeScene
import SurfaceKernels

/// Points on a surface, each representing the same area, in the order of the faces.
package struct SurfaceSamples: Sendable {
  package let positions: [Vector3]
  /// Normals of the faces, of length 1.
  package let normals: [Vector3]
  /// The face of each point.
  let faces: [UInt32]
  /// The area that each point represents, in square metres.
  let areaPerSample: Double

  package var count: Int { positions.count }

  /// Faces that are not finite or have no area get none.
  ///
  /// The same surface gives the same points.
  package init(of surface: ObservedSurface, count: Int) {
    let areas = Parallel.array(count: surface.faceCount) { face in
      surface.areaVector(ofFace: face).length / 2
    }
    let samples = FaceSamples(areas: areas, count: count)
    faces = samples.faces
    positions = faces.indices.map {
      surface.point(onFace: Int(samples.faces[$0]), samples.weights(of: $0))
    }
    normals = faces.map {
      Vector3(SIMD3<Float>(surface.areaVector(ofFace: Int($0)).normalized))
    }
    areaPerSample = surface.scale.squareMeters(samples.areaPerSample)
  }
}

extension ObservedSurface {
  /// The outward vector normal to a face, as long as twice its area.
  func areaVector(ofFace face: Int) -> SIMD3<Double> {
    let (a, b, c) = vertices(ofFace: face)
    let origin = positions[a].double
    return (positions[b].double - origin).cross(positions[c].double - origin)
  }

  fileprivate func point(onFace face: Int, _ weights: SIMD3<Double>) -> Vector3 {
    let (a, b, c) = vertices(ofFace: face)
    return Vector3(
      SIMD3<Float>(
        positions[a].double * weights.x + positions[b].double * weights.y
          + positions[c].double * weights.z))
  }
}
