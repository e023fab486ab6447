package import MeshPipeline

/// The results of one batch, or several together: for ``json`` and ``html(at:)``.
package struct BatchReport: Sendable {
  /// The version of ``json``.
  package static let formatVersion = 1

  /// In the order in which they were given.
  package var batches: [BatchStatus]

  /// Sums over items.
  package struct Totals: Sendable, Equatable {
    /// The total time of all workers.
    package var seconds = 0.0
    /// The peak memory of a worker, in bytes.
    package var peakMemory = 0
    /// The bytes of the items' files.
    package var bytesRead = 0
    /// The bytes of the outputs.
    package var bytesWritten = 0
    package var facesBefore = 0
    package var facesAfter = 0
  }

  package init(_ batches: [BatchStatus]) {
    self.batches = batches
  }

  /// Reads the journals of batches by the folders of their outputs.
  package init(ofFolders roots: [String]) throws {
    batches = try roots.map { try BatchStatus(of: BatchFolder(root: $0)) }
  }

  var entries: [JournalEntry] { batches.flatMap(\.entries) }
  /// The items in each state, over all batches.
  package var counts: BatchStatus.Counts { BatchStatus.Counts(entries) }
  /// The reasons of failures, over all batches.
  package var causes: [FailureCause] { FailureCause.causes(of: entries) }

  /// The number of items to process; nil while a batch does not know it.
  package var due: Int? {
    batches.reduce(0) { sum, batch in
      guard let sum, let due = batch.due else { return nil }
      return sum + due
    }
  }

  /// Sums over all batches.
  package var totals: Totals {
    var totals = Totals()
    for entry in entries {
      totals.seconds += entry.seconds
      totals.peakMemory = max(totals.peakMemory, entry.peakMemory)
      totals.bytesRead = totals.bytesRead.addingClamped(entry.size)
      totals.facesBefore = totals.facesBefore.addingClamped(entry.facesBefore)
      totals.facesAfter = totals.facesAfter.addingClamped(entry.facesAfter)
      for file in entry.outputs {
        totals.bytesWritten = totals.bytesWritten.addingClamped(file.size)
      }
    }
    return totals
  }
}

extension Int {
  /// The sum, saturated at the limit: journals are read from disks.
  fileprivate func addingClamped(_ other: Int) -> Int {
    let (sum, overflow) = addingReportingOverflow(other)
    return overflow ? (other > 0 ? .max : .min) : sum
  }
}

// MARK: JSON

extension BatchReport {
  /// The report as JSON, with `"meshpipeBatchReport": 1` as its first member.
  ///
  /// - Parameter includesItems: Without them it is the output of `meshpipe batch status --json`.
  package func json(includesItems: Bool = true) -> JSONValue {
    let totals = totals
    var members: [JSONValue.Member] = [
      .init("meshpipeBatchReport", Self.formatVersion.json),
      .init("meshpipe", meshpipeVersion.json),
      .init("counts", counts.json(due: due)),
      .init(
        "totals",
        [
          "seconds": BatchStatus.rounded(totals.seconds), "peakMemoryBytes": totals.peakMemory.json,
          "bytesRead": totals.bytesRead.json, "bytesWritten": totals.bytesWritten.json,
          "facesBefore": totals.facesBefore.json, "facesAfter": totals.facesAfter.json,
        ]), .init("causes", JSONValue(.array(causes.map(\.json)))),
      .init("batches", JSONValue(.array(batches.map(\.json)))),
    ]
    if includesItems {
      let items = batches.flatMap { batch in
        batch.entries.map { entry in
          var json = entry.json
          if case .object(let members) = json.content {
            json.content = .object([.init("folder", batch.folder.root.json)] + members)
          }
          return json
        }
      }
      members.append(.init("items", JSONValue(.array(items))))
    }
    return JSONValue(.object(members))
  }
}

extension BatchStatus.Counts {
  func json(due: Int?) -> JSONValue {
    [
      "done": done.json, "warned": warned.json, "failed": failed.json, "temporary": temporary.json,
      "due": due.json,
    ]
  }
}

extension FailureCause {
  fileprivate var json: JSONValue {
    [
      "exit": Int(exitCode.rawValue).json, "kind": exitCode.failureKind.json,
      "message": message.json, "count": count.json, "example": example.json,
      "exampleMessage": exampleMessage.json,
    ]
  }
}

extension BatchStatus {
  static func rounded(_ number: Double) -> JSONValue { number.json(digits: 4) }

  fileprivate var json: JSONValue {
    [
      "folder": folder.root.json, "activity": activity.rawValue.json,
      "counts": counts.json(due: due),
      "itemsPerSecond": rate.map(Self.rounded) ?? JSONValue(.null),
      "secondsLeft": secondsLeft.map(Self.rounded) ?? JSONValue(.null),
      "damagedLines": damagedLines.json,
      "shards": JSONValue(.array(parts.map(\.json))),
      "runs": JSONValue(.array(runs.map(\.json))),
    ]
  }
}

extension BatchStatus.Part {
  fileprivate var json: JSONValue {
    [
      "shard": (shard?.text ?? "").json, "activity": activity.rawValue.json,
      "counts": counts.json(due: due), "host": (run?.host ?? "").json,
      "process": (run?.process ?? 0).json,
      "began": (run.map { UTC.text(of: $0.time) } ?? "").json,
    ]
  }
}

extension BatchReport {
  /// The report as one page of HTML.
  ///
  /// - Parameter path: The path of the page: beyond some thousand items the images are links
  ///   relative to it.
  package func html(at path: String) -> String {
    var page = BatchHTML(self, at: path)
    return page.text
  }

  /// Writes the report as HTML or JSON, by the extension of the path; it appears complete or not at
  /// all.
  ///
  /// - Throws: ``UnknownReportKind``, and `FileError`.
  package func write(to path: String) throws {
    switch try Self.kind(ofPath: path) {
    case .html: try FileSystem.replaceFile(path, with: html(at: path))
    case .json: try FileSystem.replaceFile(path, with: json().prettyText)
    }
  }

  /// The kinds of report.
  package enum Kind: Sendable {
    case html, json
  }

  /// The kind of report for a path; call it before doing the work to report on.
  package static func kind(ofPath path: String) throws(UnknownReportKind) -> Kind {
    switch fileExtension(of: path) {
    case "html", "htm": .html
    case "json": .json
    default: throw UnknownReportKind(path: path)
    }
  }
}

/// A report path that ends neither in .html nor in .json.
package struct UnknownReportKind: UserError, Equatable {
  package var path: String

  package var exitCode: ExitCode { .usage }
  package var message: String { "\(path): a report is written as .html or .json" }
}
