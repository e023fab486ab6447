import MeshPipeline
import MeshTestSupport
import Testing

/// Outputs with `maximumBytes`.
@Suite struct OutputLimitTests {
  private static let environment = PipelineEnvironment(
    stages: [Load.self, Shrink.self], formats: [Packed.self, Blind.self, Full.self, Tri.self])

  private let folder: TestKit.Folder

  init() throws {
    folder = try TestKit.Folder()
    try folder.write("columns 10", to: "scan.tri")
  }

  /// Writes a scene with textures of 10,000 and 20,000 bytes, `kept` and `packed`.
  private func write(
    _ output: String, bytes: [Int] = [10_000, 20_000], variables: String = "{}",
    _ change: (inout PipelineRequest) -> Void = { _ in }
  ) throws -> RunReport.OutputReport {
    let document = PipelineDocument(
      parsing: """
        { "meshpipe": 1, "variables": \(variables),
          "stages": [ { "use": "load", "with": { "bytes": \(bytes) } } ],
          "outputs": [ { "path": "\(folder.path)/out.\(output) } ] }
        """, file: "test.json")
    var request = PipelineRequest(input: folder.file("scan.tri"))
    change(&request)
    let resolution = document.resolve(in: Self.environment, for: request)
    let report = try PipelineRunner(try resolution.get()).run()
    return try #require(report.outputs.first)
  }

  private func notes(_ report: RunReport.OutputReport) -> [String: JSONValue] {
    Dictionary(report.notes.map { ($0.key, $0.value) }) { first, _ in first }
  }

