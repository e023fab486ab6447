import Foundation

/// The checkout that the tests run from, and what lies around it.
package enum Checkout {
  /// The package's root folder, without a final slash.
  package static let root = URL(filePath: #filePath, directoryHint: .notDirectory)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .standardizedFileURL.path(percentEncoded: false).trimmingSuffix("/")

  /// The path of a file of the project.
  package static func path(_ relative: String) -> String { "\(root)/\(relative)" }

  /// The text of a file of the project.
  package static func text(_ relative: String) throws -> String {
    try String(contentsOfFile: path(relative), encoding: .utf8)
  }

  /// The sample scan that ships with the project.
  package static let sample = path("samples/living-room.obj")

  /// The room of the sample scan, as RoomPlan would have found it.
  package static let sampleRoom = path("samples/living-room.room.json")

  /// The path of a real scan or capture, which lie beside the checkout and are no part of it.
  ///
  /// - Returns: nil where there are none; a test then is not enabled. The environment variable
  ///   `MESHPIPE_SHARED` names another folder than `../shared`.
  package static func shared(_ relative: String) -> String? {
    let folder = ProcessInfo.processInfo.environment["MESHPIPE_SHARED"] ?? "\(root)/../shared"
    let path = "\(folder)/\(relative)"
    return FileManager.default.fileExists(atPath: path) ? path : nil
  }

  /// The files that git tracks, relative to the root; with those not yet added, without those ignored.
  package static func trackedFiles() throws -> [String] {
    let listing = try Program.run(
      "/usr/bin/env",
      [
        "git", "-C", root, "-c", "safe.directory=*", "ls-files", "-z", "--cached", "--others",
        "--exclude-standard",
      ])
    guard listing.status == 0 else { throw ProgramFailure(listing) }
    return listing.output.split(separator: "\0").map(String.init).filter {
      FileManager.default.fileExists(atPath: path($0))
    }
  }
}

extension String {
  fileprivate func trimmingSuffix(_ suffix: String) -> String {
    hasSuffix(suffix) ? String(dropLast(suffix.count)) : self
  }
}
