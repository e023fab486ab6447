/// What a grid costs, beyond which its stage takes wider cells, or refuses those that it was asked for.
///
/// It counts steps, and neither seconds nor free memory, so that every machine makes the same surface.
package struct GridWork: Sendable, Equatable {
  package var steps: Double
  package var bytes: Int

  package init(steps: Double, bytes: Int) {
    self.steps = steps
    self.bytes = bytes
  }

  /// For cells whose size the stage chooses: seconds.
  package static let mostChosen = 1.8e7
  /// For cells of a size that was asked for: minutes.
  package static let mostAsked = 1e9
}
