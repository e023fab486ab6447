package import MeshPipeline

/// What is done with the outputs of an item once they are in place: they are signed and sent.
package struct ItemDelivery: Sendable, Equatable {
  /// Signs and sends the outputs of an item.
  package typealias Performer =
    @Sendable (
      _ delivery: ItemDelivery, _ outputs: [RunReport.OutputReport], _ cancellation: Cancellation
    ) throws -> Void

  /// The settings, whose URL is that of the folder that stands for ``root``.
  package let settings: RunSettings
  /// The output folder of the batch.
  package let root: String

  init(_ work: BatchWork) {
    settings = work.run
    root = work.outputFolder
  }
}
