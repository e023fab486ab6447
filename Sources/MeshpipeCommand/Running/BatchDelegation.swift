import Batch
import MeshPipeline

/// A call of 'batch' that delegates the work to Slurm, GNU parallel, make or ninja.
struct BatchDelegation {
  private let arguments: BatchArguments
  private var invocation: Invocation { arguments.invocation }

  /// - Returns: Nil if the work is done by this process.
  /// - Throws: When options contradict each other.
  init?(_ arguments: BatchArguments) throws {
    let invocation = arguments.invocation
    self.arguments = arguments
    func fault(_ message: String) -> UsageError { UsageError(message, verb: invocation.verb) }
    let emitted = invocation.value(of: .emit)
    let isSubmitted = invocation.has(.submit)
    let needsShards = isSubmitted || emitted == "parallel"
    if isSubmitted, emitted != nil { throw fault("'--submit' and '--emit' exclude each other") }
    for option in [Option.tasksAtOnce, .wait, .slurmOption]
    where !isSubmitted && invocation.has(option) {
      throw fault("'\(option.name)' needs '--submit slurm'")
    }
    if !needsShards, invocation.has(.shards) {
      throw fault(
        "'--shards' needs '--submit slurm' or '--emit parallel'; to process one shard, use '--shard 1/8'"
      )
    }
    guard needsShards || emitted != nil, !invocation.has(.dryRun) else { return nil }
    if arguments.spool != nil {
      throw fault("several processes can't write to one archive; let '-o' name files")
    }
    if !needsShards, arguments.work.run.upload != nil {
      throw fault("'--upload' can't go into a build file, which runs each item by itself")
    }
    if needsShards, !invocation.has(.shards) {
      throw fault("'--shards N' is required: the number of equal parts")
    }
    if invocation.has(.shard) {
      throw fault("'--shard' can't be given here: each task gets its own")
    }
    let lists = invocation.values(of: .list) + invocation.operands
    if needsShards, lists.contains(where: { $0 == "-" || $0 == "@-" }) {
      throw fault("the tasks can't read standard input; write the list to a file")
    }
    for option in invocation.values(of: .slurmOption) where !option.hasPrefix("-") {
      throw fault(
        "'--slurm-option \(option)' is not an option of sbatch: those begin with a hyphen")
    }
  }

  /// Whether the items need not be listed first.
  var isByShard: Bool { invocation.has(.shards) }

  // MARK: By shard

  /// Submits the shards, or prints the command that runs them.
  func performByShard(pipelineHash: String) throws -> ExitCode {
    let shards = invocation.integer(of: .shards) ?? 1
    if invocation.has(.emit) {
      let line = ParallelLine(
        command: command, shards: shards, workingFolder: FileSystem.workingFolder)
      try StandardStream.output.write(line.text)
      return .success
    }
    let folder = arguments.folder
    let run = JournalHeader(
      pipeline: pipelineHash, arguments: Array(ProgramArguments.all.dropFirst()),
      isFresh: arguments.mode == .fresh)
    var request = SlurmSubmission.Request(
      folder: folder, run: run, shards: shards, command: command)
    request.tasksAtOnce = invocation.integer(of: .tasksAtOnce)
    request.options = invocation.values(of: .slurmOption)
    request.choosesJobs = invocation.has(.batchJobs)
    request.choosesMemory = invocation.has(.memory)
    let submission = try SlurmSubmission(request, cancellation: Signals.cancellation)
    let jobs = submission.jobs.joined(separator: " ")
    say(
      "submitted as job \(jobs): \(shards) shards; 'meshpipe batch status \(folder.root)' shows the progress"
    )
    if invocation.has(.wait) { return try wait(for: submission) }
    for path in invocation.values(of: .batchReport) {
      say(
        "'meshpipe batch report \(folder.root) -o \(path)' writes the report when they have ended")
    }
    return .success
  }

  private var command: ShardCommand {
    // The report covers all shards.
    let own: [Option] = Option.cluster + [.resume, .batchReport, .pictures]
    var words = invocation.optionWords { option in !own.contains { $0.name == option.name } }
    if arguments.work.pictures != nil { words.append(Option.pictures.name) }
    let program = FileSystem.ownExecutable.flatMap { FileSystem.canonicalPath(of: $0) }
    return ShardCommand(
      program: program ?? "meshpipe", arguments: words + invocation.operandWords)
  }

  private func wait(for submission: SlurmSubmission) throws -> ExitCode {
    var last = ""
    do {
      let status = try submission.wait(cancellation: Signals.cancellation) { status in
        let text = Self.text(status)
        if text != last { say(text) }
        last = text
      }
      for path in invocation.values(of: .batchReport) {
        try BatchReport([status]).write(to: path)
      }
      return Self.exitCode(status)
    } catch let error as Cancelled {
      let jobs = submission.jobs.joined(separator: " ")
      say("the tasks continue; 'scancel \(jobs)' ends them")
      throw error
    }
  }

  private static func text(_ status: BatchStatus) -> String {
    let counts = status.counts
    var parts = ["\(NumberText.grouped(counts.done)) done"]
    if counts.failed > 0 { parts.append("\(NumberText.grouped(counts.failed)) failed") }
    if counts.temporary > 0 { parts.append("\(NumberText.grouped(counts.temporary)) temporary") }
    if let due = status.due { parts.append("\(NumberText.grouped(due)) due") }
    let running = status.parts.count { $0.activity == .running }
    return parts.joined(separator: ", ") + "; \(running) of \(status.parts.count) shards running"
  }

  private static func exitCode(_ status: BatchStatus) -> ExitCode {
    let failure = status.entries.first { $0.state != .done }
    return .ofSeveral(firstFailure: failure?.exitCode, someDone: status.counts.done > 0)
  }

  private func say(_ message: String) {
    if !invocation.has(.quiet), !Messages.areJSON { Messages.say(message) }
  }

  // MARK: By item

  /// Prints a build file.
  func printBuildFile(_ items: [BatchItem], _ planner: inout OutputPlanner) throws -> ExitCode {
    let tool = invocation.value(of: .emit).flatMap { BuildFile.Tool(rawValue: $0) } ?? .make
    var rules: [BuildFile.Rule] = []
    for item in items {
      let plan = try planner.plan(for: item)
      guard let output = plan.outputs.first else { continue }
      rules.append(BuildFile.Rule(item: item, target: plan.target, output: output))
    }
    let taken = Option.ofRun.map(\.name).filter { name in
      // The build file has its own dependency files.
      ![
        Option.output, .report, .progress, .quiet, .batchKeepGoing, .setting(\.$touchesUnchanged),
        .ifChanged,
      ].contains { $0.name == name }
    }
    var pipeline: String?
    if case .file(let path, _) = arguments.work.pipeline { pipeline = path }
    let file = try BuildFile(
      for: tool, rules, pipeline: pipeline,
      arguments: invocation.optionWords { taken.contains($0.name) })
    try StandardStream.output.write(try file.text())
    return .success
  }
}
