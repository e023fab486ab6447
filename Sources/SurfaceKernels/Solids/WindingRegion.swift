import MeshpipeScene

/// The winding numbers of the points in a ball.
///
/// What is far from the ball is summed once, as a Taylor series about the middle; what is near remains
/// as a list.
struct WindingRegion: Sendable {
  private let windings: WindingNumbers
  private let center: SIMD3<Float>
  private let radius: Float
  /// The series, times 4π.
  private var value: Float = 0
  private var slope = SIMD3<Float>.zero
  private var bend = SymmetricMatrix()
  /// Nodes whose dipole stands for their faces.
  private var dipoles: [(center: SIMD3<Float>, dipole: SIMD3<Float>)] = []
  private var leaves: [Int] = []

  /// The distance in radii of the ball from which a series stands for a dipole.
  private static let reach: Float = 2

  init(_ windings: WindingNumbers, center: SIMD3<Float>, radius: Float) {
    self.windings = windings
    self.center = center
    self.radius = radius
    var index = 0
    while index < windings.nodes.count {
      let node = windings.nodes[index]
      if isBeyondReach(of: node) {
        add(node.dipole.simd, at: node.center.simd)
        index = Int(node.next)
      } else {
        if node.faces.count > 0 { leaves.append(index) }
        index += 1
      }
    }
  }

  /// A ball within another one.
  init(in whole: WindingRegion, center: SIMD3<Float>, radius: Float) {
    windings = whole.windings
    self.center = center
    self.radius = radius
    let step = center - whole.center
    value = whole.value + whole.slope.dot(step) + (whole.bend * step).dot(step) / 2
    slope = whole.slope + whole.bend * step
    bend = whole.bend
    for node in whole.dipoles { add(node.dipole, at: node.center) }
    for leaf in whole.leaves {
      let node = windings.nodes[leaf]
      if isBeyondReach(of: node) {
        add(node.dipole.simd, at: node.center.simd)
      } else {
        leaves.append(leaf)
      }
    }
  }

  /// Whether the dipole of a node stands for it in all of the ball.
  private func isBeyondReach(of node: WindingNumbers.Node) -> Bool {
    (node.center.simd - center).length - radius > node.reach.squareRoot()
  }

  private mutating func add(_ dipole: SIMD3<Float>, at position: SIMD3<Float>) {
    let d = position - center
    let squared = d.lengthSquared
    guard squared > Self.reach * Self.reach * radius * radius else {
      dipoles.append((position, dipole))
      return
    }
    let n = dipole
    let cube = 1 / (squared * squared.squareRoot())
    let part = n.dot(d)
    let fifth = 3 * cube / squared
    value += part * cube
    slope += d * (part * fifth) - n * cube
    let seventh = 5 * fifth / squared * part
    bend.add(
      SymmetricMatrix(
        xx: seventh * d.x * d.x - fifth * (2 * n.x * d.x + part),
        yy: seventh * d.y * d.y - fifth * (2 * n.y * d.y + part),
        zz: seventh * d.z * d.z - fifth * (2 * n.z * d.z + part),
        yz: seventh * d.y * d.z - fifth * (n.y * d.z + n.z * d.y),
        xz: seventh * d.x * d.z - fifth * (n.x * d.z + n.z * d.x),
        xy: seventh * d.x * d.y - fifth * (n.x * d.y + n.y * d.x)))
  }

  /// The winding numbers at points of the ball.
  func values(at points: [SIMD3<Float>]) -> [Float] {
    WindingPacket.values(at: points) { packet in
      packet.add(value, slope, bend, about: center)
      for node in dipoles { _ = packet.add(node.dipole, at: node.center) }
      for leaf in leaves { windings.add(leaf: leaf, to: &packet) }
    }
  }
}
