import MeshpipeKit
import ReportPage

extension ReportPage {
  /// Whether a path is that of a page.
  static func isPath(_ path: String) -> Bool { ["html", "htm"].contains(fileExtension(of: path)) }

  /// Makes a page with what the options say of pages, and shows warnings.
  init(_ runs: [ReportedRun], title: String, _ invocation: Invocation) throws {
    try self.init(
      runs, title: title, faces: invocation.integer(of: .reportFaces) ?? Self.usualFaces,
      shown: PrivateInputs.shown, cancellation: Signals.cancellation
    ) { Messages.warn("page: \($0)") }
  }

  /// Writes the page as an output of a transaction, which is still to be committed.
  func write(to path: String, in transaction: OutputTransaction) throws {
    let output = try transaction.begin(path)
    let file = try FileWriter(creating: output.mainPath)
    try file.write(html)
    try file.finish()
    try transaction.seal(output)
  }
}
