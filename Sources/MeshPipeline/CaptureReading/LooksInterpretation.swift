import MeshpipeScene

/// What the colours of a file mean, and whether its faces have a back.
extension Scene {
  mutating func interpretLooks(_ facts: FileFacts) {
    // A reader whose format specifies the encoding has said so.
    if features.contains(.colors), interpretation[.colors] == nil {
      interpretation.set(.colors, "sRGB", .assumed, because: "nothing in the file says so")
    }
    guard features.contains(.faces) else { return }
    // Writers show both sides of faces without a material.
    let seen = Set(usedMaterials.map { materials[$0].isDoubleSided })
    let words =
      seen.count > 1 ? "as each material says" : seen.contains(false) ? "front" : "both"
    let isSaid = if case .undeclared = facts.axes { false } else { !seen.isEmpty }
    interpretation.set(
      .sides, words, isSaid ? .declared : .assumed,
      because: isSaid ? "" : "a scan's surface has no back", option: "an output's 'sides'")
  }
}
