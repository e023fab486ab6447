import MeshPipeline

extension Invocation {
  /// The options as words of a new command line, in the order of the table.
  ///
  /// - Parameter isWanted: Whether an option is included.
  func optionWords(where isWanted: (Option) -> Bool) -> [String] {
    verb.options.filter { has($0) && isWanted($0) }.flatMap { option in
      if option.value == nil { return [option.name] }
      if option.isValueOptional {
        return [value(of: option).map { "\(option.name)=\($0)" } ?? option.name]
      }
      return values(of: option).flatMap { [option.name, $0] }
    }
  }

  /// The operands as words of a new command line, after its options.
  var operandWords: [String] {
    operands.contains { $0.hasPrefix("-") } ? ["--"] + operands : operands
  }
}
