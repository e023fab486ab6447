import MeshPipeline

/// A file or folder shipped with the program: in an installation, or in the checkout of the build.
struct CompanionFile {
  /// Its path in an installation, relative to the prefix.
  var installed: String
  /// Its path in the checkout.
  var inCheckout: String
  /// A file that it must contain, if it is a folder.
  var content = ""

  /// Its path; nil if it does not exist.
  var path: String? {
    var candidates: [String] = []
    if let prefix = PluginSearch.prefix(of: FileSystem.ownExecutable) {
      candidates.append("\(prefix)/\(installed)")
    }
    if let path = FileSystem.ownExecutable.flatMap({ FileSystem.canonicalPath(of: $0) }),
      let build = path.firstRange(of: "/.build/")
    {
      candidates.append("\(path[..<build.lowerBound])/\(inCheckout)")
    }
    return candidates.first { FileSystem.isReadable($0 + content) }
  }
}
