import MeshPipeline

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// The plugins that may use the network.
///
/// A plugin may when its manifest asks for it and the user allows it by the plugin's name; nothing in a pipeline
/// file can.
public enum PluginNetwork {
  /// The variable with the names of plugins, with commas between; workers of a batch inherit it.
  static let variable = "MESHPIPE_PLUGIN_NETWORK"

  /// The plugins that the user allows it.
  public static var allowed: [String] {
    (FileSystem.environment(variable) ?? "").split(separator: ",").map(String.init)
  }

  static func allows(_ plugin: String) -> Bool { allowed.contains(plugin) }

  /// Allows it to more plugins, in this process and in those that it starts.
  ///
  /// Call it while there is no other thread.
  public static func allow(_ plugins: [String]) {
    let new = plugins.filter { !allowed.contains($0) }
    guard !new.isEmpty else { return }
    _ = unsafe setenv(variable, (allowed + new).joined(separator: ","), 1)
  }
}
