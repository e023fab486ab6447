package import MeshPipeline

/// Where and how the outputs of a batch are sent.
package struct UploadOrder: Sendable, Equatable {
  /// Sends the files of an item's outputs, the main file of each first.
  package typealias Sender =
    @Sendable (_ order: UploadOrder, _ outputs: [[String]], _ cancellation: Cancellation) throws ->
    Void

  /// The settings, which have a URL: that of the folder that stands for ``root``.
  package let settings: RunSettings
  /// The output folder of the batch.
  package let root: String

  /// - Returns: Nil if nothing is sent.
  init?(_ work: BatchWork) {
    guard work.run.upload != nil else { return nil }
    settings = work.run
    root = work.outputFolder
  }
}
