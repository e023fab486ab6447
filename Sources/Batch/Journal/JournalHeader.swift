import MeshPipeline

/// The start of a run of a batch: the header line in the journal.
package struct JournalHeader: Sendable, Equatable {
  /// The version of the journal's lines.
  static let formatVersion = 1

  /// The version of meshpipe.
  package var version: String
  /// The hash of the resolved pipeline.
  package var pipeline: String
  /// The arguments of the command, without its name.
  package var arguments: [String]
  /// Whether earlier entries are ignored; otherwise the run continues from them.
  package var isFresh: Bool
  package var shard: Shard?
  /// When it started, in nanoseconds since 1970.
  package var time: Int64
  package var host: String
  package var process: Int

  /// A run of this process that starts now.
  package init(pipeline: String, arguments: [String], isFresh: Bool, shard: Shard? = nil) {
    version = meshpipeVersion
    self.pipeline = pipeline
    self.arguments = arguments
    self.isFresh = isFresh
    self.shard = shard
    time = FileSystem.now
    let owner = ProcessOwner.current
    host = owner.host
    process = owner.process
  }
}

/// The plan of a run, known when all its inputs are listed.
package struct JournalPlan: Sendable, Equatable {
  /// All items of the batch, or of this shard.
  package var items: Int
  /// The items that this run processes; the others are finished.
  package var due: Int
  /// When the plan was made, in nanoseconds since 1970.
  package var time: Int64

  package init(items: Int, due: Int) {
    self.items = items
    self.due = due
    time = FileSystem.now
  }
}

extension JournalHeader {
  var json: JSONValue {
    JSONValue(
      .object([
        .init("meshpipeJournal", Self.formatVersion.json), .init("meshpipe", version.json),
        .init("run", isFresh ? "fresh" : "resumed"), .init("pipeline", pipeline.json),
        .init("arguments", arguments.json), .init("shard", (shard?.text ?? "").json),
        .init("began", UTC.text(of: time).json), .init("time", String(time).json),
        .init("host", host.json), .init("process", process.json),
      ]))
  }

  /// - Returns: Nil if it is not a valid header.
  init?(_ json: JSONValue) {
    guard json["meshpipeJournal"]?.wholeNumber == Self.formatVersion,
      let version = json["meshpipe"]?.text, let run = json["run"]?.text,
      run == "fresh" || run == "resumed"
    else { return nil }
    self.version = version
    pipeline = json["pipeline"]?.text ?? ""
    arguments = json["arguments"]?.elements.compactMap(\.text) ?? []
    isFresh = run == "fresh"
    shard = (json["shard"]?.text).flatMap { try? Shard(parsing: $0, environment: { _ in nil }) }
    time = Int64(json["time"]?.wholeNumber ?? 0)
    host = json["host"]?.text ?? ""
    process = json["process"]?.wholeNumber ?? 0
  }
}

extension JournalPlan {
  var json: JSONValue {
    ["items": items.json, "due": due.json, "time": String(time).json]
  }

  init?(_ json: JSONValue) {
    guard let items = json["items"]?.wholeNumber, let due = json["due"]?.wholeNumber else {
      return nil
    }
    self.items = items
    self.due = due
    time = Int64(json["time"]?.wholeNumber ?? 0)
  }
}
