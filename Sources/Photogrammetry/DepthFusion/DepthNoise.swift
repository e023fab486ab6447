import MeshpipeScene

/// The standard deviation of measured depths, as a polynomial of the depth.
///
/// Those of a sensor are smooth, biased and coarse; those of stereo are sharp, and their errors grow with the square
/// of the depth, as one pixel of disparity does.
struct DepthNoise: Sendable, Equatable {
  private let constant: Float
  private let linear: Float
  private let square: Float
  /// What is an edge between two surfaces.
  let edge: Edge

  /// The step of depth from which on two depths are those of two surfaces: a share of the depth, and a length in metres.
  struct Edge: Sendable, Equatable {
    let share: Float
    let meters: Float

    /// The difference of inverse depths.
    @inline(__always)
    func step(atInverseDepth inverse: Float) -> Float {
      // |1/q − 1/q0| < share / q0 + meters, to first order.
      inverse * (share + meters * inverse)
    }
  }

  /// 2 mm and 2 mm for each metre, as LiDAR of phones has.
  static let sensor = DepthNoise(
    constant: 0.002, linear: 0.002, square: 0, edge: Edge(share: 0.02, meters: 0.01))
  /// A tenth of a pixel to a third, of maps half as wide as photographs of phones, at angles of some 10°.
  static let stereo = DepthNoise(
    constant: 0.0005, linear: 0.0005, square: 0.0008, edge: Edge(share: 0.02, meters: 0.005))

  init(_ origin: Capture.DepthSource.Origin) {
    self = origin == .sensor ? .sensor : .stereo
  }

  private init(constant: Float, linear: Float, square: Float, edge: Edge) {
    (self.constant, self.linear, self.square, self.edge) = (constant, linear, square, edge)
  }

  /// Metres at a depth in metres.
  @inline(__always)
  func deviation(at depth: Float) -> Float { constant + depth * (linear + depth * square) }

  /// The standard deviations at eight depths, in metres.
  @inline(__always)
  func deviation(at depths: SIMD8<Float>) -> SIMD8<Float> {
    constant + depths * (linear + depths * square)
  }
}
