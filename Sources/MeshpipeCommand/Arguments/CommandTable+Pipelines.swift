extension CommandTable {
  static let pipelines = Verb(
    name: "pipelines", summary: "list the pipelines that can be called by name",
    discussion: """
      A pipeline NAME.json in one of these folders is called by its name, as in 'meshpipe run NAME \
      scan.obj': the folders of MESHPIPE_PIPELINE_PATH, meshpipe/pipelines in the user's configuration \
      folder (~/.config), and share/meshpipe/pipelines beside the bin that meshpipe is in. A file of that \
      name in the current folder comes first.
      """,
    options: [.json, .help],
    examples: [
      Example(line: "meshpipe pipelines", purpose: "Names and descriptions."),
      Example(line: "meshpipe run blender scan.obj", purpose: "Runs the installed blender.json."),
    ],
    perform: PipelinesVerb.perform)

  static let pipelinesShow = Verb(
    name: "pipelines show", summary: "print a pipeline, to read it or to begin from",
    operands: [
      Operand(name: "PIPELINE", help: "The pipeline's name, or its file.", kind: .pipeline)
    ],
    options: [.help],
    examples: [
      Example(
        line: "meshpipe pipelines show blender > mine.json", purpose: "A copy to change.")
    ],
    perform: PipelinesVerb.show)

  static let pipelinesNew = Verb(
    name: "pipelines new", summary: "write a pipeline to begin from",
    discussion: """
      Each stage has a note that says what it is there for. 'meshpipe new pipeline' is the same.
      """,
    operands: [Operand(name: "NAME", help: "The file to make; '.json' is added.")],
    options: [.model, .help],
    examples: [
      Example(
        line: "meshpipe pipelines new tidy --like web",
        purpose: "A copy of 'web' as tidy.json, to change."),
      Example(line: "meshpipe pipelines new short", purpose: "A short one: short.json."),
    ],
    perform: PipelinesNewVerb.perform)
}
