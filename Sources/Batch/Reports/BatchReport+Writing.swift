package import MeshPipeline

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
