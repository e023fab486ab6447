import MeshpipeScene
import POSIX

/// How often the faces of a mesh wind around points: 1 inside a closed surface whose faces look out, 0
/// outside of it, and in between where it has holes (Jacobson and others 2013).
///
/// Faces far from a point count together, by a hierarchy of their dipoles (Barill and others 2018).
struct WindingNumbers: Sendable {
  /// The corners of the faces, in spatial order.
  private let corners: [SIMD3<Float>]
  /// The dipole of each face, about its middle and the square of the distance from which it stands for it.
  private let singles: [(center: SIMD4<Float>, dipole: SIMD3<Float>)]
  /// Each before its children.
  private(set) var nodes: [Node] = []

  struct Node: BitwiseCopyable, Sendable {
    var center = SIMD3<Float>.zero
    /// The sum of the faces' areas along their normals.
    var dipole = SIMD3<Float>.zero
    /// Points nearer than this to the centre, squared, ask the children.
    var reach: Float = 0
    var area: Float = 0
    var faces: (first: UInt32, count: UInt32) = (0, 0)
    /// The first node after all children.
    var next: UInt32 = 0
  }

  private static let leafSize = 8
  /// The distance in radii of a node from which its dipole stands for it: errors are some hundredths.
  private static let accuracy: Float = 2.3

  /// - Parameter indices: Of finite positions, three per face.
  init(positions: [Vector3], indices: [UInt32]) {
    let middles = Parallel.array(count: indices.count / 3) { face in
      Vector3(
        (positions[Int(indices[3 * face])].simd + positions[Int(indices[3 * face + 1])].simd
          + positions[Int(indices[3 * face + 2])].simd) / 3)
    }
    let order = SpatialOrder(of: middles).indices
    corners = Parallel.array(count: 3 * order.count) { corner in
      positions[Int(indices[3 * Int(order[corner / 3]) + corner % 3])].simd
    }
    singles = corners.indices.filter { $0 % 3 == 0 }.map { [corners] first in
      let (a, b, c) = (corners[first], corners[first + 1], corners[first + 2])
      let middle = (a + b + c) / 3
      let radius = max(
        (a - middle).lengthSquared, (b - middle).lengthSquared, (c - middle).lengthSquared)
      return (
        SIMD4(middle, radius * Self.accuracy * Self.accuracy), (b - a).cross(c - a) / 2
      )
    }
    nodes.reserveCapacity(order.count / 3)
    if !order.isEmpty { _ = addNode(0..<order.count) }
  }

  private mutating func addNode(_ faces: Range<Int>) -> Box {
    let place = nodes.count
    nodes.append(Node())
    var node = Node()
    var box = Box()
    if faces.count <= Self.leafSize {
      node.faces = (UInt32(faces.lowerBound), UInt32(faces.count))
      for face in faces { add(face, to: &node, &box) }
    } else {
      let middle = faces.lowerBound + (faces.count / 2 + 7) / 8 * 8
      for half in [faces.lowerBound..<middle, middle..<faces.upperBound] {
        let child = nodes.count
        box.add(addNode(half))
        node.center += nodes[child].center * nodes[child].area
        node.dipole += nodes[child].dipole
        node.area += nodes[child].area
      }
    }
    node.center = node.area > 0 ? node.center / node.area : box.center
    let far = pointwiseMax(node.center - box.minimum, box.maximum - node.center)
    node.reach = far.lengthSquared * Self.accuracy * Self.accuracy
    node.next = UInt32(nodes.count)
    nodes[place] = node
    return box
  }

  private func add(_ face: Int, to node: inout Node, _ box: inout Box) {
    let (a, b, c) = (corners[3 * face], corners[3 * face + 1], corners[3 * face + 2])
    let dipole = (b - a).cross(c - a) / 2
    let area = dipole.length
    node.dipole += dipole
    node.area += area
    node.center += (a + b + c) / 3 * area
    box.add(a)
    box.add(b)
    box.add(c)
  }

  /// The winding number at a point; halves for points on a face are undetermined.
  func value(at point: SIMD3<Float>) -> Float {
    var (far, near): (Float, Float) = (0, 0)
    var place = 0
    while place < nodes.count {
      let node = nodes[place]
      let offset = node.center - point
      let squared = offset.lengthSquared
      if squared > node.reach {
        far += node.dipole.dot(offset) / (squared * squared.squareRoot())
        place = Int(node.next)
      } else {
        if node.faces.count > 0 { near += part(of: node.faces, at: point) }
        place += 1
      }
    }
    return far / (4 * .pi) + near
  }

  /// The part of some faces, each by its dipole if it is far enough.
  ///
  /// The half solid angles of the others are those of complex numbers, whose product is turned by their
  /// sum (van Oosterom and Strackee 1983).
  func part(of faces: (first: UInt32, count: UInt32), at point: SIMD3<Float>) -> Float {
    var product = SIMD2<Float>(1, 0)
    var (turns, far): (Float, Float) = (0, 0)
    var isNear = false
    for face in Int(faces.first)..<Int(faces.first + faces.count) {
      let single = singles[face]
      let offset = SIMD3(single.center.x, single.center.y, single.center.z) - point
      let squared = offset.lengthSquared
      if squared > single.center.w {
        far += single.dipole.dot(offset) / (squared * squared.squareRoot())
        continue
      }
      isNear = true
      let factor = halfAngle(of: face, at: point)
      let next = SIMD2(
        product.x * factor.x - product.y * factor.y, product.x * factor.y + product.y * factor.x)
      if product.y >= 0, factor.y >= 0, next.y < 0 { turns += 1 }
      if product.y < 0, factor.y < 0, next.y >= 0 { turns -= 1 }
      product = next
    }
    far /= 4 * .pi
    return isNear ? far + atan2(product.y, product.x) / (2 * .pi) + turns : far
  }

  /// The unit complex number with half the solid angle of a face.
  @inline(__always)
  private func halfAngle(of face: Int, at point: SIMD3<Float>) -> SIMD2<Float> {
    let a = corners[3 * face] - point
    let b = corners[3 * face + 1] - point
    let c = corners[3 * face + 2] - point
    let (x, y, z) = (a.length, b.length, c.length)
    let sine = a.dot(b.cross(c))
    let cosine = x * y * z + a.dot(b) * z + b.dot(c) * x + c.dot(a) * y
    let size = (sine * sine + cosine * cosine).squareRoot()
    return size > 0 ? SIMD2(cosine, sine) / size : SIMD2(1, 0)
  }
}
