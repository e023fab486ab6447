import MeshpipeBase
import MeshpipeScene

/// The others' verdict on the colour that a frame shows at a point of the mesh.
struct ForegroundBallot {
  /// The index in the frame's thumbnail.
  let pixel: Int
  /// The point of the mesh behind it.
  let point: SIMD3<Float>
  /// The levelled codes of the frame at the pixel.
  let color: SIMD4<Float>
  private(set) var agreeing = 0
  private var weak = 0
  private var strong = 0
  /// The range of the contradicting frames' colours.
  private var sum = SIMD4<Float>.zero
  private var squares = SIMD4<Float>.zero

  /// The fewest frames that can contradict with a depth map, and without: of few frames, as many
  /// contradict an inaccurate surface as an object in front of it.
  static let leastVoters = 3
  private static let leastVotersAlone = 6
  /// The share of frames that must contradict: with eight voters six, so that two may see the object at the same
  /// point or be wrong.
  private static let majority: Float = 0.74
  /// Codes outside the range of the others: 11 % and 25 % of the light (48 codes for a factor of e).
  ///
  /// Levelled frames differ by some percent, so less would doubt plain walls; an object that is more alike than that
  /// hardly shows on the surface.
  static let weakResidual: Float = 5
  private static let strongResidual: Float = 11
  /// The largest spread of the others, as a share of the residual: they must agree on the colour that is right.
  private static let greatestSpread: Float = 0.5

  init(pixel: Int, point: SIMD3<Float>, color: SIMD4<Float>) {
    self.pixel = pixel
    self.point = point
    self.color = color
  }

  /// The number of agreeing frames that decides: the others are too few to contradict.
  static func settling(among count: Int) -> Int {
    (0...count).first { Float(count - $0) < majority * Float(count) } ?? count
  }

  /// Counts a frame's vote.
  ///
  /// - Parameters:
  ///   - residual: How far the colour is outside the range of those around the point in that frame.
  ///   - other: That frame's colour of the point.
  @inline(__always)
  mutating func count(_ residual: Float, _ other: SIMD4<Float>) {
    guard residual >= Self.weakResidual else {
      agreeing += 1
      return
    }
    weak += 1
    if residual > Self.strongResidual { strong += 1 }
    sum += other
    squares += other * other
  }

  /// The result of the vote.
  ///
  /// - Parameter isNearer: Whether the depth map shows something in front of the mesh.
  func doubt(isNearer: Bool) -> ForegroundMask.Doubt {
    let count = agreeing + weak
    let needed = Self.majority * Float(count)
    guard count >= (isNearer ? Self.leastVoters : Self.leastVotersAlone),
      Float(weak) >= needed
    else { return .none }
    let mean = sum / Float(weak)
    let variance = (squares / Float(weak) - mean * mean).max()
    let residual = color - mean
    let distance = max(abs(residual.x), abs(residual.y), abs(residual.z))
    guard variance < Self.greatestSpread * Self.greatestSpread * distance * distance else {
      return .none
    }
    if isNearer { return .measured }
    return Float(strong) >= needed ? .strong : .weak
  }
}
