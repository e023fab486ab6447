import Formats
import Foundation
import MeshPipeline
import MeshTestSupport
import Stages
import Testing

@Suite struct SchemaDocumentationTests {
  private static let environment = PipelineEnvironment(
    stages: builtInStages, formats: builtInFormats)

  @Test func `the schema is current`() throws {
    try expectGeneratedPage(
      "docs/pipeline.schema.json", holds: PipelineSchema(Self.environment).json.prettyText)
  }

  /// Validates documents by python3-jsonschema.
  ///
  /// - Returns: A line for each document: its complaints, empty when it is valid.
  private func validate(_ documents: [JSONValue], by schema: JSONValue) throws -> [String] {
    let folder = try TemporaryFolder()
    let file = folder.path + "/check.json"
    let check = JSONValue(
      .object([.init("schema", schema), .init("documents", JSONValue(.array(documents)))]))
    try check.compactText.write(toFile: file, atomically: true, encoding: .utf8)
    let script = """
      import json, sys, jsonschema
      check = json.load(open(sys.argv[1]))
      jsonschema.Draft202012Validator.check_schema(check["schema"])
      validator = jsonschema.Draft202012Validator(check["schema"])
      for document in check["documents"]:
        errors = sorted(validator.iter_errors(document), key=lambda e: e.json_path)
        print("; ".join(e.json_path for e in errors))
      """
    let program = try Program.run(Checkers.python, ["-c", script, file])
    guard program.status == 0 else { throw ProgramFailure(program) }
    return program.output.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
  }

  @Test(.needs("jsonschema"))
  func `every pipeline of the project is valid to an independent validator`() throws {
    let names = try FileManager.default.contentsOfDirectory(atPath: Checkout.path("pipelines"))
      .filter { $0.hasSuffix(".json") }.sorted()
    #expect(names.count >= 6)
    let documents = try names.map { name in
      let bytes = Array(try Checkout.text("pipelines/\(name)").utf8)
      return try #require(JSONReader.read(bytes).value)
    }
    let complaints = try validate(documents, by: PipelineSchema(Self.environment).json)
    for (name, complaint) in zip(names, complaints) { #expect(complaint == "", "\(name)") }
  }

  @Test(.needs("jsonschema"))
  func `the schema says yes and no like the checker`() throws {
    let entries: [(entry: String, complaint: String)] = [
      (#"{ "use": "thin", "with": { "target": "20%", "maxError": "5 mm" } }"#, ""),
      (#"{ "use": "thin", "with": { "target": "${x}", "ratio": "${y}" }, "in": ["a", "b"] }"#, ""),
      (#"{ "use": "thin", "with": { "target": 5, "preserve": ["seams", "${z}"] } }"#, ""),
      (#"{ "use": "thin" }"#, "$.stages[0]"),
      (#"{ "use": "thin", "with": { "target": "many" } }"#, "$.stages[0].with.target"),
      (#"{ "use": "thin", "with": { "target": 5, "ratio": 2 } }"#, "$.stages[0].with.ratio"),
      (#"{ "use": "thin", "with": { "targt": 5, "target": 5 } }"#, "$.stages[0].with"),
      (
        #"{ "use": "thin", "with": { "target": 5, "preserve": ["x"] } }"#,
        "$.stages[0].with.preserve"
      ),
      (#"{ "use": "melt" }"#, "$.stages[0].use"),
      (#"{ "use": "strip", "onError": "stop" }"#, "$.stages[0].onError"),
      (#"{ "use": "strip", "up": "z" }"#, "$.stages[0]"),
    ]
    let outputs: [(entry: String, complaint: String)] = [
      (#"{ "path": "a.tri", "with": { "digits": 4 }, "up": "-z" }"#, ""),
      (
        #"{ "path": "a.txt", "format": "tri", "with": { "digits": 10 } }"#,
        "$.outputs[0].with.digits"
      ),
      (#"{ "path": "a.tri", "with": { "digits": "x" } }"#, "$.outputs[0].with.digits"),
      (#"{ "path": "a.tri", "format": "full", "with": { } }"#, ""),
      (#"{ "format": "tri" }"#, "$.outputs[0]"),
    ]
    let documents = try
      (entries.map { #"{ "meshpipe": 1, "stages": [ \#($0.entry) ] }"# }
      + outputs.map { #"{ "meshpipe": 1, "outputs": [ \#($0.entry) ] }"# })
      .map { try #require(JSONReader.read(Array($0.utf8)).value) }
    let complaints = try validate(documents, by: PipelineSchema(TestKit.environment).json)
    for ((entry, expected), complaint) in zip(entries + outputs, complaints) {
      #expect(complaint == expected, "\(entry)")
    }
  }
}
