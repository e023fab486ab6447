extension Vector2 {
  /// Texture coordinates beyond this are taken for damaged: single precision has no place in a picture left there.
  @inlinable package static var largestPlace: Float { 1e6 }

  /// Whether it can be a texture coordinate.
  @inlinable package var isPlaceInTexture: Bool {
    x.magnitude <= Self.largestPlace && y.magnitude <= Self.largestPlace
  }

  /// The same with 0 in place of what can't be a texture coordinate.
  package var placeInTexture: Vector2 {
    Vector2(
      x.magnitude <= Self.largestPlace ? x : 0, y.magnitude <= Self.largestPlace ? y : 0)
  }
}

extension Mesh {
  /// Replaces texture coordinates that are not finite, or beyond any picture, by 0.
  ///
  /// - Returns: The number of their corners, and the first of these.
  package mutating func mendTextureCoordinates() -> (count: Int, first: Int) {
    var found = (count: 0, first: Int.max)
    for path in [\Mesh.textureCoordinates, \Mesh.secondTextureCoordinates] {
      guard let places = self[keyPath: path] else { continue }
      let broken = Parallel.mapChunks(of: places.count) { range in
        range.filter { !places[$0].isPlaceInTexture }
      }.joined()
      for corner in broken {
        found.first = min(found.first, corner)
        found.count += 1
        self[keyPath: path]?[corner] = places[corner].placeInTexture
      }
    }
    return found
  }
}
