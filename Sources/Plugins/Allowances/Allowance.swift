import MeshPipeline

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// What the user allows by name, for one call by an option or for good in an environment variable.
///
/// Nothing in a manifest or a pipeline file can allow anything.
public struct Allowance: Sendable {
  /// The variable with the names, with commas between; workers of a batch inherit it.
  let variable: String

  /// The environment variables that plugins which ask for them see.
  public static let environment = Allowance(variable: "MESHPIPE_PLUGIN_ENVIRONMENT")
  /// The plugins that use the network when they ask for it.
  public static let network = Allowance(variable: "MESHPIPE_PLUGIN_NETWORK")
  /// The plugins that read the files and folders that they ask for.
  public static let reading = Allowance(variable: "MESHPIPE_PLUGIN_READING")

  private var names: [String] {
    (FileSystem.environment(variable) ?? "").split(separator: ",").map(String.init)
  }

  /// Whether the user allows what has this name.
  public func contains(_ name: String) -> Bool { names.contains(name) }

  /// Allows more names, in this process and in those that it starts.
  ///
  /// Call it while there is no other thread.
  public func add(_ more: [String]) {
    let known = names
    let new = more.filter { !known.contains($0) }
    guard !new.isEmpty else { return }
    _ = unsafe setenv(variable, (known + new).joined(separator: ","), 1)
  }
}
