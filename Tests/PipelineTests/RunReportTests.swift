import Foundation
import MeshPipeline
import Testing

@Suite struct RunReportTests {
  private static let text = """
    { "meshpipe": 1, "description": "a test",
      "variables": { "share": { "type": "amount", "default": "50%" } },
      "stages": [
        { "id": "kept", "use": "pick", "with": { "keep": ["floor"] } },
        { "use": "paint", "when": "frames" },
        { "id": "light", "use": "thin", "with": { "target": "${share}" }, "expect": "faces > 2" },
        { "id": "skin", "use": "skin", "with": { "bytes": [1, 2, 3] } } ],
      "outputs": [ { "path": "DIR/out.full" }, { "path": "DIR/kept.tri", "from": "kept" } ] }
    """

  private func run(in folder: TestKit.Folder) throws -> RunReport {
    try folder.write("columns 1000\nclasses floor wall\nside scan.mtl", to: "scan.tri")
    let document = PipelineDocument(
      parsing: Self.text.replacingOccurrences(of: "DIR", with: folder.path), file: "test.json")
    let request = PipelineRequest(input: folder.file("scan.tri"))
    var options = PipelineRunner.Options()
    options.hashesOutputs = true
    options.measuresMemoryOfSteps = true
    let pipeline = try document.resolve(in: TestKit.environment, for: request).get()
    return try PipelineRunner(pipeline, options: options).run()
  }

  /// The report without what is measured, and with the folder's name taken out.
  private func stable(_ report: RunReport, _ folder: TestKit.Folder) -> String {
    func strip(_ value: JSONValue) -> JSONValue {
      switch value.content {
      case .object(let members):
        JSONValue(
          .object(
            members.filter { !["seconds", "peakMemoryBytes"].contains($0.key) }
              .map { .init($0.key, strip($0.value)) }))
      case .array(let elements): JSONValue(.array(elements.map(strip)))
      default: value
      }
    }
    return strip(report.json).prettyText.replacingOccurrences(of: folder.path, with: "DIR")
  }

  @Test func `times aside, the same run gives the same report`() throws {
    let (first, second) = (try TestKit.Folder(), try TestKit.Folder())
    let text = stable(try run(in: first), first)
    #expect(text == stable(try run(in: second), second))
    let json = try #require(JSONReader.read(Array(text.utf8)).value)
    #expect(json["meshpipeReport"] == JSONReader.read(Array(text.utf8)).value?["meshpipeReport"])
    #expect(json["meshpipeReport"]?.content == .number(1))
  }

