package import MeshpipeScene

/// Grows a selection of faces by rings: each ring adds the faces that share a vertex with it.
///
/// - Parameters:
///   - chosen: One entry per face.
///   - count: The number of rings.
/// - Complexity: O(count · faces)
package func growing(_ chosen: [Bool], by count: Int, in mesh: Mesh) -> [Bool] {
  var chosen = chosen
  for _ in 0..<count {
    var touched = [Bool](repeating: false, count: mesh.vertexCount)
    for corner in mesh.indices.indices where chosen[corner / 3] {
      touched[Int(mesh.indices[corner])] = true
    }
    var changed = false
    for corner in mesh.indices.indices
    where !chosen[corner / 3] && touched[Int(mesh.indices[corner])] {
      chosen[corner / 3] = true
      changed = true
    }
    guard changed else { break }
  }
  return chosen
}

/// Shrinks a selection of faces by rings, from its borders with other faces; open borders stay.
package func shrinking(_ chosen: [Bool], by count: Int, in mesh: Mesh) -> [Bool] {
  growing(chosen.map { !$0 }, by: count, in: mesh).map { !$0 }
}
