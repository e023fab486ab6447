import MeshPipeline
import SurfaceKernels

/// The names of layers: the class of each face, or the mesh of faces without classes.
struct SectionLayers: Sendable {
  private(set) var names: [String] = []
  /// For each mesh the number of its own name, and those of its classes.
  private var meshes: [(name: UInt32, labels: [UInt16], classes: [UInt32])] = []

  init(of scene: borrowing Scene) {
    var numbers: [String: UInt32] = [:]
    func number(_ name: String, _ names: inout [String]) -> UInt32 {
      if let known = numbers[name] { return known }
      numbers[name] = UInt32(names.count)
      names.append(name)
      return UInt32(names.count - 1)
    }
    for mesh in scene.meshes {
      meshes.append(
        (
          number(mesh.name, &names), mesh.classes?.labels ?? [],
          mesh.classes?.names.map { number($0, &names) } ?? []
        ))
    }
  }

  func label(mesh: Int, face: Int) -> UInt32 {
    let part = meshes[mesh]
    return part.labels.isEmpty ? part.name : part.classes[Int(part.labels[face])]
  }
}

/// A section with what its report says.
struct CutSection {
  private(set) var section: Section
  private var chainCount: Int
  private var openCount: Int
  private var length: Double
  private var area: Double

  init(
    _ chains: [SectionChain], _ layers: SectionLayers, name: String, tolerance: Double,
    placement: Transform
  ) {
    section = Section(name: name, placement: placement, curves: [])
    (chainCount, openCount) = (chains.count, chains.count { !$0.isClosed })
    length = chains.reduce(0) { $0 + $1.length }
    area = Self.enclosedArea(of: chains.filter(\.isClosed))
    // A left-handed frame shows the solid on the other side.
    let isMirrored = placement.determinant < 0
    for part in chains.flatMap(\.partsByLabel) {
      let points = part.simplified(tolerance: tolerance).points
      section.curves.append(
        Section.Curve(
          points: isMirrored ? points.reversed() : points, isClosed: part.isClosed,
          layer: part.labels.first.map { layers.names[Int($0)] } ?? ""))
    }
  }

  /// The area within an odd number of loops.
  private static func enclosedArea(of loops: [SectionChain]) -> Double {
    let boxes = loops.map { loop in
      loop.points.dropFirst().reduce((low: loop.points[0], high: loop.points[0])) {
        (pointwiseMin($0.low, $1), pointwiseMax($0.high, $1))
      }
    }
    var sum = 0.0
    for (index, loop) in loops.enumerated() {
      let point = loop.points[0]
      let depth = loops.indices.count { other in
        other != index && all(boxes[other].low .<= point) && all(boxes[other].high .>= point)
          && isInside(point, of: loops[other].points)
      }
      sum += (depth.isMultiple(of: 2) ? 1 : -1) * abs(loop.area)
    }
    return sum
  }

  func json(metersPerUnit unit: Double) -> JSONValue {
    [
      "name": section.name.json, "curves": chainCount.json, "openCurves": openCount.json,
      "lengthMeters": (length * unit).json(digits: 3),
      "areaSquareMeters": (area * unit * unit).json(digits: 4),
    ]
  }
}
