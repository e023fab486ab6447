import MeshPipeline
import POSIX

extension BoundaryModel {
  /// A closed shell and the cavities in it.
  struct Solid {
    var shell: Int
    var cavities: [Int] = []
  }

  /// The closed shells as solids; a cavity is one in the smallest solid around it.
  ///
  /// What faces inward without anything around it is a solid of its own, whose faces must be turned: see ``isInsideOut(_:)``.
  var solids: [Solid] {
    let closed = shells.indices.filter { shells[$0].isClosed && shells[$0].volume != 0 }
    var solids = closed.filter { shells[$0].volume > 0 }.map { Solid(shell: $0) }
    for cavity in closed where shells[cavity].volume < 0 {
      let point = firstVertex(of: cavity)
      let around = solids.indices.filter { index in
        let shell = solids[index].shell
        return shells[shell].volume > -shells[cavity].volume && encloses(shell, point)
      }
      let smallest = around.min {
        shells[solids[$0].shell].volume < shells[solids[$1].shell].volume
      }
      if let smallest {
        solids[smallest].cavities.append(cavity)
      } else {
        solids.append(Solid(shell: cavity))
      }
    }
    return solids.sorted { $0.shell < $1.shell }
  }

  /// Whether the faces of a solid's shell look into it.
  func isInsideOut(_ solid: Solid) -> Bool { shells[solid.shell].volume < 0 }

  /// The shells that bound nothing.
  var openShells: [Shell] {
    shells.filter { !($0.isClosed && $0.volume != 0) && !$0.faces.isEmpty }
  }

  private func firstVertex(of shell: Int) -> SIMD3<Double> {
    guard let face = shells[shell].faces.first else { return .zero }
    return positions[start(faces[face].loops[0][0])]
  }

  /// Whether a closed shell is around a point: the solid angles of its faces add up to the full one.
  private func encloses(_ shell: Int, _ point: SIMD3<Double>) -> Bool {
    var sum = 0.0
    for face in shells[shell].faces {
      for loop in faces[face].loops {
        // The signed triangles of a fan around any vertex cover the loop.
        let corners = loop.map { positions[start($0)] - point }
        for index in corners.indices.dropFirst(2) {
          sum += Self.solidAngle(corners[0], corners[index - 1], corners[index])
        }
      }
    }
    return abs(sum) > 2 * .pi
  }

  /// The solid angle of a triangle seen from the origin, with the sign of its winding (Van Oosterom and Strackee 1983).
  private static func solidAngle(
    _ a: SIMD3<Double>, _ b: SIMD3<Double>, _ c: SIMD3<Double>
  ) -> Double {
    let (la, lb, lc) = (a.length, b.length, c.length)
    let below = la * lb * lc + a.dot(b) * lc + b.dot(c) * la + c.dot(a) * lb
    return 2 * atan2(a.dot(b.cross(c)), below)
  }
}
