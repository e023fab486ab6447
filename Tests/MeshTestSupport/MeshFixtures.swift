import MeshPipeline

/// Tiny named meshes whose properties are known by reasoning.
package enum MeshFixtures {
  /// A flat grid in the XZ plane, Y up, one unit per cell: `2 * columns * rows` faces.
  package static func grid(columns: Int, rows: Int) -> Mesh {
    var mesh = Mesh(name: "grid")
    for z in 0...rows {
      for x in 0...columns { mesh.positions.append(Vector3(Float(x), 0, Float(z))) }
    }
    let width = UInt32(columns + 1)
    for z in 0..<UInt32(rows) {
      for x in 0..<UInt32(columns) {
        let a = z * width + x
        mesh.indices += [a, a + width, a + 1, a + 1, a + width, a + width + 1]
      }
    }
    return mesh
  }

  /// The unit cube from (0, 0, 0) to (1, 1, 1), closed, 8 vertices and 12 faces, wound outwards.
  package static var cube: Mesh {
    var mesh = Mesh(name: "cube")
    for corner in 0..<8 {
      mesh.positions.append(
        Vector3(Float(corner & 1), Float(corner >> 1 & 1), Float(corner >> 2 & 1)))
    }
    let quads: [[UInt32]] = [
      [0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5],
    ]
    for quad in quads {
      mesh.indices += [quad[0], quad[1], quad[2], quad[0], quad[2], quad[3]]
    }
    return mesh
  }
}

extension MeshFixtures {
  /// The text of an OBJ file with all its vertices moved along Y.
  package static func raised(_ obj: String, by distance: Double) -> String {
    let lines = obj.split(separator: "\n").map { line -> String in
      let words = line.split(separator: " ")
      guard words.first == "v", let height = Double(words[2]) else { return String(line) }
      return "v \(words[1]) \(height + distance) \(words[3])"
    }
    return lines.joined(separator: "\n") + "\n"
  }
}
