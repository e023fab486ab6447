/// The topic of an option, by which help page, manual and documentation group options.
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
  /// The options by topic; a few options form a single list.
  var groupedOptions: [(title: String, options: [Option])] {
    guard options.count > 12 else { return [("Options", options)] }
    return OptionGroup.allCases.compactMap { group in
      let options = options.filter { $0.group == group }
      return options.isEmpty ? nil : (group.rawValue, options)
    }
  }
}
