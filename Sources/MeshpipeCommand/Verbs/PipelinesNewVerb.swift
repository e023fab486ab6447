import MeshPipeline

/// Writes a pipeline to begin from: a short one, or one of those that are there, each stage with its note.
enum PipelinesNewVerb {
  static func perform(_ invocation: Invocation) throws -> ExitCode {
    let name = invocation.operands[0]
    let path = fileExtension(of: name).isEmpty ? name + ".json" : name
    guard try FileSystem.status(of: path) == nil else {
      throw UsageError("\(path) is there already; choose another name", verb: invocation.verb)
    }
    let library = PipelineLibrary.standard()
    var text = starter
    var folders = library.folders
    if let model = invocation.value(of: .model) {
      let modelPath = try library.path(of: model)
      let bytes = try FileSystem.contents(of: modelPath, limit: PipelineDocument.largestFile)
      text = String(decoding: bytes, as: UTF8.self)
      folders.insert(FileSystem.folder(of: modelPath), at: 0)
    }
    try FileSystem.replaceFile(path, with: withSchema(text, beside: folders))
    Messages.say("made \(path)")
    Messages.say("check it: meshpipe check \(path)")
    Messages.say("use it: meshpipe run \(path) SCAN -o OUT/")
    return .success
  }

  /// The text with the place of the schema for this machine's editors; without one where none is installed.
  private static func withSchema(_ text: String, beside folders: [String]) -> String {
    let schema = folders.lazy.compactMap { folder in
      FileSystem.canonicalPath(of: "\(folder)/../docs/pipeline.schema.json")
    }.first
    var lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    guard let place = lines.firstIndex(where: { $0.hasPrefix("  \"$schema\":") }) else {
      return text
    }
    if let schema {
      lines[place] = "  \"$schema\": \(JSONValue(.string(schema)).compactText),"
    } else {
      lines.remove(at: place)
    }
    return lines.joined(separator: "\n")
  }

  /// What most scans want, in the normal form of pipeline files.
  static let starter = """
    {
      "$schema": "../docs/pipeline.schema.json",
      "meshpipe": 1,
      "description": "What it makes of a scan.",
      "note": "Options of a stage: meshpipe stages NAME. Stages: meshpipe stages. In the place of the word in braces stands the variable's value.",
      "variables": {
        "faces": { "type": "amount", "default": "20%", "help": "Faces to go down to, as a share or a count." }
      },
      "stages": [
        {
          "use": "weld", "with": { "tolerance": "0.1mm" },
          "note": "Joins the pieces that ARKit scans in, whose borders coincide."
        },
        { "use": "clean", "note": "Removes degenerate and repeated faces." },
        {
          "use": "filter-classification", "when": "classification", "optional": true, "with": { "drop": ["ceiling"] },
          "note": "Leaves a class out, where the scan has classes; 'keep' names those that stay."
        },
        {
          "use": "decimate", "with": { "target": "${faces}", "maxError": "1cm" },
          "note": "Thins the mesh, as far as the error allows."
        },
        { "use": "compute-normals", "note": "For programs that shade by normals." }
      ],
      "outputs": [ { "path": "${stem}.glb" } ]
    }

    """
}

extension Option {
  static let model = Option(
    "--like", in: .output, value: .named("PIPELINE", .pipeline),
    help: "The pipeline to begin from, by its name or file; a short one when absent.")
}
