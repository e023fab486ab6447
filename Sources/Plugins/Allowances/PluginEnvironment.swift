import MeshPipeline

/// The environment variables that programs of plugins may get beyond those that every program
/// needs, such as the address of a licence server.
///
/// A plugin gets one that its manifest asks for and that the user allows by name.
package enum PluginEnvironment {
  /// The requested variables that are allowed: `NAME=VALUE`.
  static func values(of names: [String], _ allowances: PluginAllowances) -> [String] {
    names.filter(allowances.variables.contains).compactMap { name in
      FileSystem.environment(name).map { "\(name)=\($0)" }
    }
  }

  /// Whether a plugin may ask for a variable; those that change how programs are loaded are
  /// excluded.
  package static func isName(_ name: String) -> Bool {
    let isPlain =
      !name.isEmpty && name.first?.isNumber == false
      && name.unicodeScalars.allSatisfy {
        ("A"..."Z").contains($0) || ("a"..."z").contains($0) || ("0"..."9").contains($0)
          || $0 == "_"
      }
    return isPlain && !["LD_", "DYLD_", "MESHPIPE_"].contains { name.hasPrefix($0) }
  }
}
