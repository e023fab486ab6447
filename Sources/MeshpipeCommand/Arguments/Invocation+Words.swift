extension Invocation {
  /// The options as they may be given again, each in the order of the table.
  ///
  /// - Parameter isWanted: Whether an option is taken over.
  func optionWords(where isWanted: (Option) -> Bool) -> [String] {
    verb.options.filter { has($0) && isWanted($0) }.flatMap { option in
      option.value == nil ? [option.name] : values(of: option).flatMap { [option.name, $0] }
    }
  }

  /// The operands as they may be given again after options.
  var operandWords: [String] {
    operands.contains { $0.hasPrefix("-") } ? ["--"] + operands : operands
  }
}
