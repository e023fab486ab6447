import MeshPipeline
import MeshTestSupport
import Testing

@testable import Plugins

struct PluginManifestTests {
  /// A manifest with one stage that has a parameter of each kind.
  private let text = """
    {
      "meshpipePlugin": 1, "name": "smooth", "version": "2.1", "protocol": 1,
      "interpreter": ["python3", "-E"], "executable": "bin/smooth.py",
      "author": "Ada", "license": "MIT", "limits": { "seconds": 2, "memoryMB": 64 },
      "stages": [ {
        "name": "smooth", "summary": "Smooths.", "needs": ["faces"], "removes": ["normals"],
        "deterministic": false,
        "parameters": {
          "type": "object", "required": ["mode"],
          "properties": {
            "passes": { "type": "integer", "minimum": 1, "maximum": 9, "default": 3 },
            "reach": { "type": "number", "format": "length", "maximum": "1m", "default": "5mm" },
            "angle": { "format": "angle", "minimum": 10, "maximum": 90, "default": "30deg" },
            "mode": { "type": "string", "enum": ["soft", "hard"], "description": "How." },
            "keep": { "type": "array", "items": { "type": "string", "format": "class" } },
            "share": { "format": "amount", "default": "20%" },
            "weight": { "type": ["number", "null"], "minimum": 0 }
          } } } ]
    }
    """

  private func read(_ text: String, name: String = "smooth") -> PluginManifest.Reading {
    PluginManifest.read(Array(text.utf8), path: "/p/\(name).meshpipe-plugin.json")
  }

