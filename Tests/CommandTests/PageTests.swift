import Foundation
import MeshPipeline
import MeshTestSupport
import NativeLibraries
import Testing

@testable import MeshpipeCommand

/// A page as a browser shows it.
private struct OpenedPage: Decodable {
  /// Until the model was there.
  var seconds: Double
  /// Of the steps; nil for those that have none.
  var values: [String?]
  var console: [String]
  var requests: [String]

  /// Opens a page in Chromium and takes steps: see `Tools/checks/page.py`.
  static func open(_ page: String, in folder: TemporaryFolder, _ steps: [String] = []) throws
    -> Self
  {
    _ = try Checkers.program("chromium")
    let python = URL(fileURLWithPath: try Checkers.program("python3"))
    let outcome = try CommandProcess.run(
      python, [Checkout.path("Tools/checks/page.py"), page] + steps, in: folder)
    try #require(outcome.status == 0, "\(outcome.errors)")
    return try JSONDecoder().decode(Self.self, from: outcome.output)
  }
}

private func text(of expression: String) -> String { "eval:String(\(expression))" }
private func byText(_ selector: String) -> String {
  text(of: "document.querySelector('\(selector)').textContent")
}
private func choose(_ value: String) -> String {
  "eval:void (show => { show.value = '\(value)'; show.dispatchEvent(new Event('change')) })"
    + "(document.querySelector('#show'))"
}

/// The share of the pixels of two pictures that differ by more than a number of codes.
private func difference(_ one: Image, _ other: Image, beyond codes: Int) -> Double {
  guard one.size == other.size else { return 1 }
  let count = stride(from: 0, to: one.pixels.count, by: 3).count { start in
    (start..<start + 3).contains { abs(Int(one.pixels[$0]) - Int(other.pixels[$0])) > codes }
  }
  return Double(3 * count) / Double(one.pixels.count)
}

struct PageTests {
  private func pagedRun(_ folder: TemporaryFolder, named name: String = "scan.obj") throws {
    try FileManager.default.copyItem(
      atPath: Checkout.path("samples/living-room.obj"), toPath: folder.path + "/" + name)
    let outcome = try CommandProcess.run(
      [
        "run", Checkout.path("pipelines/blender.json"), name, "-o", "out.glb", "--report", "r.html",
      ],
      in: folder)
    #expect(outcome.status == 0, "\(outcome.errors)")
  }

  @Test func `a page shows the model as 'preview' does`() throws {
    let folder = try TemporaryFolder()
    let sample = Checkout.path("samples/living-room.obj")
    for arguments in [["-o", "a.html"], ["-o", "a.png", "--size", "960x640"]] {
      let outcome = try CommandProcess.run(["preview", sample] + arguments, in: folder)
      #expect(outcome.status == 0 && outcome.errors.isEmpty, "\(outcome.errors)")
    }
    let page = try OpenedPage.open(
      "a.html", in: folder, ["size:960x640", "hash:model", "picture:b.png"])
    #expect(page.console == [])
    #expect(page.requests.count == 1, "\(page.requests)")
    let pictures = try ["a.png", "b.png"].map { name in
      try Image.decoded(from: FileSystem.contents(of: "\(folder.path)/\(name)"), path: name)
    }
    // The page has no shadows of near surfaces, which make a fifth of the light.
    #expect(difference(pictures[0], pictures[1], beyond: 70) < 0.03)
    let blank = Image(width: 960, height: 640, filledWith: (225, 228, 231))
    #expect(difference(pictures[1], blank, beyond: 70) > 0.25)
  }

  @Test func `one can turn, measure, compare and look up classes by pointer and keys`() throws {
    let folder = try TemporaryFolder()
    try pagedRun(folder)
    let page = try OpenedPage.open(
      "r.html", in: folder,
      [
        "wait:1.5", "click:640,520", byText("#status"), "key:m", "click:500,470", "click:760,470",
        byText("#lengths table"), "key:Enter", byText("#status"), "key:Escape",
        "eval:document.querySelector('#compare').click()", "key:ArrowLeft", "key:Shift+ArrowUp",
        "key:+", "wheel:640,400,-200", "drag:600,400,660,430",
        "touch:560,400,520,400,700,400,760,400", choose("normals"), choose("field:distance"),
        byText("#legend"), "eval:document.querySelector('#wireframe').click()", "key:Home",
        byText("#stages"), byText("#outputs"),
      ])
    #expect(page.console == [])
    func value(_ step: Int) -> String { (page.values[step] ?? nil) ?? "" }
    #expect(value(2).contains("m² in all"), "\(value(2))")
    #expect(value(6).contains("m"), "\(value(6))")
    #expect(value(8).contains("First place") || value(8).contains("no surface"))
    #expect(value(19).contains("Distance"))
    #expect(value(22).contains("light (decimate)"))
    #expect(value(23).firstMatch(of: /[0-9a-f]{64}/) != nil)
  }

