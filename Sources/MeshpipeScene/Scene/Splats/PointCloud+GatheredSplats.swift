extension PointCloud {
  /// Recognises Gaussian splats, and gives their attributes the names, widths and type by which the rest knows them.
  ///
  /// In files their numbers may be in any order, doubly precise, or have the prefix that CloudCompare gives to scalar
  /// fields.
  /// - Returns: What had to be left out, for a warning; nil if nothing.
  package mutating func gatherSplats() -> String? {
    let prefixes = ["", "scalar_"]
    guard let prefix = prefixes.first(where: { hasRotation(prefix: $0) }) else { return nil }
    let before = attributes
    for name in SplatForm.Name.all { gather(name, from: prefix + name) }
    guard splatForm != nil else {
      attributes = before
      return nil
    }
    // Only their type changes.
    for name in SplatForm.Name.all { updateFloats(of: name) { _ in } }
    return dropIncompleteHarmonics()
  }

  private func hasRotation(prefix: String) -> Bool {
    let name = prefix + SplatForm.Name.rotation
    return attributes[name] != nil || attributes[name + "_0"] != nil
  }

  /// Makes one attribute of those that are numbered, at the place of the first.
  private mutating func gather(_ name: String, from source: String) {
    let own = attributes.firstIndex { $0.name == name }
    if let place = attributes.firstIndex(where: { $0.name == source }) {
      // Another attribute of that name gets this one's, since names are found only once.
      if let own { attributes[own].name = source }
      attributes[place].name = name
      return
    }
    var parts: [CustomAttribute] = []
    while let part = attributes["\(source)_\(parts.count)"], part.width == 1 { parts.append(part) }
    guard let first = attributes.firstIndex(where: { $0.name == parts.first?.name }) else { return }
    if let own { attributes[own].name = source }
    let columns = parts.map(\.values.floats)
    var values = [Float](repeating: 0, count: parts.count * positions.count)
    for (part, column) in columns.enumerated() {
      for point in positions.indices { values[parts.count * point + part] = column[point] }
    }
    attributes[first] = CustomAttribute(name, width: parts.count, values: .float32(values))
    let taken = Set(parts.map(\.name))
    attributes.removeAll { taken.contains($0.name) }
  }

  /// Cuts coefficients off that are of no complete degree, which nothing could turn.
  private mutating func dropIncompleteHarmonics() -> String? {
    guard let harmonics = attributes[SplatForm.Name.harmonics] else { return nil }
    let own = harmonics.width % 3 == 0 ? harmonics.width / 3 : 0
    let degree = SplatForm.degree(ofHarmonics: own)
    let kept = SphericalHarmonics.count(toDegree: degree)
    guard harmonics.width != 3 * kept else { return nil }
    resizeHarmonics(from: own, to: kept)
    return """
      each splat has \(harmonics.width) numbers '\(harmonics.name)', but those of degree 1, 2 and 3 are 9, 24 and 45: \
      colours are read to degree \(degree)
      """
  }

  /// Cuts off the last coefficients of each channel, or adds zeros.
  mutating func resizeHarmonics(from own: Int, to count: Int) {
    let name = SplatForm.Name.harmonics
    guard count > 0 else { return attributes[name] = nil }
    let values = own > 0 ? floats(of: name, width: 3 * own) : nil
    var resized = [Float](repeating: 0, count: 3 * count * positions.count)
    if let values {
      for row in 0..<3 * positions.count {
        for index in 0..<min(own, count) {
          resized[row * count + index] = values[row * own + index]
        }
      }
    }
    let attribute = CustomAttribute(name, width: 3 * count, values: .float32(resized))
    if attributes[name] == nil,
      let color = attributes.firstIndex(where: { $0.name == SplatForm.Name.color })
    {
      attributes.insert(attribute, at: color + 1)
    } else {
      attributes[name] = attribute
    }
  }
}
