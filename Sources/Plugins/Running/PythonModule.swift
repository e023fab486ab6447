import MeshPipeline

/// The Python module `meshpipe` that came with the program, so that plugins need no installation of it.
enum PythonModule {
  /// The variable that lets Python find it, behind what the user has; nil where it is not.
  static var variable: String? {
    guard let folder else { return nil }
    let users = FileSystem.environment("PYTHONPATH") ?? ""
    return "PYTHONPATH=" + (users.isEmpty ? folder : "\(users):\(folder)")
  }

  /// The folder with the module: of an installation, or of the checkout that the program was built in.
  static var folder: String? {
    var candidates: [String] = []
    if let prefix = PluginSearch.prefix(of: FileSystem.ownExecutable) {
      candidates.append("\(prefix)/share/meshpipe/python")
    }
    if let path = FileSystem.ownExecutable.flatMap({ FileSystem.canonicalPath(of: $0) }),
      let build = path.firstRange(of: "/.build/")
    {
      candidates.append("\(path[..<build.lowerBound])/bindings/python")
    }
    return candidates.first { FileSystem.isReadable("\($0)/meshpipe/__init__.py") }
  }
}
