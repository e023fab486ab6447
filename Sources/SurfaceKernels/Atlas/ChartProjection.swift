import MeshpipeScene

/// Projects each chart onto the plane normal to its mean normal, scaled to preserve its area.
package enum ChartProjection {
  package static func project(_ surface: ChartSurface, chartOfFace: [UInt32], count: Int)
    -> ChartSet
  {
    let members = ChartMembers(chartOfFace: chartOfFace, count: count)
    let planes: [Plane] = Parallel.map(count: count) { Plane(surface, members[$0]) }
    let corners: [SIMD2<Float>] = Parallel.array(count: surface.vertices.count) { corner in
      let chart = chartOfFace[corner / 3]
      guard chart != Atlas.noChart else { return .zero }
      return planes[Int(chart)].place(of: surface.positions[Int(surface.vertices[corner])])
    }
    return ChartSet(chartOfFace: chartOfFace, count: count, corners: corners)
  }

  /// Projects some charts again, which few faces belong to.
  ///
  /// - Parameter members: Of all charts.
  static func project(
    _ surface: ChartSurface, _ parts: Range<Int>, _ members: ChartMembers, in charts: inout ChartSet
  ) {
    for chart in parts {
      let plane = Plane(surface, members[chart])
      for face in members[chart] {
        for corner in 3 * Int(face)..<3 * Int(face) + 3 {
          charts.corners[corner] = plane.place(
            of: surface.positions[Int(surface.vertices[corner])])
        }
      }
    }
  }

  private struct Plane {
    /// The least share of a chart's area that its projection is taken to have, so that folded charts don't explode.
    private static let leastShare = 0.1

    var origin: SIMD3<Double>
    var right: SIMD3<Double>
    var down: SIMD3<Double>

    init(_ surface: ChartSurface, _ faces: ArraySlice<UInt32>) {
      var sum = SIMD3<Double>.zero
      var area = 0.0
      for face in faces {
        let faceArea = Double(surface.areas[Int(face)])
        sum += surface.normals[Int(face)].double * faceArea
        area += faceArea
      }
      let normal = sum.lengthSquared > 0 ? sum.normalized : SIMD3(0, 0, 1)
      let scale = (area / max(sum.length, area * Self.leastShare)).squareRoot()
      let axis: SIMD3<Double> = abs(normal.y) < 0.9 ? SIMD3(0, 1, 0) : SIMD3(0, 0, 1)
      let side = axis.cross(normal).normalized
      right = side * scale
      down = side.cross(normal) * scale
      origin =
        faces.first.map { surface.positions[Int(surface.vertices[3 * Int($0)])].double } ?? .zero
    }

    func place(of point: Vector3) -> SIMD2<Float> {
      let offset = point.double - origin
      return SIMD2(Float(offset.dot(right)), Float(offset.dot(down)))
    }
  }
}
