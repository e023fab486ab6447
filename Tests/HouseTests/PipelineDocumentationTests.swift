import Formats
import Foundation
import MeshPipeline
import MeshTestSupport
import Stages
import Testing

/// `docs/pipelines.md`, which comes from the pipelines themselves.
struct PipelineDocumentationTests {
  @Test func `the page of the pipelines is current`() throws {
    try expectGeneratedPage("docs/pipelines.md", holds: try PipelineCatalogue().page)
  }

  @Test func `every pipeline, variable and stage says what it is for`() throws {
    for (name, pipeline) in try PipelineCatalogue().pipelines {
      #expect(pipeline.about.hasSuffix("."), "\(name) has no description")
      for variable in pipeline.variables {
        #expect(variable.help.hasSuffix("."), "\(name): variable \(variable.name) has no help")
      }
      for stage in pipeline.stages {
        #expect(
          stage.note?.value.hasSuffix(".") == true, "\(name): \(stage.use?.value ?? "") has no note"
        )
      }
    }
  }
}

/// The pipelines that come with meshpipe, as a page of Markdown.
struct PipelineCatalogue {
  /// By the name of the file, the main job first.
  let pipelines: [(name: String, pipeline: PipelineDocument)]

  static func files() throws -> [String] {
    let files = try Checkout.trackedFiles().filter {
      $0.hasPrefix("pipelines/") && $0.hasSuffix(".json")
    }
    let mainJob = "pipelines/blender.json"
    return files.filter { $0 == mainJob } + files.filter { $0 != mainJob }.sorted()
  }

  /// Those that make something of a scan without frames.
  static func filesForScans() throws -> [String] {
    try files().filter { $0 != "pipelines/capture-check.json" }
  }

  init() throws {
    pipelines = try Self.files().map { ($0, try PipelineDocument(path: Checkout.path($0))) }
  }

  var page: String {
    var lines = [
      "# Pipelines", "",
      "<!-- Made from pipelines/*.json by `make docs`; change those instead. -->", "",
      "Ready-made pipelines, to use directly, to adjust with variables, or to copy. To choose one, see",
      "[Which pipeline for what](which-pipeline.md). Run one like this:",
      "", "```sh", "meshpipe run pipelines/blender.json scan.obj -o out/", "```", "",
      "`--var NAME=VALUE` sets a variable, `--set STAGE.OPTION=VALUE` any option of a stage or, with a format, of outputs, and",
      "`meshpipe run pipelines/NAME.json --help` lists both. `make install` installs the files in",
      "`PREFIX/share/meshpipe/pipelines`, after which the name suffices: `meshpipe run blender scan.obj`.",
      "",
      "| pipeline | result |", "|---|---|",
    ]
    for (file, pipeline) in pipelines {
      let name = title(of: file)
      lines.append("| [\(name)](#\(name)) | \(pipeline.about) |")
    }
    for (file, pipeline) in pipelines { lines += section(of: pipeline, in: file) }
    return lines.joined(separator: "\n") + "\n"
  }

  private func title(of file: String) -> String {
    String(file.split(separator: "/").last?.split(separator: ".").first ?? "")
  }

  private func section(of pipeline: PipelineDocument, in file: String) -> [String] {
    var lines = ["", "## \(title(of: file))", "", pipeline.about, ""]
    // What follows 'For example' is for those who have the file alone.
    let note = pipeline.note.components(separatedBy: "For example:")[0].trimmed
    if !note.isEmpty { lines += [note, ""] }
    let name = "pipelines/\(title(of: file))"
    if let figure = PageFigure.pipelines.first(where: { $0.name == name }) {
      lines += ["![The result of \(title(of: file))](images/\(figure.path))", ""]
    }
    lines += ["[\(file)](../\(file))", ""]
    // Their maps have too many texels for tests without optimisation.
    if !pipeline.levels.isEmpty { lines.append("<!-- not run: it bakes large textures -->") }
    lines.append("```sh")
    // What is about frames does nothing without them.
    let input = pipeline.about.hasPrefix("A capture") ? "capture/" : "scan.obj"
    lines += ["meshpipe run \(file) \(input) -o out/", "```", ""]
    lines += ["| variable | type | default | meaning |", "|---|---|---|---|"]
    for variable in pipeline.variables {
      let value = variable.defaultValue.map(plainText).map { $0.isEmpty ? "" : "`\($0)`" }
      lines.append(
        "| `\(variable.name)` | \(variable.type.name.replacing("|", with: "\\|")) | \(value ?? "required") "
          + "| \(variable.help) |")
    }
    if !pipeline.levels.isEmpty { lines += ["", "Levels:", ""] + pipeline.levels.map(line) }
    lines += ["", "Stages:", ""]
    for (index, stage) in pipeline.stages.enumerated() {
      let name = stage.use?.value ?? ""
      var line = "\(index + 1). [`\(name)`](stages/\(name).md)"
      if let when = stage.when { line += " when `\(when.value)`" }
      lines.append(line + ": \(lowerCasedFirst(stage.note?.value ?? ""))")
    }
    lines += ["", "Outputs:", ""]
    for output in pipeline.outputs {
      var line = "- `\(output.file?.value ?? "")`"
      if let from = output.from { line += ", the scene of `\(from.value)`" }
      lines.append(output.note.map { line + ": \(lowerCasedFirst($0.value))" } ?? line + ".")
    }
    return lines
  }

  private func line(of level: PipelineDocument.Level) -> String {
    let values = level.values.map { "`\($0.key)` \(plainText($0.value))" }.joined(separator: ", ")
    let facts = [level.enabled == nil ? "" : "only with `--level \(level.name)`", values]
      .filter { !$0.isEmpty }.joined(separator: "; ")
    let note = level.note.map { ": \(lowerCasedFirst($0.value))" } ?? "."
    return "- `\(level.name)`" + (facts.isEmpty ? "" : " (\(facts))") + note
  }

  /// A value as one would give it on the command line.
  private func plainText(_ value: JSONValue) -> String {
    switch value.content {
    case .string(let text): text
    case .array(let elements): elements.map(plainText).joined(separator: ",")
    default: value.compactText
    }
  }

  /// A sentence as it goes on after a colon; names in capitals stay.
  private func lowerCasedFirst(_ text: String) -> String {
    let second = text.dropFirst().first
    guard let first = text.first, second?.isUppercase != true, second != " ", second != "'" else {
      return text
    }
    return first.lowercased() + text.dropFirst()
  }
}

extension String {
  /// The text without blanks at its ends.
  fileprivate var trimmed: String {
    String(drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
  }
}
