package import MeshPipeline

/// A build file for make or ninja that keeps the outputs of a batch up to date, one rule per item.
package struct BuildFile {
  package enum Tool: String, Sendable, CaseIterable {
    case make, ninja
  }

  /// An item and its outputs.
  package struct Rule: Sendable {
    package var item: BatchItem
    /// The value of `-o` for 'run': a file, or a folder.
    package var target: String
    /// The first output file, whose time the build tool checks.
    package var output: String

    package init(item: BatchItem, target: String, output: String) {
      self.item = item
      self.target = target
      self.output = output
    }
  }

  private let tool: Tool
  private let rules: [(rule: Rule, input: String)]
  /// The arguments of 'run' besides input and output: the pipeline first, if there is a pipeline
  /// file.
  private let arguments: [String]
  private let pipeline: String?

  /// - Parameters:
  ///   - pipeline: The pipeline's file; nil if its stages are among the arguments.
  ///   - arguments: The options of 'run', without input and output.
  /// - Throws: ``UnbuildableItem`` for an item in an archive, or with a name that the tool can't
  ///   express.
  package init(
    for tool: Tool, _ rules: [Rule], pipeline: String?, arguments: [String]
  ) throws {
    self.tool = tool
    self.pipeline = pipeline
    self.arguments = arguments
    self.rules = try rules.map { rule in
      guard case .disk(let input) = rule.item.origin else {
        throw UnbuildableItem(
          message:
            "\(rule.item.name): \(tool.rawValue) can't build from archives; unpack it, or use "
            + "'meshpipe batch'")
      }
      if let fault = rule.item.fault { throw fault }
      return (rule, input)
    }
    var makers: [String: String] = [:]
    for (rule, input) in self.rules {
      if let other = makers.updateValue(input, forKey: rule.output) {
        throw UnbuildableItem(
          message: "\(other) and \(input) would both become \(rule.output); distinguish them with "
            + "{folder} or {ext} in '-o'")
      }
    }
  }

  /// The text of the file.
  package func text() throws -> String {
    switch tool {
    case .make: try makefile()
    case .ninja: try ninjaFile()
    }
  }

  private var call: String {
    ShellText.line(["run"] + (pipeline.map { [$0] } ?? []) + arguments)
  }

  // MARK: make

  private func makefile() throws -> String {
    var text = """
      # Written by 'meshpipe batch --emit make'; regenerate it when scans are added or removed.
      MESHPIPE = meshpipe
      RUN = $(MESHPIPE) \(call.replacing("$", with: "$$")) --if-changed --touch --quiet -MD

      .PHONY: all
      all:

      """
    var includes = ""
    for (rule, input) in rules {
      let dependencies = Self.dependencyFile(of: rule.output)
      let output = try makeName(rule.output)
      let sources = try ([input] + (pipeline.map { [$0] } ?? [])).map(makeName)
      let words = [input, "-o", rule.target, "-MF", dependencies]
      text += "\nall: \(output)\n\(output): \(sources.joined(separator: " "))\n"
      text += "\t$(RUN) \(ShellText.line(words).replacing("$", with: "$$"))\n"
      includes += "-include \(try makeName(dependencies))\n"
    }
    return text + "\n" + includes
  }

  /// `models/.room.glb.d` for `models/room.glb`.
  private static func dependencyFile(of output: String) -> String {
    "\(FileSystem.folder(of: output))/.\(FileSystem.name(of: output)).d"
  }

  private func makeName(_ path: String) throws -> String {
    // Make interprets these as patterns in names.
    guard !path.contains(where: { "%*?[]~\\=|&".contains($0) }) else { throw unwritable(path) }
    do { return try DependencyFile.escaped(path) } catch { throw unwritable(path) }
  }

  // MARK: ninja

  private func ninjaFile() throws -> String {
    var text = """
      # Written by 'meshpipe batch --emit ninja'; regenerate it when scans are added or removed.
      ninja_required_version = 1.5
      meshpipe = meshpipe

      rule run
        command = $meshpipe \(call.replacing("$", with: "$$")) $in -o $target --if-changed --quiet -MD -MF $out.d
        depfile = $out.d
        deps = gcc
        restat = 1

      """
    for (rule, input) in rules {
      let sources = try pipeline.map { " | \(try ninjaName($0))" } ?? ""
      text += "\nbuild \(try ninjaName(rule.output)): run \(try ninjaName(input))\(sources)\n"
      text += "  target = \(ShellText.quoted(rule.target).replacing("$", with: "$$"))\n"
    }
    return text
  }

  private func ninjaName(_ path: String) throws -> String {
    guard !path.contains(where: { $0.isNewline || $0 == "|" }) else { throw unwritable(path) }
    return path.replacing("$", with: "$$").replacing(" ", with: "$ ").replacing(":", with: "$:")
  }

  private func unwritable(_ path: String) -> UnbuildableItem {
    UnbuildableItem(
      message: "\(path): \(tool.rawValue) can't express this name; rename the file"
        + (tool == .make ? ", or use --emit ninja" : ""))
  }
}

/// An item that make or ninja can't build.
package struct UnbuildableItem: UserError, Equatable {
  package var message: String
  package var exitCode: ExitCode { .usage }
}
