import MeshPipeline
import Synchronization

/// The temporary files of this call under the names that the user gave: archives, and `standard
/// input`.
///
/// Messages, reports, plans and tables are written with these names, at the place where they leave
/// the process and nowhere else.
enum PrivateInputs {
  private static let paths = Mutex(ShownPaths())

  /// Shows a file, or everything in a folder, under a name.
  static func show(_ path: String, as name: String) {
    paths.withLock { $0.show(path, as: name) }
  }

  /// The names so far.
  static var shown: ShownPaths { paths.withLock(\.self) }
}
