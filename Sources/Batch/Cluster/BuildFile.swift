public import MeshPipeline

/// A file for make or ninja that brings the outputs of a batch up to date, one rule for each item.
public struct BuildFile {
  public enum Tool: String, Sendable, CaseIterable {
    case make, ninja
  }

  /// An item and what is made of it.
  public struct Rule: Sendable {
    public var item: BatchItem
    /// What 'run' is told with `-o`: a file, or a folder.
    public var target: String
    /// The first of the files that it writes, by whose time the tool goes.
    public var output: String

    public init(item: BatchItem, target: String, output: String) {
      self.item = item
      self.target = target
      self.output = output
    }
  }

  private let tool: Tool
  private let rules: [(rule: Rule, input: String)]
  /// What 'run' gets besides input and output: the pipeline first, where there is a file of it.
  private let arguments: [String]
  private let pipeline: String?

  /// - Parameters:
  ///   - pipeline: The pipeline's file; nil when its stages are among the arguments.
  ///   - arguments: The options of 'run', without input and output.
  /// - Throws: ``UnbuildableItem`` for an item in an archive, or with a name that the tool has no way to write.
  public init(
    for tool: Tool, _ rules: [Rule], pipeline: String?, arguments: [String]
  ) throws {
    self.tool = tool
    self.pipeline = pipeline
    self.arguments = arguments
    self.rules = try rules.map { rule in
      guard case .disk(let input) = rule.item.origin else {
        throw UnbuildableItem(
          message:
            "\(rule.item.name): \(tool.rawValue) can't look into archives; unpack it, or let "
            + "'meshpipe batch' do the work")
      }
      if let fault = rule.item.fault { throw fault }
      return (rule, input)
    }
    var makers: [String: String] = [:]
    for (rule, input) in self.rules {
      if let other = makers.updateValue(input, forKey: rule.output) {
        throw UnbuildableItem(
          message: "\(other) and \(input) would both become \(rule.output); tell them apart with "
            + "{folder} or {ext} in '-o'")
      }
    }
  }

  /// The text of the file.
  public func text() throws -> String {
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
      # Written by 'meshpipe batch --emit make'; write it anew when scans come or go.
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

  /// `models/.room.glb.d` of `models/room.glb`.
  private static func dependencyFile(of output: String) -> String {
    "\(FileSystem.folder(of: output))/.\(FileSystem.name(of: output)).d"
  }

  private func makeName(_ path: String) throws -> String {
    // In the places of names make takes these for patterns.
    guard !path.contains(where: { "%*?[]~\\=|&".contains($0) }) else { throw unwritable(path) }
    do { return try DependencyFile.escaped(path) } catch { throw unwritable(path) }
  }

  // MARK: ninja

  private func ninjaFile() throws -> String {
    var text = """
      # Written by 'meshpipe batch --emit ninja'; write it anew when scans come or go.
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
      message: "\(path): \(tool.rawValue) has no way to write this name; rename the file"
        + (tool == .make ? ", or use --emit ninja" : ""))
  }
}

/// An item that make or ninja can't be told of.
public struct UnbuildableItem: UserError, Equatable {
  public var message: String
  public var exitCode: ExitCode { .usage }
}