  @Test func `a manifest says all that a stage in Swift declares`() throws {
    let reading = read(text)
    #expect(reading.diagnostics.map(\.description) == [])
    let manifest = try #require(reading.manifest)
    #expect(manifest.programPath == "/p/bin/smooth.py")
    #expect(manifest.limits == .init(seconds: 2, memory: 64 << 20))
    let stage = try #require(manifest.stages.first)
    #expect(stage.dataFlow == StageDataFlow(needs: [.faces], removes: [.normals]))
    #expect(!stage.isDeterministic)
    let types = stage.parameters.map { "\($0.name) \($0.type.name) \($0.rangeText ?? "")" }
    #expect(
      types == [
        "passes integer from 1 to 9", "reach length at most 1 m",
        "angle angle from 10deg to 90deg", "mode soft | hard ", "keep [class] ",
        "share amount ", "weight number at least 0",
      ])
    #expect(stage.parameters.filter(\.isRequired).map(\.name) == ["mode"])
  }

  @Test func `values come in base units, and those out of range are told`() throws {
    let stage = try #require(read(text).manifest?.stages.first)
    func base(_ name: String, _ value: JSONValue) -> String {
      let declaration = stage.parameters.first { $0.name == name }
      do throws(ParameterFault) {
        return try declaration?.baseValue(of: value).compactText ?? ""
      } catch {
        return error.message
      }
    }
    #expect(base("reach", "20cm") == "0.2")
    #expect(base("reach", "2m") == "must be at most 1 m")
    #expect(base("angle", 5) == "must be from 10deg to 90deg")
    #expect(base("share", "20%") == #"{ "count": null, "fraction": 0.2 }"#)
    #expect(base("share", 7) == #"{ "count": 7, "fraction": null }"#)
    #expect(base("keep", ["Floor", "wall"]) == #"["floor", "wall"]"#)
    #expect(base("keep", JSONValue(.null)) == "null")
    #expect(base("mode", "sofd") == "'sofd' is not one of 'soft', 'hard'; did you mean 'soft'?")
    #expect(base("passes", 1.5) == "expected a whole number, found 1.5")
  }

  @Test(arguments: [
    ("\"version\": \"2.1\",", "", "1:1: error: \"version\" is missing: such as \"1.0.0\""),
    (
      "\"author\"", "\"autor\"",
      "4:3: error: unknown key 'autor' of the manifest; did you mean 'author'? [autor]"
    ),
    (
      "bin/smooth.py", "../smooth.py",
      "3:51: error: 'executable' must be a path in the folder of the manifest, found '../smooth.py' [executable]"
    ),
    (
      "bin/smooth.py", "/bin/sh",
      "3:51: error: 'executable' must be a path in the folder of the manifest, found '/bin/sh' [executable]"
    ),
    (
      "\"protocol\": 1", "\"protocol\": 2",
      "2:72: error: the plugin speaks version 2 of the protocol, this meshpipe version 1 [protocol]"
    ),
    (
      "\"meshpipePlugin\": 1", "\"meshpipePlugin\": 9",
      "2:21: error: version 9 of manifests is not supported; this meshpipe reads version 1 [meshpipePlugin]"
    ),
    (
      "[\"faces\"]", "[\"face\"]",
      "6:55: error: 'face' is not a feature of scenes; did you mean 'faces'? [stages[0].needs]"
    ),
    (
      "\"type\": \"integer\"", "\"type\": \"int\"",
      "11:29: error: type 'int' of 'passes' is not supported: a parameter is a boolean, integer, number, string or array [stages[0].parameters.properties.passes.type]"
    ),
    (
      "\"default\": 3", "\"default\": 30",
      "11:79: error: the default of 'passes': must be from 1 to 9 [stages[0].parameters.properties.passes.default]"
    ),
    (
      "\"format\": \"amount\"", "\"format\": \"amont\"",
      "16:30: error: unknown format 'amont' of 'share'; did you mean 'amount'? [stages[0].parameters.properties.share.format]"
    ),
    (
      "\"maximum\": 9,", "\"maximum\": 0,",
      "11:51: error: the minimum of 'passes' is above its maximum [stages[0].parameters.properties.passes.minimum]"
    ),
    (
      "\"name\": \"smooth\", \"version\"", "\"name\": \"rough\", \"version\"",
      "2:32: error: the file of a plugin 'rough' must be named rough.meshpipe-plugin.json [name]"
    ),
    ("\"Ada\"", "Ada", "4:13: error: "),
  ])
  func `a mistake is told with its place`(old: String, new: String, message: String) {
    let reading = read(text.replacing(old, with: new))
    #expect(reading.manifest == nil)
    let told = reading.diagnostics.map(\.description)
    let expected = "/p/smooth.meshpipe-plugin.json:" + message
    #expect(told.contains { $0.hasPrefix(expected) }, "\(told)")
  }

  // MARK: Formats

  private func readFormat(_ members: String, program: String = #""executable": "a.py""#)
    -> PluginManifest.Reading
  {
    read(
      """
      { "meshpipePlugin": 1, "name": "smooth", "version": "1", "protocol": 1, \(program),
        "formats": [ { \(members) } ] }
      """)
  }

  @Test func `a manifest says what a format of files is`() throws {
    let reading = readFormat(
      """
      "id": "3pt", "name": "Points", "extensions": ["PT3", "pt"], "reads": ["points", "colors"],
      "writes": ["points"], "up": "z", "sample": "a.pt"
      """)
    #expect(reading.diagnostics.map(\.description) == [])
    let format = try #require(reading.manifest?.formats.first)
    #expect(format.id == "3pt" && format.extensions == ["pt3", "pt"] && format.up == .z)
    #expect(format.reads == [.points, .colors] && format.writes == [.points])
  }

  @Test(arguments: [
    (#""id": "a""#, #""name" is missing"#), (#""name": "A""#, #""id" is missing"#),
    (#""id": "A b""#, "'A b' is not a valid name"),
    (#""extensions": ["json"]"#, "files '.json' are pipelines"),
    (#""extensions": [".pt"]"#, "'.pt' is not a valid extension; give it without a dot"),
    (#""id": "a""#, #""extensions" is missing"#),
    (#""id": "a""#, #""reads" or "writes" is missing"#),
    (#""reads": []"#, "'reads' must list what a file can contain, such as faces"),
    (#""reads": ["frames"]"#, "'frames' can't be part of a file"),
    (#""writes": ["point"]"#, "did you mean 'points'?"), (#""up": "w""#, "'w' is not an axis"),
    (#""read": ["points"]"#, "unknown key 'read' of a format; did you mean 'reads'?"),
    (#""sample": "../a""#, "'sample' must be a path in the folder of the manifest"),
  ])
  func `a mistake in a format is told`(members: String, message: String) {
    let told = readFormat(members).diagnostics.map(\.description)
    #expect(told.contains { $0.contains(message) }, "\(told)")
  }

  @Test func `a library has no formats, and asks for no network`() {
    let told = readFormat(
      #""id": "a""#, program: #""library": "a", "abi": 1, "network": true"#
    ).diagnostics.map(\.description)
    for key in ["formats", "network"] {
      #expect(told.contains { $0.contains("'\(key)' is for a separate program") }, "\(told)")
    }
  }

  @Test func `whatever is in a manifest, it is read or a mistake is told`() {
    for seed in 0..<300 {
      var mutator = Mutator(seed: UInt64(seed))
      let reading = PluginManifest.read(
        mutator.mutate(Array(text.utf8)), path: "/p/smooth.meshpipe-plugin.json")
      #expect((reading.manifest == nil) == !reading.diagnostics.isEmpty)
    }
  }
}
