/// What an option is about: the lists of help page, manual and documentation follow it.
enum OptionGroup: String, CaseIterable, Sendable {
  case input = "Input"
  case frames = "Frames of a capture"
  case pipeline = "Pipeline"
  case output = "Output"
  case look = "Look"
  case comparison = "Comparison with photographs"
  case running = "Running"
  case archives = "Limits of archives"
  case cluster = "Clusters"
  case builds = "Builds"
  case reporting = "Reporting"
  case plugins = "Plugins"
  case other = "Other"
}

extension Verb {
  /// The options by what they are about; in one list without a title when they are few.
  var groupedOptions: [(title: String, options: [Option])] {
    guard options.count > 12 else { return [("Options", options)] }
    return OptionGroup.allCases.compactMap { group in
      let options = options.filter { $0.group == group }
      return options.isEmpty ? nil : (group.rawValue, options)
    }
  }
}
