import MeshPipeline

extension PluginSearch {
  /// The folder with the Python module that came with the program; nil where it is not.
  public static var pythonModule: String? { PythonModule.folder }
}

/// The Python module `meshpipe` that came with the program, so that plugins need no installation of it.
enum PythonModule {
  /// The variable that lets Python find it, behind what the user has; nil where it is not.
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
