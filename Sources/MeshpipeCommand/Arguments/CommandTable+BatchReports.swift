extension CommandTable {
  static let batchStatus = Verb(
    name: "batch status", summary: "tell how a batch stands",
    discussion: """
      Reads the journals of all shards together: what is done, failed and due, at which rate, and \
      why items failed. It may be asked at any time, from any machine that sees the folder, and \
      disturbs nothing.
      """,
    operands: [
      Operand(
        name: "FOLDER", help: "The folder of the outputs: what the paths of '-o' begin with.",
        repeats: true)
    ],
    options: [.json, .help],
    examples: [Example(line: "meshpipe batch status out/", purpose: "While it runs, or after.")],
    perform: BatchStatusVerb.perform)

  static let batchReport = Verb(
    name: "batch report", summary: "write what a batch did as a page or as JSON",
    discussion: """
      Reads the journals of all shards of one batch, or of several batches, together. The page is \
      one file of HTML: counts, failures by cause, and a card for each item with its picture, when \
      the batch was run with --report or --pictures.
      """,
    operands: [
      Operand(
        name: "FOLDER", help: "The folder of the outputs: what the paths of '-o' begin with.",
        repeats: true)
    ],
    options: [.batchReportOutput, .help],
    examples: [
      Example(line: "meshpipe batch report out/ -o report.html", purpose: "For people."),
      Example(
        line: "meshpipe batch report day1/ day2/ -o report.json",
        purpose: "Two batches together, for machines."),
    ],
    perform: BatchReportVerb.perform)
}

extension Option {
  static let batchReportOutput = Option(
    "--output", "-o", value: .file("FILE"), repeats: true,
    help: "A .html or .json file, or '-' for JSON on standard output; may be given several times.")
}