  @Test func `what fits is written as without a limit`() throws {
    let plain = try write(#"packed""#)
    #expect(plain.files.map(\.bytes) == [40_000])
    let limited = try write(#"packed", "maximumBytes": "40kB""#)
    #expect(limited.files.map(\.isUnchanged) == [true])
    #expect(notes(limited) == ["maximumBytes": 40_000.json])
  }

  @Test func `the request sets a limit too`() throws {
    for (setting, bytes) in [
      ("maximumBytes=36kB", 36_000), ("packed.maximumBytes=36000", 36_000),
      ("maximumBytes=1MB", 1_000_000),
    ] {
      let report = try write(#"packed", "maximumBytes": 1"#) { $0.settings = [setting] }
      #expect(notes(report)["maximumBytes"] == bytes.json)
    }
  }

  @Test func `textures lose quality first`() throws {
    // 85 % of 30,000 are 25,500, beside 10,000 of geometry.
    let report = try write(#"packed", "maximumBytes": 36000"#)
    #expect(report.files.map(\.bytes) == [35_500])
    #expect(
      notes(report) == [
        "maximumBytes": 36_000.json, "quality": 85.json, "summary": "to fit: JPEG quality 85".json,
      ])
  }

  @Test func `then the format's smaller forms are tried`() throws {
    // At 70 %, 21,000 beside 10,000: too much. The next form has 5000.
    let report = try write(#"packed", "maximumBytes": "30kB""#)
    #expect(report.files.map(\.bytes) == [26_000])
    #expect(notes(report)["packing"] == "some".json)
    // Not every program may read it.
    #expect(report.warnings.count { $0.contains("it has packing some, which a program") } == 1)
    #expect(notes(report)["quality"] == 70.json)
    #expect(notes(report)["textureSize"] == nil)
  }

  @Test func `textures lose size at last`() throws {
    let report = try write(#"packed", "maximumBytes": "10kB""#)
    let bytes = try #require(report.files.first).bytes
    #expect(bytes <= 10_000)
    #expect(notes(report)["packing"] == "all".json)
    let size = try #require(notes(report)["textureSize"]?.number)
    #expect(size < 16_384)
    // The next larger size would not have fitted.
    #expect(Packed.geometry[.all, default: 0] + 2 * (bytes - 1000) > 10_000)
  }

  @Test func `options that the pipeline sets stay`() throws {
    let report = try write(#"packed", "with": { "packing": "none" }, "maximumBytes": "20kB""#)
    #expect(notes(report)["packing"] == nil)
    #expect(notes(report)["textureSize"] != nil)
    #expect(try #require(report.files.first).bytes <= 20_000)
  }

  @Test func `a choice that is left to the user is open to all that it offers`() throws {
    let variables = """
      { "packing": { "type": "string", "default": "none", "choices": ["none", "all", "hard"], "help": "" } }
      """
    let output = #"packed", "with": { "packing": "${packing}" }, "maximumBytes": "#
    for (limit, packing) in [(10_000, nil), (9000, "all"), (1000, "all"), (600, "hard")] {
      let report = try write(output + "\(limit)", bytes: [], variables: variables)
      #expect(notes(report)["packing"] == packing?.json)
    }
    // What the user chose stays, and what would do is named.
    let message = try #require(throws: RunFailure.self) {
      try write(output + "900", bytes: [], variables: variables) {
        $0.variables = ["packing=all"]
      }
    }.message
    #expect(message.contains("has at least 1.0 kB, more than"))
    #expect(message.contains("it would have 500 B with packing hard, for readers that know it"))
  }

  @Test func `what a level sets stays`() throws {
    let document = PipelineDocument(
      parsing: """
        { "meshpipe": 1,
          "variables": { "packing": { "type": "string", "default": "none", "choices": ["none", "all"], "help": "" } },
          "levels": { "near": { "with": { "packing": "none" } }, "far": {} },
          "stages": [ { "use": "load" } ],
          "outputs": [ { "path": "\(folder.path)/${level}.packed", "with": { "packing": "${packing}" },
            "maximumBytes": 9000, "optional": true } ] }
        """, file: "test.json")
    let request = PipelineRequest(input: folder.file("scan.tri"))
    let resolution = document.resolve(in: Self.environment, for: request)
    let report = try PipelineRunner(try resolution.get()).run()
    #expect(report.outputs.map(\.level) == ["near", "far"])
    #expect(report.outputs.map { $0.files.map(\.bytes) } == [[], [1000]])
  }

  @Test func `a form that the output already has is where smaller ones begin`() throws {
    let variables = """
      { "packing": { "type": "string", "default": "all", "choices": ["some", "all", "hard"], "help": "" } }
      """
    let report = try write(
      #"packed", "with": { "packing": "${packing}" }, "maximumBytes": 700"#, bytes: [],
      variables: variables)
    #expect(notes(report)["packing"] == "hard".json)
  }

  @Test func `the first form that would do is named`() throws {
    for (limit, words) in [
      (6000, "5.0 kB with packing some"), (2000, "1.0 kB with packing all"),
    ] {
      let message = try #require(throws: RunFailure.self) {
        try write(
          #"packed", "with": { "packing": "none" }, "maximumBytes": \#(limit)"#, bytes: [])
      }.message
      #expect(message.contains("has at least 10.0 kB, more than"))
      #expect(message.contains("it would have \(words), for readers"))
    }
  }

  @Test func `all files of an output count`() throws {
    let report = try write(#"full", "maximumBytes": "28kB""#)
    #expect(report.files.count == 3)
    #expect(report.files.reduce(0) { $0 + $1.bytes } <= 28_000)
  }

  @Test func `a format without textures leaves them alone`() throws {
    let message = try #require(throws: RunFailure.self) {
      try write(#"tri", "maximumBytes": 10, "loses": "expected""#)
    }.message
    #expect(message.contains("out.tri: has at least "))
  }

  @Test func `what can't be made to fit is an error, and leaves nothing behind`() throws {
    let failure = try #require(throws: RunFailure.self) {
      try write(#"packed", "maximumBytes": 400"#)
    }
    #expect(failure.exitCode == .data)
    #expect(
      failure.message == """
        \(folder.path)/out.packed: has at least 1.1 kB, more than its 'maximumBytes' of 400 B \
        allows; reduce its faces, or raise the limit
        """)
    #expect(folder.names == ["scan.tri"])
    let optional = try write(#"packed", "maximumBytes": 400, "optional": true"#)
    #expect(optional.files.isEmpty)
    #expect(optional.warnings.count { $0.hasPrefix("was not written") } == 1)
  }

  @Test func `what a format does not write says nothing of its size`() throws {
    let message = try #require(throws: RunFailure.self) {
      try write(#"blind", "maximumBytes": 1000"#)
    }.message
    #expect(message.contains("has at least 5.0 kB"))
  }

  @Test func `warnings are those of the file that stays`() throws {
    let report = try write(#"packed", "maximumBytes": "10kB""#)
    #expect(report.warnings.count == 2 && report.warnings.first == "packed")
  }

  @Test func `a scene without textures is packed`() throws {
    let report = try write(#"packed", "maximumBytes": 5000"#, bytes: [])
    #expect(report.files.map(\.bytes) == [5000])
    #expect(notes(report)["summary"] == "to fit: packing some".json)
  }

  @Test func `the limit may be a variable`() throws {
    let variables =
      #"{ "size": { "type": "bytes", "default": "1MB", "minimum": "1kB", "help": "" } }"#
    let output = #"packed", "maximumBytes": "${size}""#
    #expect(try notes(write(output, variables: variables))["maximumBytes"] == 1_000_000.json)
    let report = try write(output, variables: variables) {
      $0.variables = ["size=30 KiB"]
    }
    #expect(try #require(report.files.first).bytes <= 30_720)
  }

  @Test(
    arguments: [
      ("\"ten\"", "a size like \"10MB\" or 4096"), ("0", "at least 1 byte"),
      ("-5", "a size like \"10MB\" or 4096"), ("1.5", "a size like"), ("true", "a size like"),
    ])
  func `a limit that is none is an error`(value: String, words: String) throws {
    let document = PipelineDocument(
      parsing: """
        { "meshpipe": 1, "outputs": [ { "path": "out.packed",
          "maximumBytes": \(value) } ] }
        """, file: "test.json")
    let request = PipelineRequest(input: folder.file("scan.tri"))
    let diagnostics = document.resolve(in: Self.environment, for: request).diagnostics
    #expect(diagnostics.map(\.position.line) == [2])
    #expect(diagnostics.first?.message.contains(words) == true)
  }
}

/// Gives the scene textures.
private struct Load: Stage {
  static let summary = "Gives the scene textures."
  static let dataFlow = StageDataFlow(makes: [.textures])
  struct Parameters: StageParameters {
    @Parameter("The size of each.")
    var bytes: [Int] = []
  }
  let parameters: Parameters
  init(_ parameters: Parameters) { self.parameters = parameters }
  func run(_ scene: consuming Scene, in context: StageContext) throws -> Scene {
    scene.textures = parameters.bytes.enumerated().map { index, count in
      Texture(
        fileName: "\(index).png", encoding: .png, bytes: [UInt8](repeating: 1, count: count))
    }
    return scene
  }
}

/// Textures whose bytes go with the quality and the size.
private struct Shrink: Stage {
  static let summary = "Makes textures smaller."
  static let role: StageRole? = .limitsTextures
  struct Parameters: StageParameters {
    @Parameter("Pixels along a side.")
    var maximumSize = 16_384
    @Parameter("Quality.")
    var quality = 100
  }
  let parameters: Parameters
  init(_ parameters: Parameters) { self.parameters = parameters }
  func run(_ scene: consuming Scene, in context: StageContext) throws -> Scene {
    for index in scene.textures.indices {
      let count = scene.textures[index].bytes.count
      let kept = count * parameters.quality / 100 * parameters.maximumSize / 16_384
      scene.textures[index].bytes.removeLast(count - kept)
    }
    return scene
  }
}

/// A format that keeps textures, if materials use them.
private enum Blind: WritableFormat {
  static let id = "blind"
  static let name = "Test of unused textures"
  static let extensions = ["blind"]
  static let keeps = Set(SceneFeature.allCases)
  static let axes = AxisConvention.declared
  static let remark = ""

  static func write(_ scene: Scene, to output: OutputSet, in context: WritingContext) throws {
    let writer = try FileWriter(creating: output.mainPath)
    try writer.write([UInt8](repeating: 0, count: 5000))
    try writer.finish()
  }
}

/// A format that packs its geometry.
private enum Packed: WritableFormat {
  static let id = "packed"
  static let name = "Test of packing"
  static let extensions = ["packed"]
  static let keeps = Set(SceneFeature.allCases)
  static let axes = AxisConvention.declared
  static let remark = ""
  static let smallerForms: [[String: JSONValue]] = [
    ["packing": "some".json], ["packing": "all".json],
  ]
  static let smallestForms: [[String: JSONValue]] = [["packing": "hard".json]]
  static let geometry: [Packing: Int] = [.none: 10_000, .some: 5000, .all: 1000, .hard: 500]

  enum Packing: String, CaseIterable, ParameterValue { case none, some, all, hard }
  struct Options: StageParameters {
    @Parameter("How geometry is packed.")
    var packing = Packing.none
  }

  static func write(_ scene: Scene, to output: OutputSet, in context: WritingContext) throws {
    let options = try context.options(of: Packed.self)
    context.stage.warn("packed")
    let writer = try FileWriter(creating: output.mainPath)
    try writer.write([UInt8](repeating: 0, count: geometry[options.packing, default: 0]))
    for texture in scene.textures { try writer.write(texture.bytes) }
    try writer.finish()
  }
}
