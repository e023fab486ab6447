import MeshPipeline

extension CommandTable {
  static let pipelines = Verb(
    name: "pipelines", summary: "list the pipelines that can be used by name",
    discussion: """
      A pipeline NAME.json in one of these folders can be used by name, as in 'meshpipe run NAME \
      scan.obj': the folders in MESHPIPE_PIPELINE_PATH, meshpipe/pipelines in the user's configuration \
      folder (~/.config), and share/meshpipe/pipelines next to the bin folder of meshpipe. A file of that \
      name in the current folder takes precedence.
      """,
    options: [.json, .help],
    examples: [
      Example(line: "meshpipe pipelines", purpose: "Names and descriptions."),
      Example(line: "meshpipe run blender scan.obj", purpose: "Runs the installed blender.json."),
    ],
    perform: PipelinesVerb.perform)

  static let pipelinesShow = Verb(
    name: "pipelines show", summary: "print a pipeline, to read or copy it",
    operands: [
      Operand(name: "PIPELINE", help: "The pipeline's name, or its file.", kind: .pipeline)
    ],
    options: [.help],
    examples: [
      Example(
        line: "meshpipe pipelines show blender > mine.json", purpose: "A copy to edit.")
    ],
    perform: PipelinesVerb.show)

  static let pipelinesNew = Verb(
    name: "pipelines new", summary: "write a pipeline to start from",
    discussion: """
      Each stage has a note that explains its purpose. 'meshpipe new pipeline' is the same.
      """,
    operands: [Operand(name: "NAME", help: "The file to create; '.json' is added.")],
    options: [.model, .help],
    examples: [
      Example(
        line: "meshpipe pipelines new tidy --like web",
        purpose: "A copy of 'web' as tidy.json, to edit."),
      Example(line: "meshpipe pipelines new short", purpose: "A short one: short.json."),
    ],
    perform: PipelinesNewVerb.perform)
}
