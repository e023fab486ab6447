package import MeshpipeBase

extension Shape {
  /// The shape for files and reports: the parameters that its kind has, its extent, and what is on it.
  ///
  /// - Parameters:
  ///   - origin: That of the scene, which is added to places.
  ///   - scale: By which lengths are multiplied, to give them in another unit.
  ///   - hasOutline: Whether a plane has its outline, which may be long.
  package func json(
    origin: SIMD3<Double> = .zero, scale: Double = 1, hasOutline: Bool
  ) -> JSONValue {
    var members: [JSONValue.Member] = [
      .init("name", JSONValue(.string(name))), .init("kind", JSONValue(.string(kind.rawValue))),
    ]
    members += parameters(origin, scale) + extent(scale)
    if hasOutline, !outline.isEmpty { members.append(.init("outline", polygons(scale))) }
    if isInward { members.append(.init("inward", JSONValue(.bool(true)))) }
    members.append(.init("count", JSONValue(.number(Double(count)))))
    if let area { members.append(.init("area", number(area * scale * scale))) }
    members += [
      .init("rms", number(rootMeanSquare * scale)),
      .init("largestResidual", number(largestResidual * scale)),
    ]
    return JSONValue(.object(members))
  }

  private func parameters(_ origin: SIMD3<Double>, _ scale: Double) -> [JSONValue.Member] {
    let center = JSONValue.Member("center", vector((center + origin) * scale))
    let axis = JSONValue.Member("axis", vector(axis))
    let radius = JSONValue.Member("radius", number(radius * scale))
    switch kind {
    case .plane: return [center, .init("normal", vector(self.axis))]
    case .sphere: return [center, radius]
    case .cylinder: return [center, axis, radius]
    case .cone:
      return [
        .init("apex", vector(((apex ?? self.center) + origin) * scale)), axis,
        .init("halfAngle", degrees(halfAngle)), center, radius,
      ]
    case .torus: return [center, axis, radius, .init("tubeRadius", number(tubeRadius * scale))]
    }
  }

  private func extent(_ scale: Double) -> [JSONValue.Member] {
    switch kind {
    case .sphere: return []
    case .plane:
      return [
        .init("reference", vector(reference)),
        .init("size", JSONValue(.array([number(size.x * scale), number(size.y * scale)]))),
      ]
    case .cylinder, .cone, .torus:
      let length = heights.upperBound - heights.lowerBound
      return [
        .init("reference", vector(reference)),
        .init(
          "angles", JSONValue(.array([degrees(angles.lowerBound), degrees(angles.upperBound)]))),
      ] + (kind == .torus ? [] : [.init("length", number(length * scale))])
    }
  }

  private func polygons(_ scale: Double) -> JSONValue {
    JSONValue(
      .array(
        outline.map { loop in
          JSONValue(
            .array(
              loop.map { JSONValue(.array([number($0.x * scale), number($0.y * scale)])) }))
        }))
  }

  private func vector(_ value: SIMD3<Double>) -> JSONValue {
    JSONValue(.array([number(value.x), number(value.y), number(value.z)]))
  }

  private func degrees(_ radians: Double) -> JSONValue { number(radians * 180 / .pi) }

  /// With six digits after the decimal point; 0 for what is no number.
  private func number(_ value: Double) -> JSONValue {
    value.isFinite ? value.json(digits: 6) : 0
  }
}
