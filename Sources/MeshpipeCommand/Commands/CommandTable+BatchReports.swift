import MeshPipeline

extension CommandTable {
  static let batchStatus = Verb(
    name: "batch status", summary: "show the progress of a batch",
    discussion: """
      Reads the journals of all shards together: how many items are done, failed and due, at which rate, and \
      why items failed. It can be used at any time, from any machine that sees the folder, without \
      affecting the batch.
      """,
    operands: [
      Operand(
        name: "FOLDER", help: "The output folder: what the paths of '-o' begin with.",
        repeats: true)
    ],
    options: [.json, .help],
    examples: [
      Example(line: "meshpipe batch status out/", purpose: "While it runs, or afterwards.")
    ],
    perform: BatchStatusVerb.perform)

  static let batchReport = Verb(
    name: "batch report", summary: "write the results of a batch as a page or as JSON",
    discussion: """
      Reads the journals of all shards of one batch, or of several batches, together. The page is \
      a single HTML file: counts, failures by cause, and a card for each item, with an image if \
      the batch was run with --report or --pictures.
      """,
    operands: [
      Operand(
        name: "FOLDER", help: "The output folder: what the paths of '-o' begin with.",
        repeats: true)
    ],
    options: [.batchReportOutput, .help],
    examples: [
      Example(line: "meshpipe batch report out/ -o report.html", purpose: "For people."),
      Example(
        line: "meshpipe batch report day1/ day2/ -o report.json",
        purpose: "Two batches together, for programs."),
    ],
    perform: BatchReportVerb.perform)
}
