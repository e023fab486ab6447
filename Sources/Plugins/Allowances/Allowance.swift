import MeshPipeline
import POSIX

/// What the user allows by name, for one call with an option or permanently in an environment
/// variable.
///
/// Nothing in a manifest or a pipeline file can grant a permission.
package struct Allowance: Sendable {
  /// The variable with the names, separated by commas; workers of a batch inherit it.
  let variable: String

  /// The environment variables passed to plugins that ask for them.
  package static let environment = Allowance(variable: "MESHPIPE_PLUGIN_ENVIRONMENT")
  /// The plugins that may use the network if they ask for it.
  package static let network = Allowance(variable: "MESHPIPE_PLUGIN_NETWORK")
  /// The plugins that may read the files and folders that they ask for.
  package static let reading = Allowance(variable: "MESHPIPE_PLUGIN_READING")

  private var names: [String] {
    (FileSystem.environment(variable) ?? "").split(separator: ",").map(String.init)
  }

  /// Whether the user allows this name.
  package func contains(_ name: String) -> Bool { names.contains(name) }

  /// Allows further names, in this process and its children.
  ///
  /// Call it while the process is single-threaded.
  package func add(_ more: [String]) {
    let known = names
    let new = more.filter { !known.contains($0) }
    guard !new.isEmpty else { return }
    _ = unsafe setenv(variable, (known + new).joined(separator: ","), 1)
  }
}
