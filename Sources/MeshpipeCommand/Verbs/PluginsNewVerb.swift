import MeshPipeline
import Plugins

/// Writes a working plugin to begin from.
enum PluginsNewVerb {
  static func perform(_ invocation: Invocation) throws -> ExitCode {
    let name = invocation.operands[0]
    if CommandEnvironment.ownStages.contains(where: { $0.name == name }) {
      throw UsageError(
        "meshpipe has a stage '\(name)' already, which a plugin can't replace; choose another name",
        verb: invocation.verb)
    }
    let language = invocation.value(of: .language).flatMap(PluginSkeleton.Language.init)
    let skeleton = try PluginSkeleton(name: name, language: language ?? .python)
    let folder = invocation.value(of: .pluginFolder) ?? name
    let files = try skeleton.write(to: folder)
    Messages.say("made \(folder)/ with " + files.joined(separator: ", "))
    if skeleton.isCompiled { Messages.say("build it: make -C \(folder)") }
    Messages.say("test it: \(skeleton.testCommand(in: folder))")
    Messages.say("try it: meshpipe plugins check \(folder)")
    Messages.say("use it: meshpipe run SCAN -s \(name) -o OUTPUT --plugins \(folder)")
    return .success
  }
}
