import MeshPipeline

/// The transforms of nodes.
extension GLTFReader {
  /// The transform of a node to its parent.
  func localTransform(of node: JSONValue, _ place: String) throws -> Transform {
    func numbers(_ key: String, _ count: Int) throws -> [Double]? {
      guard let value = node[key] else { return nil }
      let numbers = value.elements.compactMap(\.number)
      guard numbers.count == count else {
        throw fault(place, "'\(key)' must be \(count) numbers")
      }
      return numbers
    }
    if let m = try numbers("matrix", 16) {
      return Transform(
        x: SIMD3(m[0], m[1], m[2]), y: SIMD3(m[4], m[5], m[6]), z: SIMD3(m[8], m[9], m[10]),
        translation: SIMD3(m[12], m[13], m[14]))
    }
    return Transform(
      scale: try numbers("scale", 3).map { SIMD3($0[0], $0[1], $0[2]) },
      rotation: try numbers("rotation", 4).map { SIMD4($0[0], $0[1], $0[2], $0[3]) },
      translation: try numbers("translation", 3).map { SIMD3($0[0], $0[1], $0[2]) })
  }

  /// Where the scene stands, by the extension `CESIUM_RTC`: its centre counts from the middle of the globe, whose axis
  /// is Z, and moves what is turned so before.
  func sceneTransform() throws -> Transform {
    guard let found = json["extensions"]?[GLTFExtensions.relativeToCenter] else { return .identity }
    let center = found["center"]?.elements.compactMap(\.number) ?? []
    guard center.count == 3, center.allSatisfy(\.isFinite) else {
      throw fault("extensions.\(GLTFExtensions.relativeToCenter)", "'center' must be 3 numbers")
    }
    return Transform(translation: SIMD3(center[0], center[2], -center[1]))
  }

  /// The children of each node.
  func children() throws -> [[Int]] {
    try (json["nodes"]?.elements ?? []).enumerated().map { index, node in
      try (node["children"]?.elements ?? []).compactMap {
        try integer($0, "nodes[\(index)].children")
      }
    }
  }

  /// The nodes that are not children of others.
  static func roots(_ children: [[Int]]) -> [Int] {
    let inner = Set(children.joined())
    return children.indices.filter { !inner.contains($0) }
  }

  /// The transform of each node to the scene, whether or not the scene shows it; nil for a node that
  /// is its own ancestor.
  func nodeTransforms() throws -> [Transform?] {
    let nodes = json["nodes"]?.elements ?? []
    let children = try children()
    var transforms = [Transform?](repeating: nil, count: nodes.count)
    let place = try sceneTransform()
    var open = Self.roots(children).map { ($0, place) }
    while let (index, parent) = open.popLast() {
      guard transforms[index] == nil else { continue }
      let transform = parent * (try localTransform(of: nodes[index], "nodes[\(index)]"))
      transforms[index] = transform
      open += children[index].filter { $0 < nodes.count }.map { ($0, transform) }
    }
    return transforms
  }
}
