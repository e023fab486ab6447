import MeshPipeline

/// The objects of an OBJ file (`o`), which number their vertices in common.
struct OBJObjects {
  /// Of each object that has faces, in the order of first use.
  private var names: [String] = []
  /// The object of each face.
  private var objectOfFace: [UInt32] = []

  /// Beyond this number they are damage, or parts that mean nothing.
  private static let most = 10_000

  /// - Parameter runs: First face and name of each run, in order; later runs with the same name go on with it.
  /// - Returns: Nil if there are not two.
  init?(_ runs: [(firstFace: Int, name: String)], faces: Int) {
    guard runs.count > 1 || runs.first.map({ $0.firstFace > 0 }) == true else { return nil }
    var numbers: [String: UInt32] = [:]
    objectOfFace.reserveCapacity(faces)
    let ends = runs.dropFirst().map(\.firstFace) + [faces]
    // Faces before the first object have no name.
    let spans = [("", runs[0].firstFace)] + zip(runs.map(\.name), ends)
    for (name, end) in spans where end > objectOfFace.count {
      let number = numbers[name] ?? UInt32(names.count)
      if numbers.updateValue(number, forKey: name) == nil { names.append(name) }
      objectOfFace += repeatElement(number, count: end - objectOfFace.count)
    }
    if names.count < 2 { return nil }
  }

  /// The number of objects.
  var count: Int { names.count }

  /// Whether they can be meshes: not if they share vertices, since taking them apart would tear the surface, or are
  /// too many.
  func areApart(in whole: Mesh) -> Bool {
    guard count <= Self.most else { return false }
    var objectOfVertex = [UInt32](repeating: .max, count: whole.vertexCount)
    for (corner, vertex) in whole.indices.enumerated() {
      let object = objectOfFace[corner / 3]
      let known = objectOfVertex[Int(vertex)]
      guard known == object || known == .max else { return false }
      objectOfVertex[Int(vertex)] = object
    }
    return true
  }

  /// A mesh for each object.
  ///
  /// - Parameter whole: All of them, whose name stands in for one without.
  func meshes(of whole: consuming Mesh) -> [Mesh] {
    let name = whole.name
    var meshes = whole.partitioned(by: objectOfFace, count: count)
    for index in meshes.indices { meshes[index].name = names[index].isEmpty ? name : names[index] }
    return meshes
  }
}
