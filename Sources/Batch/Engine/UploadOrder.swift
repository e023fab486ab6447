package import MeshPipeline

/// Where and how the outputs of a batch are sent.
package struct UploadOrder: Sendable, Equatable {
  /// Sends the files of an item's outputs, the main file of each first.
  package typealias Sender =
    @Sendable (_ order: UploadOrder, _ outputs: [[String]], _ cancellation: Cancellation) throws ->
    Void

  /// The URL of the folder that stands for ``root``.
  package var url: String
  /// The output folder of the batch.
  package var root: String
  /// The number of further tries for each file.
  package var retries: Int
  /// After how many seconds with hardly any bytes a try ends.
  package var stallSeconds: Int

  package init(url: String, root: String, retries: Int, stallSeconds: Int) {
    self.url = url
    self.root = root
    self.retries = retries
    self.stallSeconds = stallSeconds
  }

  // MARK: JSON

  /// Everything besides the URL.
  var options: JSONValue {
    ["root": root.json, "retries": retries.json, "stall": stallSeconds.json]
  }

  /// - Returns: Nil if there is no order.
  init?(url: JSONValue?, options: JSONValue?) {
    guard let url = url?.text, let root = options?["root"]?.text,
      let retries = options?["retries"]?.wholeNumber, let stall = options?["stall"]?.wholeNumber
    else { return nil }
    self.init(url: url, root: root, retries: retries, stallSeconds: stall)
  }
}
