import Foundation
import MeshPipeline
import Testing

/// Expects a page that comes from declarations to be current; `make docs` writes it instead.
///
/// A test of such a page has `Documentation` in its name or its suite's, which is how `make docs`
/// finds it.
///
/// - Parameters:
///   - path: The page, relative to the root: `docs/stages.md`.
///   - text: What it has to hold.
package func expectGeneratedPage(
  _ path: String, holds text: String, sourceLocation: SourceLocation = #_sourceLocation
) throws {
  if ProcessInfo.processInfo.environment["MESHPIPE_UPDATE_DOCS"] == "1" {
    try FileManager.default.createDirectory(
      atPath: Checkout.path(FileSystem.folder(of: path)), withIntermediateDirectories: true)
    try text.write(toFile: Checkout.path(path), atomically: true, encoding: .utf8)
    return
  }
  let written = (try? Checkout.text(path)) ?? ""
  guard written != text else { return }
  let (old, new) = (
    written.split(separator: "\n", omittingEmptySubsequences: false),
    text.split(separator: "\n", omittingEmptySubsequences: false)
  )
  let line = zip(old, new).prefix { $0 == $1 }.count
  Issue.record(
    """
    \(path) is out of date from line \(line + 1) on; run `make docs`
    is:        \(line < old.count ? String(old[line]) : "(nothing)")
    should be: \(line < new.count ? String(new[line]) : "(nothing)")
    """, sourceLocation: sourceLocation)
}
