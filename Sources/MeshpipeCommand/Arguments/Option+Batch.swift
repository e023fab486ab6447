import MeshPipeline

/// The options that only 'batch' has, or that have another meaning there.
extension Option {
  static let batchReportOutput = Option(
    "--output", "-o", value: .file("FILE"), repeats: true,
    help: "A .html or .json file, or '-' for JSON on standard output.")
  static let batchOutput = Option(
    "--output", "-o", in: .output, value: .file("TEMPLATE"),
    help:
      "Where results go: 'out/{archive}/{folder}/{stem}.glb', with {archive}, {folder}, {stem}, {ext} and {name}. "
      + "A folder mirrors the folders of the inputs and uses the pipeline's output names; "
      + "'out.zip:{stem}.glb' writes into an archive.")

  // Input.

  static let include = Option(
    "--include", in: .input, value: .text("PATTERN"), repeats: true,
    help: "Take only scans whose path matches: '*.ply', 'day1/**'.")
  static let exclude = Option(
    "--exclude", in: .input, value: .text("PATTERN"), repeats: true,
    help: "Skip scans, or whole folders, whose path matches.")
  static let prefer = Option(
    "--prefer", in: .input, value: .text("EXTENSIONS"),
    help:
      "Of scans that would be written to the same path, take the one with the first of these extensions: "
      + "'glb,obj,ply'.")
  static let list = Option(
    "--list", in: .input, value: .file("FILE"), repeats: true,
    help: "Also take the paths in this file, one per line; '-' is standard input.")

  // Running.

  static let batchJobs = Option(
    "--jobs", "-j", in: .running, value: .integer("N", 1...4096),
    help: "Process this many items at once; default the number of cores.")
  static let resume = Option(
    "--resume", in: .running,
    help: "Skip items that are done or failed according to the journal and have not changed since.")
  static let retryFailed = Option(
    "--retry-failed", in: .running, help: "Resume, and retry failed items.")
  static let dryRun = Option(
    "--dry-run", "-n", in: .running, help: "Only list items, outputs and reasons.")
  static let failFast = Option(
    "--fail-fast", in: .running, help: "Start no further item after one has failed.")
  static let batchKeepGoing = Option(
    "--keep-going", "-k", in: .running,
    help: "Continue with the next item when one fails, which is the default.")
  static let timeout = Option(
    "--timeout", in: .running, value: .text("TIME"),
    help: "Abort an item after this time: 90s, 5m, 1h30m; unlimited if absent.")
  static let maxMemory = Option(
    "--max-memory", in: .running, value: .text("SIZE"),
    help:
      "Abort an item that needs more memory than this: 4GB, 800MB; default that of --memory.")
  static let memory = Option(
    "--memory", in: .running, value: .text("SIZE"),
    help:
      "Start an item only if all running items are expected to fit into this; default most of the free memory."
  )
  static let retries = Option(
    "--retries", in: .running, value: .integer("N", 0...100),
    help:
      "Retry an item this many times if time or memory ran out or its worker was killed; default 1."
  )
  static let batchReport = Option(
    "--report", in: .reporting, value: .file("FILE"), repeats: true,
    help:
      "Write the results of all items, as a page with images (.html) or for programs (.json).")
  static let pictures = Option(
    "--pictures", in: .reporting,
    help: "Keep an image of each result for 'batch report', as --report FILE.html does.")
  static let pages = Option(
    "--pages", in: .reporting,
    help:
      "Keep a page of each result, with the model to turn, to measure and to compare with the scan; 'batch report' links "
      + "to them.")
  static let shard = Option(
    "--shard", in: .cluster, value: .text("I/N"),
    help:
      "Process only the I-th of N equal parts; 'auto' takes I and N from the job array.")

  // Limits of archives.

  static let maxBytes = Option(
    "--max-bytes", in: .archives, value: .text("SIZE"),
    help: "Refuse an item of an archive whose files are larger in total; default 16GiB.")
  static let maxRatio = Option(
    "--max-ratio", in: .archives, value: .integer("N", 1...1_000_000),
    help: "Refuse files that unpack to more than this many times their packed size; default 250.")
  static let maxArchiveBytes = Option(
    "--max-archive-bytes", in: .archives, value: .text("SIZE"),
    help: "Refuse the rest of an archive beyond this many bytes, unpacked; default 4TiB.")
  static let maxEntries = Option(
    "--max-entries", in: .archives, value: .integer("N", 1...1_000_000_000),
    help: "Refuse the rest of an archive beyond this many entries; default 1000000.")
  static let maxNesting = Option(
    "--max-nesting", in: .archives, value: .integer("N", 0...16),
    help: "Open archives in archives down to this depth; default 1.")
  static let maxStaged = Option(
    "--max-staged", in: .archives, value: .text("SIZE"),
    help:
      "Keep at most this much of incomplete items on disk while unpacking an archive; default 4GiB."
  )
}
