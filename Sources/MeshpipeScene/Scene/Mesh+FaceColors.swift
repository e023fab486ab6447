extension Mesh {
  /// Colours of the vertices: where faces have colours, the mean of those around; nil without colours.
  package var vertexColors: [Color]? {
    guard let faceColors else { return colors }
    var sums = [SIMD4<Float>](repeating: .zero, count: vertexCount)
    var counts = [Float](repeating: 0, count: vertexCount)
    for (corner, vertex) in indices.enumerated() {
      sums[Int(vertex)] += faceColors[corner / 3].terms
      counts[Int(vertex)] += 1
    }
    return sums.indices.map { vertex in
      let own = colors?[vertex] ?? .white
      return counts[vertex] > 0
        ? Color(sum: sums[vertex], weight: counts[vertex], fallback: own) : own
    }
  }

  /// Colours of the faces: their own, or the mean of their vertices'; nil without colours.
  package var meanFaceColors: [Color]? {
    if let faceColors { return faceColors }
    guard let colors else { return nil }
    return (0..<faceCount).map { face in
      let (a, b, c) = vertices(ofFace: face)
      let sum = colors[Int(a)].terms + colors[Int(b)].terms + colors[Int(c)].terms
      return Color(sum: sum, weight: 3, fallback: colors[Int(a)])
    }
  }

  /// The same surface with its colours on vertices alone: a vertex between faces of different colours becomes several.
  ///
  /// Only for what can't hold colours of faces, since the parts of a split mesh are no longer joined. Vertices keep
  /// their order; new ones follow.
  /// - Complexity: O(vertices + faces)
  package func splitAtFaceColors() -> Mesh {
    guard let faceColors else { return self }
    var result = self
    result.faceColors = nil
    var split = ColorSplit(vertexCount: vertexCount)
    for corner in indices.indices {
      result.indices[corner] = split.vertex(
        for: indices[corner], colored: faceColors[corner / 3])
    }
    result.positions += split.sources.map { positions[$0] }
    result.apply(RepeatedElements(split.sources), to: .vertex)
    result.colors = split.colors
    return result
  }

  /// Whether the colours of faces are parts of the surface and not another one for every few faces, so that the lines
  /// between them mean something.
  package var hasColorRegions: Bool {
    guard let faceColors else { return false }
    var first = [Int32](repeating: -1, count: vertexCount)
    var isBorder = [Bool](repeating: false, count: vertexCount)
    for (corner, vertex) in indices.enumerated() {
      let face = corner / 3
      if first[Int(vertex)] < 0 {
        first[Int(vertex)] = Int32(truncatingIfNeeded: face)
      } else if faceColors[Int(first[Int(vertex)])] != faceColors[face] {
        isBorder[Int(vertex)] = true
      }
    }
    return 3 * isBorder.count(where: \.self) < first.count(where: { $0 >= 0 })
  }

  /// Replaces all colours, of vertices and of faces.
  package mutating func paint(_ colors: [Color]?) {
    self.colors = colors
    faceColors = nil
  }
}

/// Numbers vertices by their colour.
private struct ColorSplit {
  /// Of each vertex, new ones last.
  private(set) var colors: [Color]
  /// The vertices that the new ones are copies of.
  private(set) var sources: [Int] = []
  private var isColored: [Bool]
  /// The next copy of the same vertex.
  private var next: [UInt32]

  /// Copies beyond this are no longer compared, which would take long where very many faces meet.
  private static let mostCompared = 64

  init(vertexCount: Int) {
    colors = [Color](repeating: .white, count: vertexCount)
    isColored = [Bool](repeating: false, count: vertexCount)
    next = [UInt32](repeating: .max, count: vertexCount)
  }

  mutating func vertex(for vertex: UInt32, colored color: Color) -> UInt32 {
    if !isColored[Int(vertex)] {
      isColored[Int(vertex)] = true
      colors[Int(vertex)] = color
      return vertex
    }
    var candidate = vertex
    var compared = 0
    while compared < Self.mostCompared {
      if colors[Int(candidate)] == color { return candidate }
      guard next[Int(candidate)] != .max else { break }
      candidate = next[Int(candidate)]
      compared += 1
    }
    let copy = UInt32(truncatingIfNeeded: colors.count)
    colors.append(color)
    sources.append(Int(vertex))
    // The latest copy comes first: neighbours in the file often have the same colour.
    next.append(next[Int(vertex)])
    next[Int(vertex)] = copy
    return copy
  }
}

extension Scene {
  /// The same with the colours of all meshes on vertices; see ``Mesh/splitAtFaceColors()``.
  package func splitAtFaceColors() -> Scene {
    guard meshes.contains(where: { $0.faceColors != nil }) else { return self }
    var scene = self
    scene.meshes = meshes.map { $0.splitAtFaceColors() }
    return scene
  }
}
