extension Invocation {
  /// The options as words of a new command line, in the order of the table.
  ///
  /// - Parameter isWanted: Whether an option is included.
  func optionWords(where isWanted: (Option) -> Bool) -> [String] {
    verb.options.filter { has($0) && isWanted($0) }.flatMap { option in
      option.value == nil ? [option.name] : values(of: option).flatMap { [option.name, $0] }
    }
  }

  /// The operands as words of a new command line, after its options.
  var operandWords: [String] {
    operands.contains { $0.hasPrefix("-") } ? ["--"] + operands : operands
  }
}
