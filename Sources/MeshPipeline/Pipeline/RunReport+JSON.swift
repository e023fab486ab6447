import MeshpipeBase

extension RunReport {
  /// The report as JSON, with `"meshpipeReport": 1` as its first member.
  ///
  /// Except for `seconds` and `peakMemoryBytes`, which are measured, the same run on the same input
  /// gives the same text. Members may be added within a version; the meaning of a member does not
  /// change.
  public var json: JSONValue {
    var members: [JSONValue.Member] = [
      .init("meshpipeReport", Self.formatVersion.json),
      .init("meshpipe", meshpipeVersion.json),
      .init("outcome", failure == nil ? "done" : "failed"),
    ]
    if let failure { members.append(.init("failure", failure.json)) }
    members += [
      .init("seconds", Self.rounded(seconds)),
      .init("peakMemoryBytes", peakMemory.json),
      .init("pipeline", pipeline),
      .init("warnings", warnings.json),
    ]
    if let input { members.append(.init("input", input.json)) }
    members.append(.init("stages", JSONValue(.array(stages.map(\.json)))))
    members.append(.init("outputs", JSONValue(.array(outputs.map(\.json)))))
    return JSONValue(.object(members))
  }

  /// Seconds, rounded to a tenth of a millisecond.
  fileprivate static func rounded(_ seconds: Double) -> JSONValue {
    seconds.json(digits: 4)
  }
}

extension RunReport.Counts {
  var json: JSONValue {
    ["faces": faces.json, "vertices": vertices.json, "points": points.json]
  }
}

extension RunReport.Outcome {
  /// The outcome, and the reason if there is one.
  fileprivate var members: [JSONValue.Member] {
    switch self {
    case .done: [.init("outcome", "done")]
    case .skipped(let reason): [.init("outcome", "skipped"), .init("reason", reason.json)]
    case .failed(let reason): [.init("outcome", "failed"), .init("reason", reason.json)]
    }
  }
}

extension String? {
  /// The name of a level, if there is one.
  fileprivate var members: [JSONValue.Member] { map { [.init("level", $0.json)] } ?? [] }
}

extension [StageContext.Note] {
  fileprivate var json: JSONValue {
    JSONValue(.object(map { .init($0.key, $0.value.withoutPositions) }))
  }
}

extension RunReport.InputReport {
  fileprivate var json: JSONValue {
    [
      "path": path.json, "format": format.json, "counts": counts.json,
      "features": features.map(\.rawValue).json, "interpretation": interpretation.json,
      "seconds": RunReport.rounded(seconds),
      "peakMemoryBytes": peakMemory.json, "sideFiles": sideFiles.json,
      "warnings": warnings.json, "notes": notes.json,
    ]
  }
}

extension RunReport.StageReport {
  fileprivate var json: JSONValue {
    JSONValue(
      .object(
        [.init("id", id.json)] + level.members + [.init("use", name.json)] + outcome.members + [
          .init("in", before.json), .init("out", after.json),
          .init("seconds", RunReport.rounded(seconds)),
          .init("peakMemoryBytes", peakMemory.json), .init("warnings", warnings.json),
          .init("notes", notes.json),
        ] + (log.isEmpty ? [] : [.init("log", log.json)])
          + (isRecalled ? [.init("cached", true)] : [])))
  }
}

extension RunReport.OutputReport {
  fileprivate var json: JSONValue {
    JSONValue(
      .object(
        [.init("path", path.json)] + level.members
          + [.init("format", format.json), .init("from", from.json)] + outcome.members + [
            .init("counts", counts.json),
            .init("files", JSONValue(.array(files.map(\.json)))),
            .init("seconds", RunReport.rounded(seconds)), .init("warnings", warnings.json),
            .init("notes", notes.json),
          ]))
  }
}

extension RunReport.FileReport {
  fileprivate var json: JSONValue {
    var members: [JSONValue.Member] = [.init("path", path.json), .init("bytes", bytes.json)]
    if !sha256.isEmpty { members.append(.init("sha256", sha256.json)) }
    members.append(.init("unchanged", isUnchanged.json))
    return JSONValue(.object(members))
  }
}
