import MeshPipeline

/// The details of all frames' images, at one scale at a time.
///
/// Poses are found last at the scale at which they are judged and their remaining errors are
/// searched: images of that scale are made once, since that takes as long as a search in them.
struct DetailPictures {
  private let sources: [PoseRefiner.Source]
  private var factor = 0
  private var pictures: [DetailPicture] = []

  init(of sources: [PoseRefiner.Source]) { self.sources = sources }

  /// - Parameter factor: The number of pixels of the grey images, in each direction, that become
  ///   one.
  mutating func reduced(by factor: Int) -> [DetailPicture] {
    guard factor != self.factor else { return pictures }
    // Images of the previous scale are released first.
    pictures = []
    self.factor = factor
    pictures = Parallel.map(count: sources.count) { [sources] index in
      DetailPicture(
        sources[index].grey, reducedBy: factor, imageSize: sources[index].frame.imageSize)
    }
    return pictures
  }

  /// Images of approximately a width.
  mutating func ofWidth(_ width: Int) -> [DetailPicture] {
    reduced(by: max(1, (PoseRefiner.width(sources) + width / 2) / width))
  }
}
