import MeshPipeline

/// Writes a pipeline to start from: a short one, or a copy of an existing one, with a note for each
/// stage.
enum PipelinesNewVerb {
  static func perform(_ invocation: Invocation) throws -> ExitCode {
    let name = invocation.operands[0]
    let path = fileExtension(of: name).isEmpty ? name + ".json" : name
    guard try FileSystem.status(of: path) == nil else {
      throw UsageError("\(path) already exists; choose another name", verb: invocation.verb)
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
    Messages.say("created \(path)")
    Messages.say("check it: meshpipe check \(path)")
    Messages.say("use it: meshpipe run \(path) SCAN -o OUT/")
    return .success
  }

  /// The text with the schema's path on this machine; without a path if no schema is installed.
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

  /// A pipeline for most scans, in normal form.
  static let starter = """
    {
      "$schema": "../docs/pipeline.schema.json",
      "meshpipe": 1,
      "description": "What the pipeline is for.",
      "note": "Stages: meshpipe stages. Options of a stage: meshpipe stages NAME. The value of a variable replaces its name in braces.",
      "variables": {
        "faces": { "type": "amount", "default": "20%", "help": "Faces to keep, as a share or a count." }
      },
      "stages": [
        {
          "use": "weld", "with": { "tolerance": "0.1mm" },
          "note": "Joins the pieces of an ARKit scan, whose borders coincide."
        },
        { "use": "clean", "note": "Removes degenerate and duplicate faces." },
        {
          "use": "filter-classification", "when": "classification", "optional": true, "with": { "drop": ["ceiling"] },
          "note": "Removes a class, if the scan has classes; 'keep' names those to keep."
        },
        {
          "use": "decimate", "with": { "faces": "${faces}", "maximumError": "1cm" },
          "note": "Reduces the mesh, as far as the error allows."
        },
        { "use": "compute-normals", "note": "For smooth shading." }
      ],
      "outputs": [ { "path": "${stem}.glb" } ]
    }

    """
}

extension Option {
  static let model = Option(
    "--like", in: .output, value: .named("PIPELINE", .pipeline),
    help: "The pipeline to start from, by name or file; default a short one.")
}
