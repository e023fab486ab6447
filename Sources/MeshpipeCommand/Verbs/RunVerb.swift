import MeshPipeline
import ReportPage

/// Runs scans through a pipeline.
enum RunVerb {
  static func perform(_ invocation: Invocation) throws -> ExitCode {
    Messages.areJSON = invocation.value(of: .progress) == "json"
    try checkOptions(invocation)
    return try Parallel.withThreads(invocation.integer(of: .jobs) ?? .max) {
      try run(PipelineArguments(invocation, writesOutputs: true), invocation)
    }
  }

  /// Why the only file was not taken for the input.
  private static func explanation(_ invocation: Invocation) -> String {
    guard let file = invocation.operands.first, fileExtension(of: file) == "json",
      invocation.has(.output)
    else { return "" }
    return
      ", since '\(file)' is a pipeline, or at least no scan: a room of RoomPlan, frames of a capture or recorded feature points"
  }

  private static func run(_ arguments: PipelineArguments, _ invocation: Invocation) throws
    -> ExitCode
  {
    guard !arguments.inputArguments.isEmpty else {
      throw UsageError(
        "'run' needs INPUT\(explanation(invocation)): "
          + invocation.verb.usageLines.joined(separator: ", or "),
        verb: invocation.verb)
    }
    try checkDocument(arguments)
    let upload = try UploadRequest(invocation)
    let inputs = try arguments.inputs()
    let runs =
      invocation.has(.join)
      ? [try ScanRun(arguments, of: inputs[0], joining: Array(inputs.dropFirst()))]
      : try inputs.map { try ScanRun(arguments, of: $0) }
    try requireDistinctOutputs(runs, invocation)
    try protectTerminal(runs, invocation)
    try protectFiles(of: runs, arguments)

    var failures: [ExitCode] = []
    for run in runs {
      do {
        try run.perform()
      } catch {
        // Even after an error, a report of the finished work is useful.
        guard invocation.has(.keepGoing), Signals.exitStatus == nil else {
          try? writeReport(of: runs, invocation)
          throw error
        }
        failures.append(Messages.report(error))
      }
    }
    try writeReport(of: runs, invocation)
    try writeDependencyFile(of: runs, invocation)
    if let upload, Signals.exitStatus == nil { try upload.perform(runs.flatMap(\.outputs)) }
    return .ofSeveral(firstFailure: failures.first, someDone: failures.count < runs.count)
  }

  private static func checkOptions(_ invocation: Invocation) throws {
    try invocation.exclude(\.$replacesReadOnly, \.$keepsExisting)
    let streams =
      [invocation.value(of: .report), invocation.value(of: .dependencyFile)]
      .filter { $0 == "-" }.count + invocation.values(of: .output).filter { $0 == "-" }.count
    if let path = invocation.value(of: .report), ReportPage.isPath(path) {
      try ReportPage.requireLibrary()
    } else if invocation.has(.reportFaces) {
      throw UsageError("'--report-faces' is for '--report FILE.html'", verb: invocation.verb)
    }
    if streams > 1 {
      throw UsageError("only one output can go to standard output", verb: invocation.verb)
    }
  }

  /// Reports mistakes in a pipeline before standard input is read to its end.
  private static func checkDocument(_ arguments: PipelineArguments) throws {
    guard arguments.inputArguments.contains("-") else { return }
    let resolution = try arguments.resolve(for: nil)
    if !resolution.errors.isEmpty { throw InvalidPipeline(resolution.diagnostics) }
  }

  /// How two scans get outputs of their own.
  private static func wayOut(ofNames names: String...) -> String {
    Set(names.map { FileSystem.stem(of: $0).lowercased() }).count > 1
      ? "use ${stem} in '-o' or in the paths of the pipeline's outputs, or run them one by one"
      : "run them one by one, each with its own '-o', or give their folders to 'meshpipe batch', which keeps their "
        + "results apart"
  }

  /// Refuses to fill a terminal with a model.
  private static func protectTerminal(
    _ runs: [ScanRun], _ invocation: Invocation
  ) throws(UsageError) {
    guard StandardStream.output.isTerminal,
      runs.contains(where: { run in
        run.pipeline.outputs.contains {
          $0.path == "-" && !$0.format.keeps.isDisjoint(with: [.faces, .points])
        }
      })
    else { return }
    throw UsageError(
      "'-o -' would fill the terminal with a model; send it to a file or a program: '> scan.glb', '| less'",
      verb: invocation.verb)
  }

  private static func requireDistinctOutputs(
    _ runs: [ScanRun], _ invocation: Invocation
  ) throws {
    var inputs: [String: String] = [:]
    for run in runs {
      for output in run.pipeline.outputs {
        if let other = inputs[output.path], other != run.input.path {
          throw UsageError(
            "'\(other)' and '\(run.input.name)' would both be written to '\(output.path)'; "
              + "\(wayOut(ofNames: other, run.input.name)); --join merges them into one model",
            verb: invocation.verb)
        }
        inputs[output.path] = run.input.path
      }
    }
  }

  /// Refuses a report or a dependency file that would replace another file, before any work is
  /// done.
  private static func protectFiles(of runs: [ScanRun], _ arguments: PipelineArguments) throws {
    let inputs = runs.map(\.input.path) + [arguments.document.source.file].compactMap { $0 }
    let outputs = runs.flatMap(\.pipeline.outputs).map(\.path)
    for option in [Option.report, .dependencyFile] {
      guard let path = arguments.invocation.value(of: option), path != "-" else { continue }
      if outputs.contains(path) { throw OutputFailure.conflict(path) }
      guard let identity = try? FileSystem.status(of: path)?.identity else { continue }
      for input in inputs where try FileSystem.status(of: input)?.identity == identity {
        throw OutputFailure.isInput(path, input: input)
      }
    }
  }

  private static func writeReport(of runs: [ScanRun], _ invocation: Invocation) throws {
    guard let path = invocation.value(of: .report) else { return }
    if ReportPage.isPath(path) {
      let shown = runs.compactMap(\.shownInPage)
      guard !shown.isEmpty else { return }
      let title = shown.count == 1 ? shown[0].title : "\(shown.count) scans"
      return try FileSystem.replaceFile(
        path, with: ReportPage(shown, title: title, invocation).html)
    }
    let reports = runs.compactMap(\.report).map(\.json)
    guard !reports.isEmpty else { return }
    let json = runs.count == 1 ? reports[0] : JSONValue(.array(reports))
    let text = PrivateInputs.shown.readable(json).prettyText
    if path == "-" {
      try StandardStream.output.write(text)
    } else {
      try FileSystem.replaceFile(path, with: text)
    }
  }

  private static func writeDependencyFile(of runs: [ScanRun], _ invocation: Invocation) throws {
    let path = invocation.value(of: .dependencyFile)
    guard path != nil || invocation.has(.dependencies) else { return }
    let targets = invocation.values(of: .dependencyTarget)
    let rules = runs.compactMap { $0.dependencyRule(targets: targets) }
    if let path {
      let text = try DependencyFile(rules).text()
      return path == "-"
        ? try StandardStream.output.write(text)
        : try FileSystem.replaceFile(path, with: text.systemBytes)
    }
    for (run, rule) in zip(runs, rules) {
      guard let output = run.mainOutput else { continue }
      try FileSystem.replaceFile(output + ".d", with: DependencyFile([rule]).text().systemBytes)
    }
  }
}
