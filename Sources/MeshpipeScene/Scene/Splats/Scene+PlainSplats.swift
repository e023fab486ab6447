import POSIX

extension Scene {
  /// Makes plain points of Gaussian splats, with the colour that they have in the mean of all directions.
  ///
  /// - Parameter minimumOpacity: Splats that are less opaque are left out.
  package mutating func makeSplatsPlain(minimumOpacity: Double = 0) {
    for index in pointClouds.indices { pointClouds[index].makePlain(minimumOpacity) }
  }
}

extension PointCloud {
  /// The opacity of each splat, from 0 to 1; nil for plain points.
  package var splatOpacities: [Double]? {
    guard splatForm != nil else { return nil }
    guard let logits = floats(of: SplatForm.Name.opacity, width: 1) else {
      return [Double](repeating: 1, count: positions.count)
    }
    return logits.map { 1 / (1 + exp(-Double($0))) }
  }

  /// The colour of each splat in the mean of all directions; nil if they have none, or are none.
  package var splatColors: [Color]? {
    guard splatForm != nil, let values = floats(of: SplatForm.Name.color, width: 3) else {
      return nil
    }
    func byte(_ value: Float) -> UInt8 {
      let share = 0.5 + Float(SphericalHarmonics.constant) * value
      // Not a number is black.
      return UInt8((255 * max(0, min(1, share.isNaN ? 0 : share))).rounded())
    }
    return positions.indices.map { point in
      Color(
        red: byte(values[3 * point]), green: byte(values[3 * point + 1]),
        blue: byte(values[3 * point + 2]))
    }
  }

  fileprivate mutating func makePlain(_ minimumOpacity: Double) {
    guard splatForm != nil else { return }
    if minimumOpacity > 0, let opacities = splatOpacities {
      keepPoints(opacities.map { $0 >= minimumOpacity })
    }
    colors = splatColors ?? colors
    // The reference implementation writes normals, but leaves them zero.
    if normals?.contains(where: { $0 != .zero }) != true { normals = nil }
    let names = Set(SplatForm.Name.all + [SplatForm.Name.filter])
    attributes.removeAll { names.contains($0.name) }
  }
}
