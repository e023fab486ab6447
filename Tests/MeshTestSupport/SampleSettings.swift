import MeshPipeline
import Testing

extension RunSettings {
  /// Settings of which one differs from its default, whatever it is.
  package static func sample(of declaration: SettingDeclaration) throws -> RunSettings {
    let folder = try TemporaryFolder()
    let words: [String?] =
      switch declaration.option.value {
      case nil: [nil]
      case .integer(_, let range): ["\(range.upperBound)", "\(range.lowerBound)"]
      case .choice(_, let names): names.reversed()
      case .text, .named, .file, .format:
        // A file of names by number, which other options take for a path, and words that some know.
        [try folder.write("names.json", #"{ "2": "floor" }"#), "asprs", "cv,w2c", "9", "9GB"]
      }
    let samples = words.compactMap { word in
      try? RunSettings(
        words: { $0 == declaration.option.name ? word.map { [$0] } ?? [] : nil },
        environment: { _ in nil })
    }
    return try #require(samples.first { $0 != RunSettings() }, "\(declaration.option.name)")
  }
}
