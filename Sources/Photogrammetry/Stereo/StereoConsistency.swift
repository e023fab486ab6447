import MeshpipeScene

/// The inverse depths that one photograph's search found, before others are asked.
struct FoundDepths: Sendable {
  let size: SIMD2<Int>
  /// Row by row; 0 where nothing fits, and negative where there is hardly any texture.
  let signed: [Float]

  /// Planes of a greater cost fit by chance.
  private static let greatestCost: Float = 0.7
  /// The least variance of codes that tells a depth.
  private static let leastVariance: Float = 6

  init(_ search: PlaneSearch, hidden: [Bool]?) {
    size = search.size
    signed = Parallel.array(count: size.x * size.y) { [size] index in
      let plane = search.planes[index]
      guard plane.cost < Self.greatestCost, plane.inverseDepth > 0, hidden?[index] != true else {
        return 0
      }
      let window = PatchWindow(
        search.image, search.likeness, x: index % size.x, y: index / size.x)
      return window.variance < Self.leastVariance ? -plane.inverseDepth : plane.inverseDepth
    }
  }
}

/// Which depths several photographs agree on.
extension StereoDepth {
  /// The depths of a view, in units of the scene, after ``finish(_:)`` of all.
  package struct Depths: Sendable {
    package let size: SIMD2<Int>
    /// 0 where nothing was found.
    package var depths: [Float]
    /// 0 for none, 1 for what one photograph confirms or texture hardly tells, 2 for what several do.
    package var confidences: [UInt8]
  }

  /// The most that a depth may be off for another photograph to confirm it: pixels there and back, and a share.
  private static let agreement = (pixels: Float(1), share: Float(0.01))

  /// The depths that photographs agree on; nil for a view that was not compared.
  package func depths(_ index: Int) -> Depths? {
    guard let own = found[index] else { return nil }
    let view = views[index]
    let witnesses = view.sources.compactMap { source -> Witness? in
      guard let other = found[source] else { return nil }
      let camera = views[source].camera
      return Witness(
        found: other, there: StereoProjection(from: view.camera, to: camera),
        back: StereoProjection(from: camera, to: view.camera))
    }
    let size = own.size
    let confidences = Parallel.array(count: size.x * size.y) { index -> UInt8 in
      let signed = own.signed[index]
      guard signed != 0 else { return 0 }
      let pixel = SIMD2(Float(index % size.x), Float(index / size.x))
      var count = 0
      for place in witnesses.indices where witnesses[place].confirms(pixel, abs(signed)) {
        count += 1
      }
      if signed < 0 { count -= 1 }
      return UInt8(max(0, min(count, 2)))
    }
    let depths = zip(own.signed, confidences).map { $1 > 0 ? 1 / abs($0) : 0 }
    return Depths(size: size, depths: depths, confidences: confidences)
  }

  /// The depths of another photograph.
  private struct Witness: Sendable {
    var found: FoundDepths
    var there: StereoProjection
    var back: StereoProjection

    /// Whether it found the same place for a point.
    @inline(__always)
    func confirms(_ pixel: SIMD2<Float>, _ q: Float) -> Bool {
      let point = there.homogeneous(pixel, inverseDepth: q)
      guard point.z > 0 else { return false }
      let place = SIMD2(point.x, point.y) / point.z
      let size = found.size
      guard place.x >= 0, place.y >= 0, place.x <= Float(size.x - 1), place.y <= Float(size.y - 1)
      else { return false }
      let other = abs(found.signed[Int(place.y + 0.5) * size.x + Int(place.x + 0.5)])
      let returned = back.homogeneous(place, inverseDepth: other)
      guard other > 0, returned.z > 0 else { return false }
      let error = SIMD2(returned.x, returned.y) / returned.z - pixel
      let limit = StereoDepth.agreement
      // The depth here by the inverse depth there.
      return (error * error).sum() < limit.pixels * limit.pixels
        && abs(other / returned.z - q) < limit.share * q
    }
  }
}
