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
    var result = Transform.identity
    if let s = try numbers("scale", 3) { result = Transform(scale: SIMD3(s[0], s[1], s[2])) }
    if let q = try numbers("rotation", 4) {
      result = Transform(quaternion: SIMD4(q[0], q[1], q[2], q[3])) * result
    }
    if let t = try numbers("translation", 3) { result.translation = SIMD3(t[0], t[1], t[2]) }
    return result
  }

  /// The transform of each node to the scene, whether or not the scene shows it; nil for a node that
  /// is its own ancestor.
  func nodeTransforms() throws -> [Transform?] {
    let nodes = json["nodes"]?.elements ?? []
    let children = try nodes.enumerated().map { index, node in
      try (node["children"]?.elements ?? []).compactMap {
        try integer($0, "nodes[\(index)].children")
      }
    }
    var isChild = [Bool](repeating: false, count: nodes.count)
    for child in children.joined() where child < nodes.count { isChild[child] = true }
    var transforms = [Transform?](repeating: nil, count: nodes.count)
    var open = nodes.indices.filter { !isChild[$0] }.map { ($0, Transform.identity) }
    while let (index, parent) = open.popLast() {
      guard transforms[index] == nil else { continue }
      let transform = parent * (try localTransform(of: nodes[index], "nodes[\(index)]"))
      transforms[index] = transform
      open += children[index].filter { $0 < nodes.count }.map { ($0, transform) }
    }
    return transforms
  }
}
