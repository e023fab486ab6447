import Batch
import MeshPipeline

/// Writes a report of batches, of all their shards and machines.
enum BatchReportVerb {
  static func perform(_ invocation: Invocation) throws -> ExitCode {
    let paths = invocation.values(of: .batchReportOutput)
    for path in paths where path != "-" { _ = try BatchReport.kind(ofPath: path) }
    let report = try BatchReport(ofFolders: invocation.operands)
    for path in paths where path != "-" { try report.write(to: path) }
    if paths.isEmpty || paths.contains("-") {
      try StandardStream.output.write(report.json().prettyText)
    }
    return .success
  }
}
