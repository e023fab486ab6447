import MeshPipeline

extension GLTFReader {
  /// The transforms of the copies of a node's mesh (`EXT_mesh_gpu_instancing`); nil for a node without them.
  func instances(of node: JSONValue, _ place: String) throws -> [Transform]? {
    guard let attributes = node["extensions"]?["EXT_mesh_gpu_instancing"]?["attributes"] else {
      return nil
    }
    func values(_ name: String, _ shape: String) throws -> [SIMD4<Float>]? {
      guard let index = try integer(attributes[name], place) else { return nil }
      return try self.values(index, shapes: [shape]) { $0 }
    }
    let translations = try values("TRANSLATION", "VEC3")
    let rotations = try values("ROTATION", "VEC4")
    let scales = try values("SCALE", "VEC3")
    let counts = [translations, rotations, scales].compactMap { $0?.count }
    guard let count = counts.first else { return nil }
    guard counts.allSatisfy({ $0 == count }) else {
      throw fault(
        place, "its instances have \(counts.map(String.init).joined(separator: " and ")) values")
    }
    func numbers(_ value: SIMD4<Float>) -> SIMD3<Double> {
      SIMD3(Double(value.x), Double(value.y), Double(value.z))
    }
    return (0..<count).map { instance in
      Transform(
        scale: scales.map { numbers($0[instance]) },
        rotation: rotations.map { SIMD4<Double>($0[instance]) },
        translation: translations.map { numbers($0[instance]) })
    }
  }
}
