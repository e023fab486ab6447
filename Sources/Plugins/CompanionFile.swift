import MeshPipeline

/// A file or folder that came with the program: of an installation, or of the checkout that the program was
/// built in.
struct CompanionFile {
  /// Where `make install` puts it, from the prefix.
  var installed: String
  /// Where it is in the checkout.
  var inCheckout: String
  /// What has to be in it, when it is a folder.
  var content = ""

  /// Its path; nil where it is not.
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
