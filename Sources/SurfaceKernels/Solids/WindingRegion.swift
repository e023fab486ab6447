import MeshpipeScene

/// The winding numbers of the points in a ball.
///
/// What is far from the ball is summed once, as a Taylor series about the middle; what is near remains
/// as a list.
struct WindingRegion: Sendable {
  private let windings: WindingNumbers
  private let center: SIMD3<Float>
  private var value: Float = 0
  private var slope = SIMD3<Float>.zero
  private var bend = SymmetricMatrix()
  /// Nodes whose dipole stands for their faces.
  private var dipoles: [(center: SIMD3<Float>, dipole: SIMD3<Float>)] = []
  private var leaves: [Int] = []

  /// The distance in radii of the ball from which a series stands for a dipole.
  private static let reach: Float = 3

  init(_ windings: WindingNumbers, center: SIMD3<Float>, radius: Float) {
    self.windings = windings
    self.center = center
    var place = 0
    while place < windings.nodes.count {
      let node = windings.nodes[place]
      let offset = node.center - center
      let distance = offset.length
      if distance - radius > node.reach.squareRoot() {
        if distance > Self.reach * radius {
          add(node.dipole, offset, distance)
        } else {
          dipoles.append((node.center, node.dipole))
        }
        place = Int(node.next)
      } else {
        if node.faces.count > 0 { leaves.append(place) }
        place += 1
      }
    }
  }

  private mutating func add(_ dipole: SIMD3<Float>, _ offset: SIMD3<Float>, _ distance: Float) {
    let cube = 1 / (distance * distance * distance)
    let part = dipole.dot(offset)
    let fifth = 3 * cube / (distance * distance)
    value += part * cube
    slope += dipole * cube - offset * (part * fifth)
    let seventh = 5 * fifth / (distance * distance) * part
    let (n, d) = (dipole, offset)
    bend.add(
      SymmetricMatrix(
        xx: seventh * d.x * d.x - fifth * (2 * n.x * d.x + part),
        yy: seventh * d.y * d.y - fifth * (2 * n.y * d.y + part),
        zz: seventh * d.z * d.z - fifth * (2 * n.z * d.z + part),
        yz: seventh * d.y * d.z - fifth * (n.y * d.z + n.z * d.y),
        xz: seventh * d.x * d.z - fifth * (n.x * d.z + n.z * d.x),
        xy: seventh * d.x * d.y - fifth * (n.x * d.y + n.y * d.x)))
  }

  /// The winding number at a point of the ball.
  func value(at point: SIMD3<Float>) -> Float {
    let step = point - center
    var far = value - slope.dot(step) + (bend * step).dot(step) / 2
    for node in dipoles {
      let offset = node.center - point
      let squared = offset.lengthSquared
      far += node.dipole.dot(offset) / (squared * squared.squareRoot())
    }
    var near: Float = 0
    for leaf in leaves {
      let node = windings.nodes[leaf]
      let offset = node.center - point
      let squared = offset.lengthSquared
      if squared > node.reach {
        far += node.dipole.dot(offset) / (squared * squared.squareRoot())
      } else {
        near += windings.part(of: node.faces, at: point)
      }
    }
    return far / (4 * .pi) + near
  }
}
