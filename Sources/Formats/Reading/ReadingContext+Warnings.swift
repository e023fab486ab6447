import MeshPipeline

extension ReadingContext {
  /// Warns about vertices with infinite or NaN coordinates.
  func warnOfBrokenNumbers(_ positions: [Vector3], in path: String) {
    let count = positions.reduce(0) { $0 + ($1.isFinite ? 0 : 1) }
    guard count > 0 else { return }
    stage.warn(
      "\(FileSystem.name(of: path)): vertices are not finite (\(count)); 'clean' removes them")
  }
}
