import MeshpipeScene

/// What the colours of a file mean, and whether its faces have a back.
extension Scene {
  mutating func interpretLooks(_ facts: FileFacts) {
    // A reader whose format specifies the encoding has said so.
    if features.contains(.colors), interpretation[.colors] == nil {
      interpretation.set(.colors, "sRGB", .assumed, because: "nothing in the file says so")
    }
    guard features.contains(.faces) else { return }
    guard case .undeclared = facts.axes else {
      return interpretation.set(.sides, visibleSides, .declared, option: "an output's 'sides'")
    }
    interpretation.set(
      .sides, visibleSides, .assumed, because: "a scan's surface has no back",
      option: "an output's 'sides'")
  }

  /// The sides from which faces are seen, in words; writers show both of faces without a material.
  private var visibleSides: String {
    let seen = Set(usedMaterials.map { materials[$0].isDoubleSided })
    return seen.count > 1 ? "as each material says" : seen.contains(false) ? "front" : "both"
  }
}
