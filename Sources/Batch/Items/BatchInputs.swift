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
    // Standard input can be read only once.
    let lists = try options.listFiles.map(InputList.paths)
    let listing = try list(arguments, lists: lists, options: options, cancellation: cancellation)
    guard listing.items.isEmpty else { return listing }
    let named = (arguments + options.listFiles.map { "@\($0)" }).joined(separator: ", ")
    var all = options
    (all.include, all.exclude) = ([], [])
    let count = try list(arguments, lists: lists, options: all, cancellation: cancellation).items
      .count
    throw BatchItem.Fault(
      exitCode: .noInput,
      message: count == 0
        ? "there is no scan in \(named.isEmpty ? "the arguments: none was given" : named)"
        : "none of the \(NumberText.grouped(count)) scans in \(named) matches \(patterns)")
  }

  /// The patterns as they are given.
  private var patterns: String {
    (options.include.map { "--include '\($0)'" } + options.exclude.map { "--exclude '\($0)'" })
      .joined(separator: " ")
  }

  private func list(
    _ arguments: [String], lists: [[String]], options: Options, cancellation: Cancellation
  ) throws -> BatchListing {
    var builder = ListingBuilder(kinds: kinds, options: options, cancellation: cancellation)
    for argument in arguments { try add(argument, to: &builder) }
    for list in lists { try builder.add(listed: list) }
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
