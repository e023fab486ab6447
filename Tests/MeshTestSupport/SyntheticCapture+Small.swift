extension SyntheticCapture {
  /// A capture for tests that bake or compare frames: few frames of few pixels.
  package static func small(
    _ change: (inout SyntheticCapture.Options) -> Void = { _ in }
  ) throws -> SyntheticCapture {
    try SyntheticCapture { options in
      // Small, because a debug build samples slowly.
      options.frameCount = 5
      options.size = SIMD2(96, 72)
      options.samples = 1
      options.depthSize = SIMD2(24, 18)
      options.cell = 1
      change(&options)
    }
  }
}
