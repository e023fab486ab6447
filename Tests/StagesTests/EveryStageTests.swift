import MeshPipeline
import MeshTestSupport
import Stages
import Testing

/// What holds for each built-in stage, whatever it does.
@Suite struct EveryStageTests {
  private static let names = builtInStages.map { $0.name }
  private let registry = StageRegistry(builtInStages)

  @Test(arguments: names)
  func `a stage with the parameters of its example is well behaved`(name: String) throws {
    expectWellBehaved(try stage(fromExampleOf: name))
  }

  @Test func `other parameters are well behaved too`() {
    var weld = Weld.Parameters()
    weld.tolerance = .length(Length(meters: 1.1))
    weld.normals = .keep
    expectWellBehaved(Weld(weld))
    var unity = ConvertAxes.Parameters()
    (unity.up, unity.handedness) = (.y, .left)
    expectWellBehaved(ConvertAxes(unity))
    var units = TransformScene.Parameters()
    (units.unit, units.stretch) = (.mm, NumberVector(SIMD3(1, 2, -3)))
    expectWellBehaved(TransformScene(units))
    var merge = Merge.Parameters()
    merge.missing = .drop
    expectWellBehaved(Merge(merge))
    for property in [Split.Property.component, .material] {
      var split = Split.Parameters()
      split.by = property
      expectWellBehaved(Split(split))
    }
    for mode in Crop.Mode.allCases {
      var crop = Crop.Parameters()
      crop.min = LengthVector(meters: SIMD3(0.1, -0.2, 0.3))
      (crop.mode, crop.side) = (mode, .outside)
      expectWellBehaved(Crop(crop))
    }
  }

  @Test func `a name from another program leads to one stage, and to none that there is`() {
    let others = builtInStages.flatMap { $0.otherNames }
    #expect(Set(others).count == others.count)
    #expect(Set(others).isDisjoint(with: Self.names))
    #expect(registry.nearestName(to: "simplify") == "decimate")
    #expect(registry.nearestName(to: "Rotate") == "transform")
    #expect(registry.nearestName(to: "decimat") == "decimate")
    #expect(registry.nearestName(to: "qqqqqqqq") == nil)
  }

  @Test(arguments: names)
  func `each default is accepted when it is given`(name: String) throws {
    let definition = try #require(registry[name])
    for parameter in definition.parameters where parameter.defaultValue.content != .null {
      _ = definition.prepared(with: [.init(parameter.name, parameter.defaultValue)]) {
        // Others of the parameters may be missing.
        if $0 != nil { Issue.record("'\(parameter.name)' \($2)") }
      }
    }
  }

  @Test(arguments: names)
  func `a summary is one sentence of at most 150 characters`(name: String) throws {
    let type = try #require(registry[name])
    #expect(type.summary.count <= 150)
    #expect(type.summary.hasSuffix("."))
  }

  @Test(arguments: names)
  func `a discussion begins with the method, in two sentences`(name: String) throws {
    let discussion = try #require(registry[name]).discussion
    let method = try #require(discussion.split(separator: "\n\n").first)
    #expect(method.split(separator: " ").count <= 80)
    #expect(method.matches(of: /[.?!](\s|$)/).count <= 2, "\(method)")
  }

  /// Decodes the example of a stage against its own parameters and expects no fault.
  private func stage(fromExampleOf name: String) throws -> any Stage {
    let definition = try #require(registry[name])
    let entry = try #require(JSONReader.read(Array(definition.example.utf8)).value)
    #expect(entry["use"]?.content == .string(name))
    var members: [JSONValue.Member] = []
    if case .object(let with) = entry["with"]?.content { members = with }
    let known = definition.parameters.map(\.name)
    for member in members { #expect(known.contains(member.key)) }
    for declaration in definition.parameters where declaration.isRequired {
      #expect(members.contains { $0.key == declaration.name })
    }
    let stage = definition.prepared(with: members) { option, _, message in
      Issue.record("\(name).\(option ?? ""): \(message)")
    }
    return try #require(stage as? any Stage)
  }
}
