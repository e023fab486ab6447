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
}
