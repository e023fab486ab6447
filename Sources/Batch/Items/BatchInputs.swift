package import MeshPipeline

/// Makes a list of items from the user's arguments.
package struct BatchInputs: Sendable {
  /// The filters and limits of the list.
  package struct Options: Sendable {
    /// Patterns of which a scan's path must match one; empty for all scans.
    package var include: [String] = []
    /// Patterns of which neither a scan's path nor a parent folder may match any.
    package var exclude: [String] = []
    /// Files with paths, one per line or zero-terminated; `-` is standard input.
    package var listFiles: [String] = []
    /// Folders to skip inside other folders: those of the outputs.
    package var ignoredFolders: [String] = []
    package var limits = ItemLimits()
    /// The folder for temporarily unpacked nested archives.
    package var temporaryFolder = FileSystem.temporaryFolder

    package init() {}
  }

  private let kinds: ScanKinds
  private let options: Options

  /// - Parameter environment: Its readers determine what a mesh is, its layouts what a capture is.
  package init(in environment: PipelineEnvironment, options: Options = Options()) {
    kinds = ScanKinds(formats: environment.formats, captures: environment.captures)
    self.options = options
  }

  /// Finds the items.
  ///
  /// - Parameter arguments: Files, folders, archives, patterns, and `@` before the path of a list.
  /// - Throws: A ``UserError`` if an argument is missing, or if there is no item at all.
  package func list(
    _ arguments: [String], cancellation: Cancellation = Cancellation()
  ) throws -> BatchListing {
    var builder = ListingBuilder(kinds: kinds, options: options, cancellation: cancellation)
    for argument in arguments { try add(argument, to: &builder) }
    for file in options.listFiles { try builder.add(listed: InputList.paths(in: file)) }
    guard !builder.listing.items.isEmpty else {
      let named = (arguments + options.listFiles.map { "@\($0)" }).joined(separator: ", ")
      throw BatchItem.Fault(
        exitCode: .noInput,
        message: "there is no scan in \(named.isEmpty ? "the arguments: none was given" : named)")
    }
    return builder.listing
  }

  private func add(_ argument: String, to builder: inout ListingBuilder) throws {
    if try FileSystem.status(of: argument) != nil {
      try builder.add(named: argument)
    } else if argument.hasPrefix("@") {
      try builder.add(listed: InputList.paths(in: String(argument.dropFirst())))
    } else if GlobPattern.isPattern(argument) {
      let paths = GlobPattern.expand(argument)
      if paths.isEmpty {
        throw BatchItem.Fault(
          exitCode: .noInput, message: "\(argument): no file or folder matches the pattern")
      }
      for path in paths { try builder.add(found: path) }
    } else {
      throw FileError(.read, argument, code: FileError.noSuchFile)
    }
  }
}
