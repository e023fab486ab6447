import MeshPipeline

/// What the others say of the colour that a frame shows at a point of the mesh.
struct ForegroundBallot {
  /// The place in the frame's thumbnail.
  let pixel: Int
  /// The point of the mesh behind it.
  let point: SIMD3<Float>
  /// Its levelled codes.
  let color: SIMD4<Float>
  private(set) var agreeing = 0
  private var weak = 0
  private var strong = 0
  /// Of the colours of those that contradict.
  private var sum = SIMD4<Float>.zero
  private var squares = SIMD4<Float>.zero

  /// The fewest frames that can contradict beside a depth map, and alone: of few, as many contradict a
  /// surface that is off as a thing before it.
  static let leastVoters = 3
  private static let leastVotersAlone = 6
  /// The share of frames that must contradict.
  private static let majority: Float = 0.74
  /// Codes beyond the range of the others: 11 % and 25 % of the light.
  static let weakMiss: Float = 5
  private static let strongMiss: Float = 11
  /// The others may be apart by this share of the miss.
  private static let greatestSpread: Float = 0.5

  init(pixel: Int, point: SIMD3<Float>, color: SIMD4<Float>) {
    self.pixel = pixel
    self.point = point
    self.color = color
  }

  /// How many frames that agree settle it: among so many, the others are too few to contradict.
  static func settling(among count: Int) -> Int {
    (0...count).first { Float(count - $0) < majority * Float(count) } ?? count
  }

  /// Counts a frame's vote.
  ///
  /// - Parameters:
  ///   - miss: How far the colour is beyond those around the point in that frame.
  ///   - other: Its own colour of the point.
  @inline(__always)
  mutating func count(_ miss: Float, _ other: SIMD4<Float>) {
    guard miss >= Self.weakMiss else {
      agreeing += 1
      return
    }
    weak += 1
    if miss > Self.strongMiss { strong += 1 }
    sum += other
    squares += other * other
  }

  /// What comes of it.
  ///
  /// - Parameter isNearer: Whether the depth map shows something before the mesh.
  func doubt(isNearer: Bool) -> ForegroundMask.Doubt {
    let count = agreeing + weak
    let needed = Self.majority * Float(count)
    guard count >= (isNearer ? Self.leastVoters : Self.leastVotersAlone),
      Float(weak) >= needed
    else { return .none }
    let mean = sum / Float(weak)
    let variance = (squares / Float(weak) - mean * mean).max()
    let miss = color - mean
    let distance = max(abs(miss.x), abs(miss.y), abs(miss.z))
    guard variance < Self.greatestSpread * Self.greatestSpread * distance * distance else {
      return .none
    }
    if isNearer { return .measured }
    return Float(strong) >= needed ? .strong : .weak
  }
}
