/// The form of Gaussian splats: points with a size, a direction, an opacity and colours that depend on the direction of view.
///
/// They are point clouds with the attributes of the reference implementation (Kerbl and others 2023), by which they are
/// recognised: `scale` (logarithms of three lengths, or two for flat ones), `rot` (a quaternion, w first), `opacity` (its
/// logit), `f_dc` and `f_rest` (coefficients of spherical harmonics, those of a channel together).
public struct SplatForm: Sendable, Hashable {
  /// The degree of the functions by which colours depend on the direction: 0 for none, to 3.
  public var degree: Int
  /// 3, or 2 for flat splats.
  public var scaleCount: Int

  package init(degree: Int, scaleCount: Int) {
    self.degree = degree
    self.scaleCount = scaleCount
  }

  /// The names of the attributes.
  package enum Name {
    package static let color = "f_dc"
    package static let harmonics = "f_rest"
    package static let opacity = "opacity"
    package static let scale = "scale"
    package static let rotation = "rot"
    /// The least length of a splat, which Mip-Splatting adds.
    package static let filter = "filter_3D"

    /// In the order of the reference implementation's files.
    static let all = [color, harmonics, opacity, scale, rotation]
  }

  /// The degree of a number of coefficients per channel, beside the constant one.
  static func degree(ofHarmonics count: Int) -> Int {
    (1...SphericalHarmonics.highest).last { SphericalHarmonics.count(toDegree: $0) <= count } ?? 0
  }
}

extension PointCloud {
  /// The form of the splats that the points are; nil for other points.
  public var splatForm: SplatForm? {
    guard attributes[SplatForm.Name.rotation]?.width == 4,
      let scale = attributes[SplatForm.Name.scale], 2...3 ~= scale.width,
      attributes[SplatForm.Name.opacity]?.width == 1
        || attributes[SplatForm.Name.color]?.width == 3
    else { return nil }
    let harmonics = attributes[SplatForm.Name.harmonics]?.width ?? 0
    let degree = SplatForm.degree(ofHarmonics: harmonics / 3)
    guard harmonics == 3 * SphericalHarmonics.count(toDegree: degree) else {
      return SplatForm(degree: 0, scaleCount: scale.width)
    }
    return SplatForm(degree: degree, scaleCount: scale.width)
  }
}

extension Scene {
  /// The number of points that are Gaussian splats.
  public var splatCount: Int {
    pointClouds.reduce(0) { $0 + ($1.splatForm == nil ? 0 : $1.positions.count) }
  }
}

extension PointCloud {
  /// Changes the values of an attribute in place, as single-precision numbers.
  mutating func updateFloats(of name: String, _ change: (inout [Float]) -> Void) {
    guard let place = attributes.firstIndex(where: { $0.name == name }) else { return }
    var values = attributes[place].values.floats
    // Taken out, so that they are changed without a copy.
    attributes[place].values = .uint8([])
    change(&values)
    attributes[place].values = .float32(values)
  }

  /// The values of an attribute as single-precision numbers; nil if there is none of this width.
  func floats(of name: String, width: Int) -> [Float]? {
    guard let attribute = attributes[name], attribute.width == width else { return nil }
    return attribute.values.floats
  }
}
