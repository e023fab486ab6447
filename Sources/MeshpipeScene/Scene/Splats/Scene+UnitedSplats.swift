package import MeshpipeBase

/// Gaussian splats can't be in one cloud with other points.
package struct MixedSplats: UserError, Equatable {
  /// The names of a cloud of splats, and of a part without.
  package var splats: String
  package var others: String

  package var exitCode: ExitCode { .data }
  package var message: String {
    """
    '\(splats)' has Gaussian splats and '\(others)' has none, and together its points would become splats without size, \
    direction and colour; keep them in outputs of their own, or name the parts with 'where'
    """
  }
}

extension Scene {
  /// Gives all Gaussian splats the same attributes, so that their clouds can be one: those of a lower degree get
  /// coefficients that are zero, flat ones no thickness.
  ///
  /// - Throws: If there are also plain points, or vertices.
  package mutating func uniteSplats() throws(MixedSplats) {
    let forms = pointClouds.map(\.splatForm)
    guard let first = forms.firstIndex(where: { $0 != nil }) else { return }
    let plain = forms.indices.first { forms[$0] == nil && !pointClouds[$0].positions.isEmpty }
    let mesh = meshes.first { $0.vertexCount > 0 }
    if let others = mesh?.name ?? plain.map({ pointClouds[$0].name }) {
      throw MixedSplats(splats: pointClouds[first].name, others: others)
    }
    let all = forms.compactMap(\.self)
    let degree = all.map(\.degree).max() ?? 0
    let scaleCount = all.map(\.scaleCount).max() ?? 3
    let haveColors = pointClouds.contains { $0.attributes[SplatForm.Name.color] != nil }
    for index in pointClouds.indices where forms[index] != nil {
      pointClouds[index].complete(degree: degree, scaleCount: scaleCount, hasColors: haveColors)
    }
  }
}

extension PointCloud {
  fileprivate mutating func complete(degree: Int, scaleCount: Int, hasColors: Bool) {
    guard let form = splatForm else { return }
    let count = positions.count
    if hasColors, attributes[SplatForm.Name.color] == nil {
      let values = (colors ?? [Color](repeating: .white, count: count)).flatMap { color in
        [color.red, color.green, color.blue].map {
          (Float($0) / 255 - 0.5) / Float(SphericalHarmonics.constant)
        }
      }
      attributes.append(
        CustomAttribute(SplatForm.Name.color, width: 3, values: .float32(values)))
    }
    if degree > form.degree {
      resizeHarmonics(
        from: SphericalHarmonics.count(toDegree: form.degree),
        to: SphericalHarmonics.count(toDegree: degree))
    }
    if attributes[SplatForm.Name.opacity] == nil {
      attributes.append(
        CustomAttribute(
          SplatForm.Name.opacity, values: .float32([Float](repeating: 20, count: count))))
    }
    if scaleCount > form.scaleCount, let flat = floats(of: SplatForm.Name.scale, width: 2) {
      let values = (0..<count).flatMap { point -> [Float] in
        [flat[2 * point], flat[2 * point + 1], -30]
      }
      attributes[SplatForm.Name.scale] = CustomAttribute(
        SplatForm.Name.scale, width: 3, values: .float32(values))
    }
  }
}
