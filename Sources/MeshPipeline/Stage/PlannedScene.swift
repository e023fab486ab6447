import MeshpipeScene

/// What a plan knows of the scene that a stage will get.
public struct PlannedScene: Sendable {
  /// The number of its faces.
  public var faceCount: Int
  /// The number of its frames.
  public var frameCount: Int
  /// The pixels of its largest frame.
  public var framePixelCount: Int

  /// Creates one of its counts.
  package init(faceCount: Int, frameCount: Int, framePixelCount: Int) {
    self.faceCount = faceCount
    self.frameCount = frameCount
    self.framePixelCount = framePixelCount
  }

  init(_ scene: Scene) {
    let frames = scene.capture?.frames ?? []
    self.init(
      faceCount: scene.faceCount, frameCount: frames.count,
      framePixelCount: frames.map { $0.imageSize.x * $0.imageSize.y }.max() ?? 0)
  }
}
