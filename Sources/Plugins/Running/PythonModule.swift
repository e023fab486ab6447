import MeshPipeline

extension PluginSearch {
  /// The folder of the bundled Python module; nil if it does not exist.
  package static var pythonModule: String? { PythonModule.folder }
}

/// The bundled Python module `meshpipe`, so that plugins need no installation of it.
enum PythonModule {
  /// The variable that lets Python find it, after the user's own; nil if it does not exist.
  static var variable: String? {
    guard let folder else { return nil }
    let users = FileSystem.environment("PYTHONPATH") ?? ""
    return "PYTHONPATH=" + (users.isEmpty ? folder : "\(users):\(folder)")
  }

  /// The folder with the module.
  static var folder: String? {
    CompanionFile(
      installed: "share/meshpipe/python", inCheckout: "bindings/python",
      content: "/meshpipe/__init__.py"
    ).path
  }
}
