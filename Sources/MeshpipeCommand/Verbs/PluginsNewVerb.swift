import MeshpipeKit

/// Writes a working plugin to start from.
enum PluginsNewVerb {
  static func perform(_ invocation: Invocation) throws -> ExitCode {
    let name = invocation.operands[0]
    let kind = invocation.value(of: .kind).flatMap(PluginSkeleton.Kind.init) ?? .stage
    let isTaken =
      kind == .stage
      ? invocation.stages.contains { $0.name == name }
      : builtInFormats.contains { $0.id == name }
    if isTaken {
      let what = kind == .stage ? "stage" : "format"
      throw UsageError(
        "meshpipe already has a \(what) '\(name)', which a plugin can't replace; choose another name",
        verb: invocation.verb)
    }
    let language = invocation.value(of: .language).flatMap(PluginSkeleton.Language.init)
    let skeleton = try PluginSkeleton(name: name, language: language ?? .python, kind: kind)
    let folder = invocation.value(of: .pluginFolder) ?? name
    let files = try skeleton.write(to: folder)
    Messages.say("created \(folder)/ with " + files.joined(separator: ", "))
    if skeleton.isCompiled { Messages.say("build it: make -C \(folder)") }
    Messages.say("test it: \(skeleton.testCommand(in: folder))")
    Messages.say("try it: meshpipe plugins check \(folder)")
    let use =
      switch kind {
      case .stage: "SCAN -s \(name) -o OUTPUT"
      case .reader: "SCAN.\(name) -o OUTPUT"
      case .writer: "SCAN -o OUTPUT.\(name)"
      }
    Messages.say("use it: meshpipe run \(use) --plugins \(folder)")
    return .success
  }
}
