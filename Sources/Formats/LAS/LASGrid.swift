import MeshPipeline

/// The numbers that coordinates of a LAS file can have: whole numbers of steps from an offset, in the units of the file.
struct LASGrid {
  private(set) var step: SIMD3<Double>
  private(set) var offset: SIMD3<Double>
  /// The length of the units in metres.
  private let unit: SIMD3<Double>
  /// From the scene's zero to that of the steps, in metres.
  private let shift: SIMD3<Double>

  /// The step of scenes that were not read from LAS, and the largest one for those that were.
  private static let usualStep = 0.0001
  private static let largestStep = 0.001

  /// - Parameter unit: The length of the file's units in metres.
  init(
    _ scene: Scene, _ unit: SIMD3<Double>, _ options: LAS.Options, in context: WritingContext
  ) {
    self.unit = unit
    let lattice = options.origin == nil ? scene.survey?.lattice : nil
    let origin = options.origin?.value ?? scene.origin
    step = Self.step(options.scale, lattice)
    let box = scene.bounds
    let corners = [box.minimum, box.maximum].map { Vector3($0).double }
    let length = step * unit
    // Offset and steps of the file that was read give its very numbers again.
    if let known = lattice?.offset,
      (0..<3).allSatisfy({
        Self.reaches(corners, shift: origin - known * unit, step: length, along: $0)
      })
    {
      offset = known
    } else {
      offset = origin / unit
    }
    shift = origin - offset * unit
    var coarsest = 0.0
    for axis in 0..<3 where !Self.reaches(corners, shift: shift, step: step * unit, along: axis) {
      repeat {
        step[axis] *= 10
      } while !Self.reaches(corners, shift: shift, step: step * unit, along: axis)
      coarsest = max(coarsest, step[axis] * unit[axis])
    }
    if coarsest > 0 {
      context.stage.warn(
        "\(LAS.name) rounds coordinates to \(JSONValue.text(of: coarsest)) m, since the scene is so large"
      )
    }
  }

  private static func step(_ wanted: Double?, _ lattice: Survey.Lattice?) -> SIMD3<Double> {
    if let wanted { return SIMD3(repeating: wanted) }
    guard let lattice else { return SIMD3(repeating: usualStep) }
    // In whole parts of the file's step, so that its numbers are among those of the finer one.
    return SIMD3(
      (0..<3).map { axis in
        let step = abs(lattice.step[axis])
        var parts = 1.0
        // A damaged file may have steps whose parts no number counts.
        while step / parts > largestStep, parts < 1e300 { parts *= 10 }
        return step / parts
      })
  }

  /// Whether the steps of an axis reach as far as the corners.
  private static func reaches(
    _ corners: [SIMD3<Double>], shift: SIMD3<Double>, step: SIMD3<Double>, along axis: Int
  ) -> Bool {
    corners.allSatisfy { abs($0[axis] + shift[axis]) / step[axis] < 0x7FFF_FFFF }
  }

  /// The whole number of steps of a place in the scene.
  func steps(_ position: Vector3) -> SIMD3<Int32> {
    let steps = ((position.double + shift) / unit / step).rounded(.toNearestOrAwayFromZero)
    return SIMD3(Int32(steps.x), Int32(steps.y), Int32(steps.z))
  }

  /// The coordinates of a place as readers find them.
  func number(_ position: Vector3) -> SIMD3<Double> {
    let steps = steps(position)
    return SIMD3(Double(steps.x), Double(steps.y), Double(steps.z)) * step + offset
  }
}
