package import MeshPipeline
import NativeLibraries

/// What was done to a scan as one page of HTML, with the model to turn and measure.
///
/// The page needs no network and no other file. Nothing that comes from outside can become a part of its markup: it is
/// JSON in an element that no browser runs, and scripts run only if their hash is in the page's policy.
package struct ReportPage {
  /// The faces of a model beyond which it is reduced, where the user gives no other number.
  package static let usualFaces = 300_000

  private let data: PageData
  private let json: JSONValue

  /// Reduces the models and encodes them: about 3 s on one core for two of a million faces.
  ///
  /// - Parameters:
  ///   - faces: The most faces of all models of a kind in the page, and half of the most points.
  ///   - shown: How paths are shown.
  ///   - warn: Called for a texture or a photograph that can't be decoded; the page is made without it.
  /// - Throws: ``NoPageLibrary``, ``Cancelled``.
  package init(
    _ runs: [ReportedRun], title: String, faces: Int = usualFaces, shown: ShownPaths = ShownPaths(),
    cancellation: Cancellation = Cancellation(), warn: (String) -> Void = { _ in }
  ) throws {
    try Self.requireLibrary()
    let data = PageData()
    let share = max(1, faces / max(1, runs.count))
    let members = try runs.map { run in
      try PageRun(run, faces: share, in: data, cancellation: cancellation, warn: warn).json
    }
    self.data = data
    json = shown.readable([
      "version": meshpipeBuild.json, "title": title.json, "runs": JSONValue(.array(members)),
    ])
  }

  /// Finds out whether pages can be made, before any work is done.
  ///
  /// - Throws: ``NoPageLibrary``.
  package static func requireLibrary() throws(NoPageLibrary) {
    if PageFiles.library == nil { throw NoPageLibrary() }
  }

  /// The page in UTF-8.
  package var html: [UInt8] {
    let library = PageFiles.library ?? []
    let policy =
      "default-src 'none'; img-src data: blob:; style-src 'unsafe-inline'; "
      + "script-src '\(Self.hash(of: library))' '\(Self.hash(of: PageFiles.script))'"
    var page: [UInt8] = []
    page.reserveCapacity(data.size + library.count + (1 << 18))
    func add(_ text: String) { page += text.utf8 }
    add("<!doctype html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n")
    add("<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n")
    add("<meta name=\"generator\" content=\"meshpipe \(meshpipeVersion)\">\n")
    add("<meta http-equiv=\"Content-Security-Policy\" content=\"\(policy)\">\n")
    // The title itself is a text among the data.
    add("<title>Report</title>\n<style>\n")
    page += PageFiles.style
    add("</style>\n")
    page += PageFiles.body
    add("<script type=\"application/json\" id=\"page\">")
    page += Self.escaped(json.compactBytes)
    add("</script>\n")
    for (index, section) in data.sections.enumerated() {
      add("<script type=\"text/plain\" id=\"data-\(index)\">")
      page += section
      add("</script>\n")
    }
    add("<!--\n")
    page += PageFiles.libraryLicence
    add("-->\n<script>")
    page += library
    add("</script>\n<script type=\"module\">")
    page += PageFiles.script
    add("</script>\n</html>\n")
    return page
  }

  /// A script's hash, as policies have it.
  private static func hash(of script: [UInt8]) -> String {
    "sha256-" + SHA256.base64(ofHexadecimal: SHA256.hexadecimal(of: script))
  }

  /// JSON without the characters that end an element or begin another one, which are only in its texts.
  private static func escaped(_ json: [UInt8]) -> [UInt8] {
    var result: [UInt8] = []
    result.reserveCapacity(json.count)
    for byte in json {
      switch byte {
      case UInt8(ascii: "<"): result += "\\u003c".utf8
      case UInt8(ascii: ">"): result += "\\u003e".utf8
      case UInt8(ascii: "&"): result += "\\u0026".utf8
      default: result.append(byte)
      }
    }
    return result
  }
}

/// A build that can't make pages.
package struct NoPageLibrary: UserError, Equatable {
  package init() {}

  package var exitCode: ExitCode { .unavailable }
  package var message: String {
    "pages need three.js, which this meshpipe was built without: install 'libjs-three' (Debian) or set MESHPIPE_THREE "
      + "to a 'three.min.js', and build again"
  }
}
