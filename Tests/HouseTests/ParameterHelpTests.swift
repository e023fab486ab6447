import Formats
import MeshPipeline
import MeshpipeBase
import Stages
import Testing

/// The help of options has one mood: what a switch does, as an order, and what a value is, as a noun.
@Suite struct ParameterHelpTests {
  struct Option: CustomTestStringConvertible {
    let owner: String
    let declaration: ParameterDeclaration
    var testDescription: String { "\(owner).\(declaration.name)" }
  }

  static let options: [Option] =
    builtInStages.map { StageDefinition($0) }.flatMap { stage in
      stage.parameters.map { Option(owner: stage.name, declaration: $0) }
    }
    + FormatRegistry(builtInFormats).writers.flatMap { format in
      format.options.map { Option(owner: format.id, declaration: $0) }
    } + variables

  /// The variables of the project's pipelines.
  private static let variables =
    ((try? PipelineCatalogue())?.pipelines ?? []).flatMap { name, pipeline in
      pipeline.variables.map {
        Option(
          owner: name,
          declaration: ParameterDeclaration(
            name: $0.name, help: $0.help, type: $0.type,
            defaultValue: $0.defaultValue ?? JSONValue(.null), isRequired: $0.defaultValue == nil))
      }
    }

  /// Beginnings of clauses, and articles, which noun phrases of lists go without.
  private static let clauses: Set<String> = [
    "A", "An", "The", "What", "How", "Whether", "Which", "Where", "When", "If", "Of", "No", "It",
    "For",
  ]

  @Test(arguments: options)
  func `help begins with a verb or a noun`(option: Option) {
    let help = option.declaration.help
    let first = help.prefix { $0.isLetter || $0 == "-" }
    #expect(!Self.clauses.contains(String(first)), "\(help)")
    #expect(help.hasSuffix("."), "\(help)")
    guard case .bool = option.declaration.type else { return }
    #expect(!first.hasSuffix("s"), "an order has no 's': \(help)")
  }

  @Test
  func `bounds are called minimum and maximum, and no two options of a stage share a former name`()
  {
    for option in Self.options {
      let name = option.declaration.name
      #expect(
        !["max", "min"].contains {
          name.hasPrefix($0) && name.dropFirst(3).first?.isUppercase == true
        })
    }
    for stage in builtInStages.map({ StageDefinition($0) }) {
      let names = stage.parameters.flatMap(\.allNames) + stage.formerOptions.keys
      #expect(Set(names).count == names.count, "\(stage.name)")
    }
  }
}