  @Test func `the report says what went in and came out`() throws {
    let folder = try TestKit.Folder()
    let report = try run(in: folder)
    #expect(report.input?.counts.faces == 2000)
    #expect(report.input?.features == [.classification, .faces])
    #expect(report.input?.sideFiles == [folder.file("scan.mtl")])
    #expect(report.stages.map(\.after.faces) == [1000, 1000, 500, 500])
    #expect(report.stages[2].notes.map { "\($0.key) \($0.value.compactText)" } == ["kept 500"])
    #expect(
      report.outputs.map { $0.files.map { FileSystem.name(of: $0.path) } } == [
        ["kept.tri"], ["out.full", "skin.png"],
      ])
    #expect(report.outputs.map(\.from) == ["kept", "skin"])
    let skin = try #require(report.outputs[1].files.last)
    #expect(skin.bytes == 3)
    // printf '\001\002\003' | sha256sum
    #expect(skin.sha256 == "039058c6f2c0cb492c533b0a4d14ef77cc0f78abccced5287d84a1a2011cfb81")
    #expect(try run(in: folder).outputs.allSatisfy { $0.files.allSatisfy(\.isUnchanged) })
    #if os(Linux)
      #expect(report.peakMemory > 1 << 20)
      #expect(report.stages.allSatisfy { $0.peakMemory > 1 << 20 })
      #expect(report.stages.allSatisfy { $0.peakMemory <= report.peakMemory })
    #endif
  }

  @Test func `the report holds the resolved pipeline with every default`() throws {
    let folder = try TestKit.Folder()
    let pipeline = try run(in: folder).pipeline
    guard case .array(let stages)? = pipeline["stages"]?.content else {
      throw TestFailure("no stages")
    }
    #expect(
      stages[2]["with"]?.compactText
        == #"{ "target": "50%", "maxError": "100%", "preserve": [], "ratio": 0.5, "ranks": [], "#
        + #""along": [0, 1, 0], "place": [0, 0, 0] }"#)
    #expect(stages[1]["id"]?.content == .string("paint"))
    #expect(pipeline["variables"]?.compactText == #"{ "share": "50%" }"#)
  }

  @Test func `the table says the same in a few lines`() throws {
    let folder = try TestKit.Folder()
    var report = try run(in: folder)
    report.input?.path = "scan.tri"
    report.input?.seconds = 0.0123
    for index in report.stages.indices { report.stages[index].seconds = 1.5 }
    for index in report.outputs.indices {
      report.outputs[index].path = FileSystem.name(of: report.outputs[index].path)
      report.outputs[index].seconds = 12.34
    }
    report.seconds = 30
    report.peakMemory = 81_234_567
    report.outputs[0].files[0].bytes = 93
    report.stages[2].notes[0].key = "stoppedBy"
    report.stages[2].notes[0].value = "maxError"
    report.stages[3].notes = report.stages[2].notes
    report.stages[3].notes[0].key = "summary"
    report.stages[3].notes[0].value = "holes: 2 filled, 1 open"
    #expect(
      report.table == """
        read   scan.tri  2,000 faces                             0.012 s
        kept   pick      2,000 → 1,000 faces                      1.50 s
        paint            skipped: there are no frames             1.50 s
        light  thin      1,000 → 500 faces, stopped by maxError   1.50 s
        skin             500 faces                                1.50 s
                         holes: 2 filled, 1 open
        write  kept.tri  1,000 faces, 93 B                        12.3 s
        write  out.full  500 faces, 22 B in 2 files               12.3 s
        done             peak memory 81.2 MB                      30.0 s

        """)
    report.input?.path = "a/long/way/to/a/folder/with/scans/living-room-of-the-second-floor.tri"
    let table = report.table(width: 80)
    let lines = table.split(separator: "\n")
    #expect(lines.allSatisfy { $0.count <= 80 }, "\(table)")
    #expect(lines[0].contains("…") && lines[0].contains("floor.tri  2,000 faces"))
    #expect(report.table.contains("a/long/way"))
    // A summary is never cut: it goes on below.
    let words =
      "holes: 76 open, 49% new surface, in mid-air: 2 joined, 3 left out, and a little more"
    report.stages[3].notes[0].value = words.json
    let narrow = report.table(width: 80).split(separator: "\n")
    #expect(narrow.allSatisfy { $0.count <= 80 })
    let row = try #require(narrow.firstIndex { $0.contains("holes: 76") })
    let joined = narrow[row...row + 1].joined(separator: " ").split(separator: " ")
    #expect(joined.joined(separator: " ") == words)
    // Nor is the reason why a stage stopped early, although the time stands beside it.
    report.stages[2].id = "decimate-what-is-left"
    report.stages[2].notes[0].value = "maxError after many passes"
    let wrapped = report.table(width: 70).split(separator: "\n")
    #expect(wrapped.allSatisfy { $0.count <= 70 }, "\(wrapped.joined(separator: "\n"))")
    let stopped = try #require(wrapped.firstIndex { $0.hasPrefix("decimate") })
    #expect(wrapped[stopped].hasSuffix(" 1.50 s"))
    let text = wrapped[stopped...stopped + 2].joined(separator: " ")
    #expect(
      text.replacing(" 1.50 s", with: "", maxReplacements: 1).split(separator: " ").suffix(10)
        .joined(separator: " ") == "1,000 → 500 faces, stopped by maxError after many passes")
  }

  @Test(arguments: [
    (0, "0 B"), (999, "999 B"), (1000, "1.0 kB"), (1_234_567, "1.2 MB"), (99_900, "99.9 kB"),
    (123_456_789, "123 MB"), (999_999, "1.0 MB"), (5_000_000_000, "5.0 GB"),
  ])
  func `sizes have the digits that matter`(bytes: Int, text: String) {
    #expect(NumberText.byteCount(bytes) == text)
  }
}
