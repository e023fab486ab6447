import MeshpipeBase
import MeshpipeScene

extension Condition {
  /// Whether the condition is true for a scene.
  ///
  /// - Complexity: O(faces + vertices) for sizes, areas or classes, otherwise O(1).
  package func holds(for scene: borrowing Scene) -> Bool {
    root.holds(for: MeasuredScene(copy scene))
  }

  /// The values of the condition's quantities in a scene: `faces is 0, extent is 3.2 m`.
  package func explanation(for scene: borrowing Scene) -> String {
    explanation(for: MeasuredScene(copy scene))
  }

  /// The same if the condition is false; nil if it is true.
  ///
  /// - Parameter notes: Those of the stage that the scene is the result of.
  func explanationIfFalse(
    for scene: borrowing Scene, notes: [StageContext.Note] = []
  ) -> String? {
    let measured = MeasuredScene(copy scene, notes: notes)
    return root.holds(for: measured) ? nil : explanation(for: measured)
  }

  private func explanation(for scene: MeasuredScene) -> String {
    var parts: [String] = []
    root.collect(into: &parts, scene)
    return parts.joined(separator: ", ")
  }
}

extension Condition.Node {
  func holds(for scene: MeasuredScene) -> Bool { truth(for: scene) ?? false }

  /// Nil if that depends on a figure that is not known, also under `not`.
  private func truth(for scene: MeasuredScene) -> Bool? {
    switch self {
    case .constant(let value): return value
    case .has(let feature): return scene.scene.features.contains(feature)
    case .holds(let measure): return measure.value(scene) != 0
    case .not(let node): return node.truth(for: scene).map { !$0 }
    case .and(let left, let right):
      guard let left = left.truth(for: scene) else {
        return right.truth(for: scene) == false ? false : nil
      }
      return left ? right.truth(for: scene) : false
    case .or(let left, let right):
      guard let left = left.truth(for: scene) else {
        return right.truth(for: scene) == true ? true : nil
      }
      return left ? true : right.truth(for: scene)
    case .compare(let left, let comparison, let right):
      let (left, right) = (left.value(in: scene), right.value(in: scene))
      return left.isNaN || right.isNaN ? nil : comparison.holds(left, right)
    }
  }

  func collect(into parts: inout [String], _ scene: MeasuredScene) {
    switch self {
    case .constant: break
    case .has(let feature):
      let verb = scene.scene.features.contains(feature) ? "has" : "has no"
      parts.append("the scene \(verb) \(feature.rawValue)")
    case .holds(let measure):
      let verb = measure.value(scene) != 0 ? "is" : "is not"
      parts.append("the scene \(verb) \(measure.name)")
    case .not(let node): node.collect(into: &parts, scene)
    case .and(let left, let right), .or(let left, let right):
      left.collect(into: &parts, scene)
      right.collect(into: &parts, scene)
    case .compare(let left, _, let right):
      for operand in [left, right] {
        if case .number = operand { continue }
        parts.append("\(operand.name) is \(operand.valueText(in: scene))")
      }
    }
  }
}

extension Condition.Operand {
  fileprivate func value(in scene: MeasuredScene) -> Double {
    switch self {
    case .number(let value, _): value
    case .quantity(let quantity): quantity.value(in: scene.scene)
    case .faces(let label):
      Double(scene.scene.meshes.reduce(0) { $0 + $1.classes.count(of: label) })
    case .points(let label):
      Double(scene.scene.pointClouds.reduce(0) { $0 + $1.classes.count(of: label) })
    case .measure(let measure): measure.value(scene)
    }
  }

  fileprivate func valueText(in scene: MeasuredScene) -> String {
    let value = value(in: scene)
    if value.isNaN { return "unknown" }
    switch dimension {
    case .length: return JSONValue.text(of: (value * 1e6).rounded() / 1e6) + " m"
    case .area: return JSONValue.text(of: (value * 1e6).rounded() / 1e6) + " m2"
    case .volume: return JSONValue.text(of: (value * 1e9).rounded() / 1e9) + " m3"
    case .angle: return Angle(radians: value).text
    default: return JSONValue.text(of: value)
    }
  }
}

extension Condition.Quantity {
  fileprivate func value(in scene: borrowing Scene) -> Double {
    let system = scene.coordinateSystem
    switch self {
    case .faces: return Double(scene.faceCount)
    case .vertices: return Double(scene.vertexCount)
    case .points: return Double(scene.pointCount)
    case .meshes: return Double(scene.meshes.count)
    case .materials: return Double(scene.materials.count)
    case .textures: return Double(scene.textures.count)
    case .frames: return Double(scene.capture?.frames.count ?? 0)
    case .extent: return Double(scene.bounds.extent) * system.metersPerUnit
    case .height: return Double(scene.bounds.size[system.up.index]) * system.metersPerUnit
    case .depth: return Double(scene.bounds.size[system.forward.index]) * system.metersPerUnit
    case .width:
      let axis = 3 - system.up.index - system.forward.index
      return 0..<3 ~= axis ? Double(scene.bounds.size[axis]) * system.metersPerUnit : 0
    case .area:
      let area = scene.meshes.reduce(0) { $0 + $1.area }
      return area * system.metersPerUnit * system.metersPerUnit
    }
  }
}

extension FaceClasses? {
  fileprivate func count(of name: String) -> Int {
    guard let self, let label = self.names.firstIndex(of: name) else { return 0 }
    return self.counts[label]
  }
}