  @Test func `a stage from the cache says so, and has no time`() throws {
    let folder = try TemporaryFolder()
    try pagedRun(folder)
    let path = folder.path + "/r.html"
    let html = try String(contentsOfFile: path, encoding: .utf8)
    // Of the sample no stage takes long enough to be kept.
    let marked = html.replacing("\"use\": \"weld\"", with: "\"use\": \"weld\", \"cached\": true")
    #expect(marked != html)
    try marked.write(toFile: path, atomically: true, encoding: .utf8)
    let row =
      "[...document.querySelectorAll('#stages tr')].find(r => r.textContent.startsWith('weld'))"
    let page = try OpenedPage.open(
      "r.html", in: folder, [text(of: "\(row).children[3].textContent")])
    #expect(page.console == [])
    #expect(page.values[0] == "cached")
  }

  @Test func `every control has a name, and a narrow dark screen shows all of it`() throws {
    let folder = try TemporaryFolder()
    try pagedRun(folder)
    let nameless = """
      [...document.querySelectorAll('button,select,input,canvas,[role=region],[role=img]')].filter(e => \
      e.closest('[hidden]') === null && !(e.getAttribute('aria-label') || e.textContent.trim() || \
      (e.labels && [...e.labels].some(l => l.textContent.trim())))).map(e => e.outerHTML).join()
      """
    let page = try OpenedPage.open(
      "r.html", in: folder,
      [
        "size:360x740", "dark", text(of: nameless),
        text(of: "document.documentElement.scrollWidth"),
        text(of: "getComputedStyle(document.body).backgroundColor"),
        text(of: "[...document.querySelectorAll('th')].every(e => e.scope)"),
        text(of: "document.documentElement.lang + document.querySelectorAll('h1').length"),
        text(of: "document.querySelector('#canvas').getAttribute('aria-label')"),
        // Tab reaches the view, and its keys work there.
        "eval:document.querySelector('#canvas').focus()", "key:Home", "key:Tab",
        text(of: "document.activeElement.id"),
      ])
    #expect(page.console == [])
    #expect(page.values[0] == "")
    #expect(page.values[1] == "360")
    #expect(page.values[2] == "rgb(20, 23, 26)")
    #expect(page.values[3] == "true")
    #expect(page.values[4] == "en1")
    #expect(page.values[5]?.hasPrefix("Model, ") == true)
    #expect(page.values[9]?.isEmpty == false)
  }

  @Test func `a hostile name stays a name`() throws {
    let folder = try TemporaryFolder()
    let name = "a<img src=x onerror=\"window.evil=1\">'&\u{2028}<script>window.evil=1<.obj"
    try pagedRun(folder, named: name)
    let page = try OpenedPage.open(
      "r.html", in: folder,
      [text(of: "window.evil"), byText("#title"), text(of: "document.images.length")])
    #expect(page.console == [])
    #expect(page.values[0] == "undefined")
    #expect(page.values[1] == name)
    #expect(page.values[2] == "1")
  }

  @Test func `what needs no browser is said of pages`() throws {
    let folder = try TemporaryFolder()
    try folder.writeScan()
    func run(_ arguments: [String]) throws -> Outcome {
      try CommandProcess.run(arguments, in: folder)
    }
    let size = try run(["preview", "scan.obj", "-o", "a.html", "--size", "40"])
    #expect(size.status == 64 && size.errors.contains("'--size' is for images"))
    let faces = try run(["run", "scan.obj", "-o", "a.glb", "--report-faces", "5000"])
    #expect(faces.status == 64 && faces.errors.contains("--report FILE.html"))
    let standard = try run(["preview", "scan.obj", "--html", "-o", "-"])
    #expect(standard.status == 0 && standard.text.hasPrefix("<!doctype html>"))
    // A run that fails has a page that says why.
    let failed = try run(["run", "scan.obj", "-s", "weld", "-o", "a.glb", "--report", "f.html"])
    #expect(failed.status == 0)
    let compared = try run(["compare", "scan.obj", "a.glb", "-o", "c.html"])
    #expect(compared.status == 0 && folder.exists("c.html"), "\(compared.errors)")
    let kept = try run(["compare", "scan.obj", "a.glb", "-o", "c.html", "--no-overwrite"])
    #expect(kept.status == 73)
  }

  @Test func `the report of a batch links to the pages of its items`() throws {
    let folder = try TemporaryFolder()
    try folder.writeScan("in/a.obj")
    try folder.writeScan("in/b.obj")
    let outcome = try CommandProcess.run(
      [
        "batch", "in", "-s", "weld", "-o", "out/{stem}.glb", "--report", "r.html",
        "--pages",
      ], in: folder)
    #expect(outcome.status == 0, "\(outcome.errors)")
    let report = try folder.text(of: "r.html")
    let links = report.matches(of: /<a href="([^"]+)">/).map { String($0.1) }
    #expect(links.count == 2)
    for link in links {
      let page = try folder.text(of: link)
      #expect(page.hasPrefix("<!doctype html>") && page.contains("meshpipeReport"))
    }
  }
}
