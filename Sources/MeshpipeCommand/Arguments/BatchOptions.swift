import MeshPipeline

/// The options that 'batch' alone has, or means in another way.
extension Option {
  static let batchOutput = Option(
    "--output", "-o", in: .output, value: .file("TEMPLATE"),
    help:
      "Where results go: 'out/{archive}/{folder}/{stem}.glb', of {archive}, {folder}, {stem}, {ext} and {name}. "
      + "A folder repeats the folders of the inputs, with the names that the pipeline gives; "
      + "'out.zip:{stem}.glb' puts them into an archive.")

  // What goes in.

  static let include = Option(
    "--include", in: .input, value: .text("PATTERN"), repeats: true,
    help: "Take only scans whose path matches: '*.ply', 'day1/**'.")
  static let exclude = Option(
    "--exclude", in: .input, value: .text("PATTERN"), repeats: true,
    help: "Leave out scans, or whole folders, whose path matches.")
  static let prefer = Option(
    "--prefer", in: .input, value: .text("EXTENSIONS"),
    help:
      "Of scans that would be written to one place take the one with the first of these extensions: "
      + "'glb,obj,ply'.")
  static let list = Option(
    "--list", in: .input, value: .file("FILE"), repeats: true,
    help: "Take the paths in this file too, one on a line; '-' is standard input.")

  // How it goes.

  static let batchJobs = Option(
    "--jobs", "-j", in: .running, value: .integer("N", 1...4096),
    help: "Work on this many items at once; as many as there are cores when absent.")
  static let resume = Option(
    "--resume", in: .running,
    help: "Leave alone what is done or failed and has not changed since; the journal tells.")
  static let retryFailed = Option(
    "--retry-failed", in: .running, help: "Resume, and try again what failed.")
  static let dryRun = Option(
    "--dry-run", "-n", in: .running, help: "List items, outputs and reasons, and do nothing.")
  static let failFast = Option(
    "--fail-fast", in: .running, help: "Begin no further item when one has failed.")
  static let batchKeepGoing = Option(
    "--keep-going", "-k", in: .running,
    help: "Go on with the next item when one fails, as is done anyway.")
  static let timeout = Option(
    "--timeout", in: .running, value: .text("TIME"),
    help: "Give up an item after this time: 90s, 5m, 1h30m. Without it an item may take for ever.")
  static let maxMemory = Option(
    "--max-memory", in: .running, value: .text("SIZE"),
    help:
      "Give up an item that needs more memory than this: 4GB, 800MB; that of --memory when absent.")
  static let memory = Option(
    "--memory", in: .running, value: .text("SIZE"),
    help:
      "Begin items only while all in work are likely to fit into this; most of what is free when absent."
  )
  static let retries = Option(
    "--retries", in: .running, value: .integer("N", 0...100),
    help:
      "Try an item again so many times when time or memory ran out, or its worker was killed; 1 when absent."
  )
  static let batchReport = Option(
    "--report", in: .reporting, value: .file("FILE"), repeats: true,
    help:
      "Write what became of the items, as a page with pictures (.html) or for programs (.json).")
  static let pictures = Option(
    "--pictures", in: .reporting,
    help: "Keep a picture of each result for 'batch report', as --report with a page does.")
  static let shard = Option(
    "--shard", in: .cluster, value: .text("I/N"),
    help:
      "Do the I-th of N equal parts only; 'auto' asks the job array that the process belongs to.")

  // What archives may ask of the machine.

  static let maxBytes = Option(
    "--max-bytes", in: .archives, value: .text("SIZE"),
    help: "Refuse an item of an archive whose files are larger in all; 16GiB when absent.")
  static let maxRatio = Option(
    "--max-ratio", in: .archives, value: .integer("N", 1...1_000_000),
    help: "Refuse what unpacks to so many times its packed size; 250 when absent.")
  static let maxArchiveBytes = Option(
    "--max-archive-bytes", in: .archives, value: .text("SIZE"),
    help: "Refuse what an archive holds beyond this many bytes, unpacked; 4TiB when absent.")
  static let maxEntries = Option(
    "--max-entries", in: .archives, value: .integer("N", 1...1_000_000_000),
    help: "Refuse what an archive holds beyond so many entries; 1000000 when absent.")
  static let maxNesting = Option(
    "--max-nesting", in: .archives, value: .integer("N", 0...16),
    help: "Look into archives in archives so many times; 1 when absent.")
  static let maxStaged = Option(
    "--max-staged", in: .archives, value: .text("SIZE"),
    help:
      "Keep at most this much of unfinished items on the disk while an archive is unpacked; 4GiB when absent."
  )
}
