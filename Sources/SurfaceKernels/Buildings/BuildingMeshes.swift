package import MeshpipeScene
import POSIX

/// The meshes of a building: each wall, slab, door, window, column, flight of stairs and piece of furniture as closed solids.
///
/// Meshes have the name and the class of what they are.
package struct BuildingMeshes {
  /// A kind of parts.
  package enum Kind: CaseIterable, Sendable {
    case walls, floors, ceilings, doors, windows, columns, stairs, furniture
  }

  private typealias Thickness = Building.AssumedThickness

  package private(set) var meshes: [Mesh] = []
  private let kinds: Set<Kind>
  private let placement: Transform
  private var classes = FaceClasses(labels: [])
  private var counts: [String: Int] = [:]
  private var columnCount = 0

  package init(_ building: Building, _ kinds: Set<Kind> = Set(Kind.allCases)) {
    (self.kinds, placement) = (kinds, building.placement)
    for (index, storey) in building.storeys.enumerated() {
      let below = index > 0 ? building.storeys[index - 1] : nil
      let gap = below.map { storey.elevation - $0.elevation - $0.height.value }
      let thickness = gap.map { max($0 - Thickness.ceiling, Thickness.ceiling) }
      add(storey, floorThickness: min(thickness ?? .infinity, Thickness.floor))
    }
    // The table has grown with each new class.
    for index in meshes.indices { meshes[index].classes?.names = classes.names }
  }

  private mutating func add(_ storey: Building.Storey, floorThickness: Double) {
    addWalls(of: storey, floorThickness: floorThickness)
    for room in storey.rooms where !room.outline.isEmpty {
      if kinds.contains(.floors) {
        add(prism(room.outline, room.base - floorThickness, room.base, storey), as: "floor")
      }
      if kinds.contains(.ceilings) {
        let height = room.base + room.height.value
        add(prism(room.outline, height, height + Thickness.ceiling, storey), as: "ceiling")
      }
    }
    if kinds.contains(.columns) {
      for column in storey.columns {
        let mesh = prism([column.outline], 0, column.height.value, storey)
        // ARKit has no class of columns.
        columnCount += 1
        add(mesh, as: "wall", named: "column-\(columnCount)")
      }
    }
    if kinds.contains(.stairs) {
      for stair in storey.stairs {
        for (outline, height) in zip(stair.steps, stair.heights) where height > stair.base {
          add(prism([outline], stair.base, height, storey), as: "stairs")
        }
      }
    }
    if kinds.contains(.furniture) {
      for piece in storey.furniture {
        add(
          prism([piece.footprint], piece.base, piece.base + piece.size.z, storey),
          as: piece.category)
      }
    }
  }

  private mutating func addWalls(of storey: Building.Storey, floorThickness: Double) {
    let cuts = WallOutlines(storey.walls).cuts
    for (wall, cuts) in zip(storey.walls, cuts) {
      let solid = WallSolid(wall, cuts, elevation: storey.elevation, placement: placement)
      if kinds.contains(.walls) { add(solid.mesh, as: "wall", named: wall.name) }
      for opening in wall.openings {
        if opening.kind != .window, kinds.contains(.floors),
          let threshold = solid.threshold(of: opening, thickness: floorThickness)
        {
          add(threshold, as: "floor")
        }
        switch opening.kind {
        case .door where kinds.contains(.doors):
          let leaf = solid.panel(in: opening, thickness: Thickness.leaf)
          add(leaf, as: "door", named: opening.name)
        case .window where kinds.contains(.windows):
          let pane = solid.panel(in: opening, thickness: Thickness.pane)
          add(pane, as: "window", named: opening.name)
        default: break
        }
      }
    }
  }

  /// Adds a mesh, with a number behind its class if it has no name.
  private mutating func add(_ mesh: Mesh, as category: String, named name: String? = nil) {
    guard mesh.faceCount > 0 else { return }
    let number = counts[category, default: 0] + 1
    counts[category] = number
    var mesh = mesh
    mesh.name = name ?? "\(category)-\(number)"
    let label = classes.label(named: category) ?? 0
    mesh.classes = FaceClasses(
      labels: [UInt16](repeating: label, count: mesh.faceCount), names: classes.names)
    meshes.append(mesh)
  }

  /// An outline with holes, extruded between two heights above a storey's floor.
  private func prism(
    _ outline: [[SIMD2<Double>]], _ low: Double, _ high: Double, _ storey: Building.Storey
  ) -> Mesh {
    let cells = PlanarCells(outline: outline[0], holes: Array(outline.dropFirst()))
    func place(_ point: SIMD2<Double>, _ height: Double) -> Vector3 {
      let point = SIMD3(point.x, point.y, storey.elevation + height)
      return Vector3(SIMD3<Float>(placement.apply(toPoint: point)))
    }
    return Slab(cells) {
      place($0, high)
    } back: {
      place($0, low)
    }.mesh(mirrored: placement.determinant < 0)
  }
}
