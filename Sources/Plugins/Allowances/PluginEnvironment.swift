import MeshPipeline

/// The environment variables that programs of plugins may see beside those that every program needs: such as
/// the address of a licence server.
///
/// A plugin gets one that its manifest asks for and that the user allows by its name.
public enum PluginEnvironment {
  /// What a plugin gets of what it asks for: `NAME=VALUE`.
  static func values(of names: [String]) -> [String] {
    names.filter(Allowance.environment.contains).compactMap { name in
      FileSystem.environment(name).map { "\(name)=\($0)" }
    }
  }

  /// Whether a plugin may ask for a variable of this name: one that changes how programs are loaded is none of
  /// its business.
  public static func isName(_ name: String) -> Bool {
    let isPlain =
      !name.isEmpty && name.first?.isNumber == false
      && name.unicodeScalars.allSatisfy {
        ("A"..."Z").contains($0) || ("a"..."z").contains($0) || ("0"..."9").contains($0)
          || $0 == "_"
      }
    return isPlain && !["LD_", "DYLD_", "MESHPIPE_"].contains { name.hasPrefix($0) }
  }
}
