import MeshPipeline

/// The details of all frames' pictures, at one scale at a time.
///
/// Finding poses ends at the scale at which they are judged and what they leave is searched: pictures of
/// it are made once, since that takes as long as a search in them.
struct DetailPictures {
  private let sources: [PoseRefiner.Source]
  private var factor = 0
  private var pictures: [DetailPicture] = []

  init(of sources: [PoseRefiner.Source]) { self.sources = sources }

  /// - Parameter factor: How many pixels of the grey pictures, in each direction, become one.
  mutating func reduced(by factor: Int) -> [DetailPicture] {
    guard factor != self.factor else { return pictures }
    // Those of the scale before make room first.
    pictures = []
    self.factor = factor
    pictures = Parallel.map(count: sources.count) { [sources] index in
      DetailPicture(
        sources[index].grey, reducedBy: factor, imageSize: sources[index].frame.imageSize)
    }
    return pictures
  }

  /// Pictures of about a width.
  mutating func ofWidth(_ width: Int) -> [DetailPicture] {
    reduced(by: max(1, (PoseRefiner.width(sources) + width / 2) / width))
  }
}
