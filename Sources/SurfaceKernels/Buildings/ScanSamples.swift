package import MeshpipeScene
import POSIX

/// What a face of a scan is, as far as plans need to know.
package enum ScanClass: UInt8, Sendable {
  /// The classes; what is on no part of the building is an object.
  case none, wall, floor, ceiling, table, seat, window, door, stairs, object

  /// The class of a name of ``FaceClasses``.
  package init(named name: String) {
    switch name {
    case "none", "unclassified", "default": self = .none
    case "wall", "whiteboard", "wall-decoration", "blinds": self = .wall
    case "floor", "ground": self = .floor
    case "ceiling": self = .ceiling
    case "table", "counter", "desk": self = .table
    case "seat", "chair", "sofa", "bed": self = .seat
    case "window": self = .window
    case "door", "door-frame": self = .door
    case "stairs": self = .stairs
    default: self = .object
    }
  }
}

/// Points spread evenly over the surface of a scan, in the axes of a building.
///
/// Faces are cut into pieces of a few centimetres and the pieces in a cell that look the same way become one, so that large and
/// small triangles count by their area and the work after it depends on the size of the building alone.
package struct ScanSamples: Sendable {
  /// The edge of a cell, in metres.
  static let spacing = 0.05
  /// Pieces of faces are at most this long.
  private static let longestPiece = 0.04
  /// A face is cut into at most the square of this.
  private static let mostCuts = 24

  /// One of them.
  struct Sample: Sendable {
    var position: SIMD3<Double>
    /// Of length 1.
    var normal: SIMD3<Double>
    /// In square metres.
    var area: Double
    var kind: ScanClass

    var plan: SIMD2<Double> { SIMD2(position.x, position.y) }
  }

  private(set) var samples: [Sample]
  /// Whether the scan has classes that tell walls.
  private(set) var hasClasses: Bool

  /// Sums over pieces, by area.
  private struct Sum {
    let kind: ScanClass
    var position = SIMD3<Double>.zero
    var normal = SIMD3<Double>.zero
    var area = 0.0

    mutating func add(_ point: SIMD3<Double>, _ normal: SIMD3<Double>, _ area: Double) {
      position += point * area
      self.normal += normal * area
      self.area += area
    }

    mutating func add(_ other: Sum) {
      position += other.position
      normal += other.normal
      area += other.area
    }

    var sample: Sample {
      Sample(position: position / area, normal: normal.normalized, area: area, kind: kind)
    }
  }

  /// Samples meshes.
  ///
  /// - Parameters:
  ///   - inverse: From the scene to the building's axes.
  ///   - check: Called for each mesh; may throw to cancel.
  /// - Complexity: O(faces · log faces)
  package init(
    _ meshes: [Mesh], _ inverse: Transform, check: () throws -> Void
  ) rethrows {
    var merged: [UInt64: Sum] = [:]
    hasClasses = false
    for mesh in meshes {
      try check()
      let kinds = mesh.classes.map { classes in classes.names.map(ScanClass.init(named:)) }
      let labels = mesh.classes?.labels
      let parts = Parallel.map(count: (mesh.faceCount + 65_535) / 65_536) { block in
        let range = block * 65_536..<min((block + 1) * 65_536, mesh.faceCount)
        return Self.merged(mesh, range, inverse) { face in
          guard let labels, let kinds else { return .none }
          return kinds[Int(labels[face])]
        }
      }
      for part in parts {
        for (key, sum) in part { merged[key, default: Sum(kind: sum.kind)].add(sum) }
      }
    }
    samples = merged.sorted { $0.key < $1.key }.map(\.value.sample)
    hasClasses = samples.contains { $0.kind == .wall }
  }

  /// The samples themselves, for tests.
  init(_ samples: [Sample]) {
    self.samples = samples
    hasClasses = samples.contains { $0.kind == .wall }
  }

  /// The sums over some faces, in the order of cells.
  private static func merged(
    _ mesh: Mesh, _ faces: Range<Int>, _ inverse: Transform, _ kind: (Int) -> ScanClass
  ) -> [(key: UInt64, value: Sum)] {
    var cells: [UInt64: Sum] = [:]
    let isMirrored = inverse.determinant < 0
    for face in faces {
      let (i, j, k) = mesh.vertices(ofFace: face)
      let a = inverse.apply(toPoint: mesh.positions[Int(i)].double)
      let b = inverse.apply(toPoint: mesh.positions[Int(isMirrored ? k : j)].double)
      let c = inverse.apply(toPoint: mesh.positions[Int(isMirrored ? j : k)].double)
      let cross = (b - a).cross(c - a)
      let double = cross.length
      guard double > 0, double.isFinite else { continue }
      let normal = cross / double
      let longest = max((b - a).length, (c - b).length, (a - c).length)
      let cuts = Int(min(max((longest / longestPiece).rounded(.up), 1), Double(mostCuts)))
      let area = double / 2 / Double(cuts * cuts)
      let (u, v) = ((b - a) / Double(cuts), (c - a) / Double(cuts))
      let kind = kind(face)
      for row in 0..<cuts {
        for column in 0..<cuts - row {
          // The piece with its corner below, and the one that stands on its head beside it.
          for third in row + column < cuts - 1 ? [1.0 / 3, 2.0 / 3] : [1.0 / 3] {
            let point = a + u * (Double(column) + third) + v * (Double(row) + third)
            guard let key = key(of: point, normal, kind) else { continue }
            cells[key, default: Sum(kind: kind)].add(point, normal, area)
          }
        }
      }
    }
    return cells.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
  }

  /// The cell, the class and the direction in which a sample looks; nil beyond 13 km.
  private static func key(
    of point: SIMD3<Double>, _ normal: SIMD3<Double>, _ kind: ScanClass
  ) -> UInt64? {
    let cell = (point / spacing).rounded(.down)
    let limit = 131_072.0
    guard max(cell.max(), -cell.min()) < limit else { return nil }
    let axis = pointwiseMax(normal, -normal)
    let direction: UInt64
    if axis.z > 0.7 {
      direction = normal.z > 0 ? 4 : 5
    } else if axis.x > axis.y {
      direction = normal.x > 0 ? 0 : 1
    } else {
      direction = normal.y > 0 ? 2 : 3
    }
    func bits(_ value: Double) -> UInt64 { UInt64(value + limit) }
    return bits(cell.x) << 43 | bits(cell.y) << 25 | bits(cell.z) << 7
      | UInt64(kind.rawValue) << 3 | direction
  }

  /// The directions of upright faces, with their areas; of some of a large mesh.
  static func uprightFaces(
    _ meshes: [Mesh], _ inverse: Transform
  ) -> [(angle: Double, length: Double)] {
    meshes.flatMap { mesh in
      stride(from: 0, to: mesh.faceCount, by: max(1, mesh.faceCount / 200_000)).compactMap { face in
        let (i, j, k) = mesh.vertices(ofFace: face)
        let a = inverse.apply(toPoint: mesh.positions[Int(i)].double)
        let b = inverse.apply(toPoint: mesh.positions[Int(j)].double)
        let cross = (b - a).cross(inverse.apply(toPoint: mesh.positions[Int(k)].double) - a)
        let area = cross.length
        guard area > 0, area.isFinite, cross.z.magnitude < 0.35 * area else { return nil }
        return (SIMD2(cross.x, cross.y).angle, area)
      }
    }
  }
}
