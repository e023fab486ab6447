import MeshpipeScene

/// The winding numbers of a mesh's faces around points: 1 inside a closed surface whose faces look out, 0 outside of
/// it, and in between where it has holes (Jacobson and others 2013).
///
/// Faces far from a point count together, by a hierarchy of their dipoles (Barill and others 2018).
struct WindingNumbers: Sendable {
  private let positions: [Vector3]
  /// The vertex of each corner, three per face, in spatial order.
  private let indices: [UInt32]
  /// The dipole of each face, about its middle, and the square of the distance from which it stands for it.
  private let singles: [(center: Vector3, reach: Float, dipole: Vector3)]
  /// Each before its children.
  private(set) var nodes: [Node] = []

  struct Node: BitwiseCopyable, Sendable {
    var center = Vector3.zero
    /// The sum of the faces' areas along their normals.
    var dipole = Vector3.zero
    /// Points nearer than this to the centre, squared, ask the children.
    var reach: Float = 0
    var area: Float = 0
    var faces: (first: UInt32, count: UInt32) = (0, 0)
    /// The first node after all children.
    var next: UInt32 = 0
  }

  private static let leafSize = 8
  /// The distance in radii of a node from which its dipole stands for it: errors are some hundredths.
  private static let accuracy: Float = 2.7

  /// - Parameter indices: Of finite positions, three per face.
  init(positions: [Vector3], indices: [UInt32]) {
    let middles = Parallel.array(count: indices.count / 3) { face in
      Vector3(
        (positions[Int(indices[3 * face])].simd + positions[Int(indices[3 * face + 1])].simd
          + positions[Int(indices[3 * face + 2])].simd) / 3)
    }
    let curve = SpatialOrder(of: middles)
    let order = curve.indices
    let sorted = Parallel.array(count: indices.count) { corner in
      indices[3 * Int(order[corner / 3]) + corner % 3]
    }
    singles = Parallel.array(count: order.count) { face in
      let (a, b, c) = Self.corners(ofFace: face, positions, sorted)
      let middle = (a + b + c) / 3
      let radius = max(
        (a - middle).lengthSquared, (b - middle).lengthSquared, (c - middle).lengthSquared)
      return (
        Vector3(middle), radius * Self.accuracy * Self.accuracy,
        Vector3((b - a).cross(c - a) / 2)
      )
    }
    self.positions = positions
    self.indices = sorted
    nodes.reserveCapacity(order.count / 2)
    if !order.isEmpty { _ = addNode(0..<order.count, curve.codes) }
  }

  @inline(__always)
  private static func corners(
    ofFace face: Int, _ positions: [Vector3], _ indices: [UInt32]
  ) -> (SIMD3<Float>, SIMD3<Float>, SIMD3<Float>) {
    (
      positions[Int(indices[3 * face])].simd, positions[Int(indices[3 * face + 1])].simd,
      positions[Int(indices[3 * face + 2])].simd
    )
  }

  private mutating func addNode(_ faces: Range<Int>, _ codes: [UInt32]) -> Box {
    let index = nodes.count
    nodes.append(Node())
    var node = Node()
    var box = Box()
    if faces.count <= Self.leafSize {
      node.faces = (UInt32(faces.lowerBound), UInt32(faces.count))
      for face in faces { add(face, to: &node, &box) }
    } else {
      let middle = Self.split(faces, codes)
      for half in [faces.lowerBound..<middle, middle..<faces.upperBound] {
        let child = nodes.count
        box.add(addNode(half, codes))
        node.center.simd += nodes[child].center.simd * nodes[child].area
        node.dipole.simd += nodes[child].dipole.simd
        node.area += nodes[child].area
      }
    }
    node.center = node.area > 0 ? Vector3(node.center.simd / node.area) : Vector3(box.center)
    node.reach = squaredRadius(of: node, faces, box) * Self.accuracy * Self.accuracy
    node.next = UInt32(nodes.count)
    nodes[index] = node
    return box
  }

  /// Where the second half of the cell around some faces begins: halves of the faces would often be far
  /// apart, and opened from afar.
  private static func split(_ faces: Range<Int>, _ codes: [UInt32]) -> Int {
    let difference = codes[faces.lowerBound] ^ codes[faces.upperBound - 1]
    guard difference > 0 else { return (faces.lowerBound + faces.upperBound) / 2 }
    let bit = UInt32(1) << (31 - UInt32(difference.leadingZeroBitCount))
    var (low, high) = (faces.lowerBound, faces.upperBound - 1)
    while low < high {
      let middle = (low + high) / 2
      if codes[middle] & bit == 0 { low = middle + 1 } else { high = middle }
    }
    return low
  }

  /// The squared radius of a ball about a node's centre that contains its faces; for many of them, their box.
  private func squaredRadius(of node: Node, _ faces: Range<Int>, _ box: Box) -> Float {
    guard faces.count > Self.leafSize else {
      return indices[3 * faces.lowerBound..<3 * faces.upperBound].reduce(0) {
        max($0, (positions[Int($1)].simd - node.center.simd).lengthSquared)
      }
    }
    let center = node.center.simd
    return pointwiseMax(center - box.minimum, box.maximum - center).lengthSquared
  }

  private func add(_ face: Int, to node: inout Node, _ box: inout Box) {
    let (a, b, c) = Self.corners(ofFace: face, positions, indices)
    let dipole = singles[face].dipole.simd
    let area = dipole.length
    node.dipole.simd += dipole
    node.area += area
    node.center.simd += (a + b + c) / 3 * area
    box.add(a)
    box.add(b)
    box.add(c)
  }

  /// The winding numbers at some points that are near to each other.
  func values(at points: [SIMD3<Float>]) -> [Float] {
    WindingPacket.values(at: points) { packet in
      var index = 0
      while index < nodes.count {
        let node = nodes[index]
        if packet.add(node.dipole.simd, at: node.center.simd, beyond: node.reach) {
          index = Int(node.next)
        } else {
          if node.faces.count > 0 { add(node.faces, to: &packet) }
          index += 1
        }
      }
    }
  }

  /// Adds a node whose faces have no children, or its faces one by one if it is near.
  @inline(__always)
  func add(leaf: Int, to packet: inout WindingPacket) {
    let node = nodes[leaf]
    guard !packet.add(node.dipole.simd, at: node.center.simd, beyond: node.reach) else { return }
    add(node.faces, to: &packet)
  }

  /// Adds some faces, each by its dipole if it is far enough.
  @inline(__always)
  private func add(_ faces: (first: UInt32, count: UInt32), to packet: inout WindingPacket) {
    for face in Int(faces.first)..<Int(faces.first + faces.count) {
      let single = singles[face]
      guard !packet.add(single.dipole.simd, at: single.center.simd, beyond: single.reach) else {
        continue
      }
      let (a, b, c) = Self.corners(ofFace: face, positions, indices)
      packet.add(a, b, c)
    }
    packet.normalize()
  }
}
