package import MeshpipeScene

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

  /// Lays out the faces by area and takes one point from each stretch of equal area.
  ///
  /// Faces that are not finite or have no area get none. The same surface gives the same points.
  package init(of surface: ObservedSurface, count: Int) {
    let areas = Parallel.array(count: surface.faceCount) { face in
      surface.areaVector(ofFace: face).length / 2
    }
    let total = areas.reduce(0) { $1.isFinite ? $0 + $1 : $0 }
    let step = total / Double(max(count, 1))
    var positions: [Vector3] = []
    var normals: [Vector3] = []
    var faces: [UInt32] = []
    var reached = 0.0
    for face in areas.indices where areas[face] > 0 && areas[face].isFinite {
      reached += areas[face]
      guard step > 0, (Double(positions.count) + 0.5) * step < reached else { continue }
      let normal = Vector3(SIMD3<Float>(surface.areaVector(ofFace: face).normalized))
      while (Double(positions.count) + 0.5) * step < reached {
        positions.append(surface.point(onFace: face, number: positions.count))
        normals.append(normal)
        faces.append(UInt32(face))
      }
    }
    self.positions = positions
    self.normals = normals
    self.faces = faces
    areaPerSample =
      positions.isEmpty ? 0 : surface.scale.squareMeters(total / Double(positions.count))
  }
}

extension ObservedSurface {
  /// The outward vector normal to a face, as long as twice its area.
  func areaVector(ofFace face: Int) -> SIMD3<Double> {
    let (a, b, c) = vertices(ofFace: face)
    let origin = positions[a].double
    return (positions[b].double - origin).cross(positions[c].double - origin)
  }

  /// A point on a face, by the additive recurrence of the plastic number (Roberts 2018).
  fileprivate func point(onFace face: Int, number: Int) -> Vector3 {
    func fraction(_ value: Double) -> Double { value - value.rounded(.down) }
    let root = fraction(0.5 + Double(number) * 0.754_877_666_246_692_8).squareRoot()
    let share = fraction(0.5 + Double(number) * 0.569_840_290_998_053_2)
    let weights = SIMD3(1 - root, root * (1 - share), root * share)
    let (a, b, c) = vertices(ofFace: face)
    return Vector3(
      SIMD3<Float>(
        positions[a].double * weights.x + positions[b].double * weights.y
          + positions[c].double * weights.z))
  }
}
