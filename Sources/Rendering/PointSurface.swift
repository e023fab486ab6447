package import MeshpipeScene
import NativeLibraries

/// The point clouds of a scene as balls that touch where the points are close together.
package struct PointSurface: Sendable {
  package let positions: [Vector3]
  package let radius: Float
  package let normals: [Vector3]
  /// Linear light per point.
  package let colors: [Vector3]
  package let arePhotographed: [Bool]

  /// - Returns: Nil if the scene has no finite point.
  package init?(_ scene: Scene, _ choose: SurfaceLooks) {
    let table = SRGBTable.shared
    var (positions, normals, colors, arePhotographed) = (
      [Vector3](), [Vector3](), [Vector3](), [Bool]()
    )
    for cloud in scene.pointClouds {
      var looks: [Int: SurfaceLook] = [:]
      for (index, position) in cloud.positions.enumerated() where position.isFinite {
        let label = cloud.classes.map { Int($0.labels[index]) }
        let look = looks[label ?? -1] ?? choose.look(of: cloud, label: label)
        looks[label ?? -1] = look
        var color = look.color
        if look.usesColors, let code = cloud.colors?[index] {
          color *= table.linear(code.red, code.green, code.blue)
        }
        positions.append(position)
        normals.append(cloud.normals?[index] ?? .zero)
        colors.append(Vector3(color))
        arePhotographed.append(look.isPhotographed)
      }
    }
    guard !positions.isEmpty else { return nil }
    self.positions = positions
    self.normals = normals
    self.colors = colors
    self.arePhotographed = arePhotographed
    radius = 0.75 * Self.spacing(of: positions)
  }

  /// An estimate of the distance between neighbouring points on the surface.
  ///
  /// The surface crosses about as many cells of a grid as its area divided by a cell's face; cells
  /// must be wide enough for most crossed ones to contain a point.
  private static func spacing(of positions: [Vector3]) -> Float {
    let box = Box(positions)
    guard box.extent > 0 else { return 1 }
    var cells = 128
    while true {
      let cell = box.extent / Float(cells)
      let taken = takenCells(positions, box.minimum, cell, cells)
      if 3 * taken <= positions.count || cells == 2 {
        return cell * (Float(taken) / Float(positions.count)).squareRoot()
      }
      cells /= 2
    }
  }

  private static func takenCells(
    _ positions: [Vector3], _ origin: SIMD3<Float>, _ cell: Float, _ cells: Int
  ) -> Int {
    var isTaken = [Bool](repeating: false, count: cells * cells * cells)
    let last = SIMD3(repeating: Float(cells - 1))
    for position in positions {
      let point = ((position.simd - origin) / cell).clamped(lowerBound: .zero, upperBound: last)
      isTaken[(Int(point.z) * cells + Int(point.y)) * cells + Int(point.x)] = true
    }
    return isTaken.count { $0 }
  }

  func sight(of point: Int, at place: SIMD3<Float>, along ray: SIMD3<Float>) -> SceneSampler.Sight {
    var normal = normals[point].simd
    if normal == .zero { normal = (place - positions[point].simd).normalized }
    return SceneSampler.Sight(
      color: colors[point].simd, isPhotographed: arePhotographed[point],
      normal: normal.dot(ray) > 0 ? -normal : normal, position: place)
  }
}
