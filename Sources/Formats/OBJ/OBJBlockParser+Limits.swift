/// Looks for the line of a face that refers to nothing, when a block is parsed for the second time.
extension OBJBlockParser {
  /// Counts of positions, texture coordinates and normals.
  struct Limits {
    var before: SIMD3<Int>
    var total: SIMD3<Int>
  }

  /// Checks the corners of the last face against the counts of the whole file.
  func checkCorners(from first: Int, _ limits: Limits) throws(LineFault) {
    let parts = [
      (block.corners, 0, "vertex", "vertices"),
      (block.textureIndices, 1, "texture coordinate", "texture coordinates"),
      (block.normalIndices, 2, "normal", "normals"),
    ]
    for (indices, part, name, names) in parts {
      let relative = indices.relative.reversed().prefix { $0 >= first }
      for place in first..<max(first, indices.values.count) {
        let value = indices.values[place]
        if value == OBJIndices.missing { continue }
        let isRelative = relative.contains(place)
        let index = isRelative ? limits.before[part] + OBJIndices.offset(value) : Int(value)
        guard index >= 0, index < limits.total[part] else {
          throw fault(
            "the face refers to \(name) \(index + 1), but there are \(limits.total[part]) \(names)")
        }
      }
    }
  }
}
