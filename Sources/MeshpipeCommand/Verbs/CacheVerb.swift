import MeshpipeKit

/// Shows, tidies and examines the kept results of stages.
enum CacheVerb {
  static func list(_ invocation: Invocation) throws -> ExitCode {
    let folder = try folder(of: invocation)
    let files = try folder.files().reversed().map { ($0, $0.opened()?.checkpoint) }
    if invocation.has(.json) {
      return try write(json(folder, files.map(json)))
    }
    guard !files.isEmpty else {
      try StandardStream.output.write("There are no kept results in \(folder.path)\n")
      return .success
    }
    let rows = files.map { file, checkpoint -> [String] in
      let size = NumberText.byteCount(file.byteCount)
      guard let checkpoint else { return [size, "", "(can't be read)", "", ""] }
      return [
        size, TextLayout.duration(checkpoint.seconds), checkpoint.stage, checkpoint.pipeline,
        checkpoint.input.withoutControlCharacters,
      ]
    }
    let total = files.reduce(0) { $0 + $1.0.byteCount }
    let heading = [["size", "saves", "result of", "in", "of"]]
    var lines = TextLayout.table(heading + rows, right: [0, 1])
    lines.append(
      "\(results(files.count)), \(NumberText.byteCount(total)) in \(folder.path)"
    )
    try StandardStream.output.write(lines.joined(separator: "\n") + "\n")
    return .success
  }

  static func prune(_ invocation: Invocation) throws -> ExitCode {
    let folder = try folder(of: invocation)
    let bytes = invocation.settings.cacheSize?.bytes ?? 0
    let removed = try folder.prune(to: bytes)
    if invocation.has(.json) { return try write(json(folder, removed.map { json($0, nil) })) }
    let size = NumberText.byteCount(removed.reduce(0) { $0 + $1.byteCount })
    try StandardStream.output.write(
      "removed \(results(removed.count)), \(size), from \(folder.path)\n")
    return .success
  }

  static func verify(_ invocation: Invocation) throws -> ExitCode {
    let folder = try folder(of: invocation)
    let files = try folder.files()
    let verdicts = try Parallel.map(count: files.count) { index in
      Result { try files[index].isIntact(cancellation: Signals.cancellation) }
    }.map { try $0.get() ?? true }
    let damaged = zip(files, verdicts).filter { !$1 }.map(\.0)
    for file in damaged { file.discard() }
    if invocation.has(.json) {
      _ = try write(json(folder, damaged.map { json($0, nil) }))
    } else {
      let lines = damaged.map { "\($0.path) was damaged and is removed" }
      let intact = NumberText.grouped(files.count - damaged.count)
      let summary = "\(intact) of \(NumberText.grouped(files.count)) results are intact"
      try StandardStream.output.write((lines + [summary]).joined(separator: "\n") + "\n")
    }
    return damaged.isEmpty ? .success : .data
  }

  private static func results(_ count: Int) -> String {
    "\(NumberText.grouped(count)) result\(count == 1 ? "" : "s")"
  }

  private static func folder(of invocation: Invocation) throws -> CheckpointFolder {
    guard let folder = CheckpointFolder.chosen(by: invocation.settings) else {
      throw UsageError("there is no cache: name its folder with --cache", verb: invocation.verb)
    }
    return folder
  }

  private static func write(_ json: JSONValue) throws -> ExitCode {
    try StandardStream.output.write(json.prettyText)
    return .success
  }

  private static func json(_ folder: CheckpointFolder, _ results: [JSONValue]) -> JSONValue {
    ["path": folder.path.json, "results": JSONValue(.array(results))]
  }

  private static func json(_ file: CheckpointFile, _ checkpoint: Checkpoint?) -> JSONValue {
    var members: [JSONValue.Member] = [
      .init("path", file.path.json), .init("bytes", file.byteCount.json),
    ]
    if let checkpoint {
      members += [
        .init("stage", checkpoint.stage.json), .init("pipeline", checkpoint.pipeline.json),
        .init("input", checkpoint.input.json), .init("seconds", checkpoint.seconds.json(digits: 1)),
      ]
    }
    return JSONValue(.object(members))
  }
}
