import MeshpipeScene

/// The details of all frames' images, at one scale at a time.
///
/// Poses are found last at the scale at which they are judged and their remaining errors are
/// searched: images of that scale are made once, since that takes as long as a search in them.
struct BandPassImages {
  private let sources: [PoseRefiner.Source]
  private var factor = 0
  private var images: [BandPassImage] = []

  init(of sources: [PoseRefiner.Source]) { self.sources = sources }

  /// - Parameter factor: The number of pixels of the grayscale images, in each direction, that become
  ///   one.
  mutating func reduced(by factor: Int) -> [BandPassImage] {
    guard factor != self.factor else { return images }
    // Images of the previous scale are released first.
    images = []
    self.factor = factor
    images = Parallel.map(count: sources.count) { [sources] index in
      BandPassImage(
        sources[index].grayscale, reducedBy: factor, imageSize: sources[index].frame.imageSize)
    }
    return images
  }

  /// Images of approximately a width.
  mutating func ofWidth(_ width: Int) -> [BandPassImage] {
    reduced(by: max(1, (PoseRefiner.width(sources) + width / 2) / width))
  }
}
