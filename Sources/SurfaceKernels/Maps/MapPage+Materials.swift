package import MeshpipeScene

/// The opacity of a page of a light surface, and how its materials show it.
package struct MapOpacity: Sendable {
  /// The mode of each group of faces that is not opaque, in the order of groups.
  package private(set) var modes: [Int: Material.AlphaMode]
  /// One for each texel, before the charts are extended.
  let codes: [UInt8]
  /// Grey; extended beyond the charts.
  package let image: Image

  /// The cutoff of a group with several ones, to which their opacities are scaled.
  static let commonCutoff: Float = 0.5

  fileprivate init(modes: [Int: Material.AlphaMode], codes: [UInt8], image: Image) {
    self.modes = modes
    self.codes = codes
    self.image = image
  }
}

extension Material.AlphaMode {
  /// An opacity of a material in this mode, for one in another mode that looks the same.
  ///
  /// - Parameter mode: Blended, or cut out.
  fileprivate func opacity(_ opacity: Float, in mode: Material.AlphaMode) -> Float {
    switch (self, mode) {
    case (.opaque, _): return 1
    case (.mask(let cutoff), .mask(let common)) where cutoff != common:
      // Linear on both sides of the cutoff.
      return opacity < cutoff
        ? common * opacity / cutoff
        : common + (1 - common) * (opacity - cutoff) / max(1 - cutoff, .leastNormalMagnitude)
    case (.mask(let cutoff), .blend): return opacity < cutoff ? 0 : 1
    default: return opacity
    }
  }

  /// The mode that can show both.
  fileprivate func joined(_ other: Material.AlphaMode) -> Material.AlphaMode {
    switch (self, other) {
    case (.opaque, _): other
    case (_, .opaque): self
    case (.blend, _), (_, .blend): .blend
    case (.mask(let one), .mask(let two)):
      .mask(cutoff: one == two ? one : MapOpacity.commonCutoff)
    }
  }
}

extension MapPage {
  /// The opacity of the heavy surface; nil if all that the page shows of it is opaque.
  package func opacity() -> MapOpacity? {
    guard baking.source.materials.entries.contains(where: { $0.alphaMode != .opaque }) else {
      return nil
    }
    var modes: [Int: Material.AlphaMode] = [:]
    for texel in owners.indices where !hits[texel].isNone {
      let mode = baking.source.alphaMode(at: hits[texel])
      guard mode != .opaque else { continue }
      let group = baking.target.groups[Int(owners[texel])]
      modes[group] = modes[group]?.joined(mode) ?? mode
    }
    guard !modes.isEmpty else { return nil }
    let codes: [UInt8] = Parallel.array(count: owners.count, chunkSize: 1 << 12) { [modes] texel in
      guard !hits[texel].isNone, let mode = modes[baking.target.groups[Int(owners[texel])]] else {
        return 255
      }
      let own = baking.source.alphaMode(at: hits[texel])
      let opacity = baking.source.opacity(at: hits[texel], area: point(texel).area)
      return Self.code(own.opacity(opacity, in: mode))
    }
    let gray: [UInt8] = Parallel.array(count: 3 * codes.count) { codes[$0 / 3] }
    return MapOpacity(modes: modes, codes: codes, image: picture(gray, fills: true))
  }

  /// The roughness in green and the metalness in blue, as glTF has them.
  package func metallicRoughness() -> Image {
    let codes: [SIMD3<UInt8>] = Parallel.array(count: owners.count, chunkSize: 1 << 12) { texel in
      guard !hits[texel].isNone else { return .zero }
      let value = baking.source.metallicRoughness(at: hits[texel], area: point(texel).area)
      return SIMD3(0, Self.code(value.y), Self.code(value.z))
    }
    return picture(Self.bytes(codes), fills: true)
  }

  /// The code of a share from 0 to 1, beyond which factors of a damaged material may be.
  private static func code(_ share: Float) -> UInt8 {
    UInt8((max(0, min(1, share)) * 255).rounded())
  }

  /// The emitted light.
  ///
  /// - Parameter white: The light that is white.
  package func emissive(white: Float) -> Image {
    picture(colorCodes { baking.source.emissive(at: $0, area: $1) / white }, fills: true)
  }
}
