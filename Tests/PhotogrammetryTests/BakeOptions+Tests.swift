import Photogrammetry

extension BakeOptions {
  /// For meshes of phones and small pictures.
  static var ofTests: BakeOptions {
    BakeOptions(
      meshError: 0.02, usesDepth: true, equalizesExposure: true, imageMemory: 256 << 20)
  }
}
