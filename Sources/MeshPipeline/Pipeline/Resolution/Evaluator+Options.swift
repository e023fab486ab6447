import MeshpipeBase

/// A stage or a format, whose options a document gives.
struct OptionOwner: Positioned {
  /// As in messages: `stage 'decimate'`.
  var name: String
  var declarations: [ParameterDeclaration]
  /// The position of the stage or output, and the path of its options.
  var position: SourcePosition
  var path: JSONPath
  /// The end of the message about an option that the owner lacks, and had or others have.
  var elsewhere: (String) -> String? = { _ in nil }
  /// The names as written of options that are given by a former name.
  fileprivate(set) var writtenNames: [String: String] = [:]

  /// The path of an option, by the name that stands in the document.
  func path(of option: String) -> JSONPath { path[writtenNames[option] ?? option] }
}

extension Evaluator {
  /// The options with variables replaced, names and completeness checked.
  mutating func options(_ members: [JSONValue.Member], of owner: OptionOwner) -> [JSONValue.Member]?
  {
    var result: [JSONValue.Member] = []
    let names = owner.declarations.map(\.name)
    for member in members {
      let path = owner.path(of: member.key)
      let declaration = owner.declarations.first { $0.name == member.key }
      let value = value(member.value, at: path).flatMap {
        content($0, of: declaration, asWritten: member.value, at: path)
      }
      if declaration == nil {
        let problem =
          names.isEmpty
          ? "\(owner.name) has no options" : "unknown option '\(member.key)' of \(owner.name)"
        let hint = owner.elsewhere(member.key) ?? nameHint(member.key, among: names)
        report(problem + hint, at: DocumentLocation(member.keyPosition, path))
      } else if let value {
        result.append(.init(member.key, value, keyPosition: member.keyPosition))
      }
    }
    let missing = owner.declarations.filter { declaration in
      declaration.isRequired && !members.contains { $0.key == declaration.name }
    }
    for declaration in missing {
      report(
        "\(owner.name) needs the option '\(declaration.name)': \(declaration.help)", at: owner)
    }
    return result.count == members.count && missing.isEmpty ? result : nil
  }

  /// What is made of evaluated options, whose faults are reported at the value, or at the options as a whole.
  mutating func prepare<Value>(
    _ members: [JSONValue.Member], of owner: OptionOwner,
    _ make: ([JSONValue.Member], StageDefinition.FaultReport) -> Value
  ) -> Value {
    var faults: [(name: String?, position: SourcePosition, message: String)] = []
    let result = make(members) { faults.append(($0, $1, $2)) }
    for fault in faults {
      if let name = fault.name {
        report(
          "'\(name)' of \(owner.name): \(fault.message)",
          at: DocumentLocation(fault.position, owner.path(of: name)))
      } else {
        report("\(owner.name): \(fault.message)", at: owner.location(of: members))
      }
    }
    return result
  }

  /// The object in the file that a value names, in the place of the path; the value itself if it names no file.
  ///
  /// Where the value is typed as an argument, its path is relative to the current folder, else to the folder of the
  /// file that it stands in.
  ///
  /// - Parameter written: The value before variables were replaced.
  private mutating func content(
    _ value: JSONValue, of declaration: ParameterDeclaration?, asWritten written: JSONValue,
    at path: JSONPath
  ) -> JSONValue? {
    guard case .choiceOrFile(let names)? = declaration?.type, let name = value.text,
      !names.contains(name), name.isPathOfJSON
    else { return value }
    let variable = written.text?.wholeVariableName.flatMap { values[$0, in: level] }
    let isArgument = value.position.isArgument || variable?.argument != nil
    return findings.content(
      ofFile: isArgument ? name : pathBesideDocument(name, namedAt: value.position),
      namedAt: DocumentLocation(value.position, path), in: level)
  }

  /// A path relative to the file of the document that names it.
  func pathBesideDocument(_ path: String, namedAt position: SourcePosition) -> String {
    let file = findings.source.locate(position).file
    return path.hasPrefix("/") || file.isEmpty ? path : FileSystem.path(of: path, beside: file)
  }

  // MARK: Settings

  /// Options with settings in the place of what they override.
  mutating func override(
    _ options: [JSONValue.Member], with settings: [OptionSetting], of owner: OptionOwner
  ) -> [JSONValue.Member] {
    var members = options
    for setting in settings {
      // Variables in replaced options count as used: the file is not at fault.
      skip(members.filter { $0.key == setting.option }, at: owner.path)
      members.removeAll { $0.key == setting.option }
      let type = owner.declarations.first { $0.name == setting.option }?.type
      members.append(
        .init(setting.option, setting.value(ofType: type), keyPosition: setting.position))
    }
    return members
  }
}

extension OptionOwner {
  /// Where a fault of the options as a whole is reported.
  func location(of members: [JSONValue.Member]) -> DocumentLocation {
    DocumentLocation(members.first?.keyPosition ?? position, path)
  }
}

// MARK: Former names

extension Evaluator {
  /// The options by their present names.
  mutating func renamed(
    _ members: [JSONValue.Member], of owner: inout OptionOwner
  ) -> [JSONValue.Member] {
    let written = members.map(\.key)
    return members.compactMap { member in
      let location = DocumentLocation(member.keyPosition, owner.path[member.key])
      guard let name = presentName(of: member.key, among: written, at: location, &owner) else {
        skip([member], at: owner.path)
        return nil
      }
      return .init(name, member.value, keyPosition: member.keyPosition)
    }
  }

  /// Options given as texts, by their present names.
  mutating func renamed(
    _ settings: [OptionSetting], of owner: inout OptionOwner
  ) -> [OptionSetting] {
    let written = settings.map(\.option)
    return settings.compactMap { setting in
      var setting = setting
      guard let name = presentName(of: setting.option, among: written, at: setting, &owner) else {
        return nil
      }
      setting.option = name
      return setting
    }
  }

  /// The present name of an option, with a warning if it is given by a former one; nil if it is given by both.
  ///
  /// - Parameter written: The names of all options that are given in the same place.
  private mutating func presentName(
    of name: String, among written: [String], at location: some Positioned,
    _ owner: inout OptionOwner
  ) -> String? {
    let declarations = owner.declarations
    guard let present = declarations[name: name]?.name, present != name else { return name }
    let change = "'\(name)' of \(owner.name) is now called '\(present)'"
    if written.contains(where: { $0 != name && declarations[name: $0]?.name == present }) {
      report("\(change) and is given under both names; remove '\(name)'", at: location)
      return nil
    }
    warn(change, at: location)
    owner.writtenNames[present] = name
    return present
  }
}
