import MeshPipeline

extension CommandTable {
  static let plugins = Verb(
    name: "plugins", summary: "list the plugins, check one, or create one",
    discussion: """
      A plugin is a program next to a manifest, NAME.meshpipe-plugin.json, and adds stages and file formats to \
      meshpipe. \
      Plugins are found in the folders given with --plugins, in those of MESHPIPE_PLUGIN_PATH, in \
      meshpipe/plugins in the user's data folder (~/.local/share), and in lib/meshpipe/plugins next to \
      the bin folder of meshpipe; the current folder is not searched. Listing them runs no code.

      'meshpipe plugins' is short for 'meshpipe plugins list'.
      """,
    options: Option.ordered(Option.settings(\.$pluginFolders, \.$usesNoPlugins), [.json, .help]),
    examples: [
      Example(line: "meshpipe plugins", purpose: "Installed plugins, and problems with them.")
    ],
    perform: PluginsVerb.perform)

  static let pluginsList = Verb(
    name: "plugins list", summary: "list the plugins, and why one can't be used",
    options: Option.ordered(Option.settings(\.$pluginFolders, \.$usesNoPlugins), [.json, .help]),
    examples: [
      Example(line: "meshpipe plugins list", purpose: "All installed plugins."),
      Example(
        line: "meshpipe plugins list --plugins examples/plugins",
        purpose: "Those of another folder too."),
    ],
    perform: PluginsVerb.perform)

  static let pluginsCheck = Verb(
    name: "plugins check", summary: "test whether a plugin conforms to the protocol",
    discussion: """
      Runs each stage of the plugin on an empty scene, on one with every attribute and \
      three frames, and on a large one; cancels it, omits optional parameters, asks for an unknown \
      stage, and sends a program parameters of wrong types and garbage. A format is written and read back, \
      or its sample is read, as are an empty file and noise. The exit code is 65 when a test fails.
      """,
    operands: [
      Operand(name: "PLUGIN", help: "The plugin's name, its folder, or its manifest.")
    ],
    options: Option.ordered(Option.settings(in: .plugins), [.json, .help]),
    examples: [
      Example(line: "meshpipe plugins check inflate/", purpose: "While you write it.")
    ],
    perform: PluginsCheckVerb.perform)

  static let pluginsNew = Verb(
    name: "plugins new", summary: "write a working plugin to start from",
    discussion: """
      In Python it is a program, run in a separate process; in C and Swift a shared library with the C \
      ABI, which 'make' in its folder builds. Readers and writers of file formats are Python programs.
      """,
    operands: [Operand(name: "NAME", help: "The plugin's name, and that of its stage or format.")],
    options: [.kind, .language, .pluginFolder, .help],
    examples: [
      Example(
        line: "meshpipe plugins new inflate --lang python",
        purpose: "A folder 'inflate' with a manifest, a program and a test."),
      Example(
        line: "meshpipe plugins new dots --kind reader",
        purpose: "A reader for a file format."),
      Example(
        line: "meshpipe plugins new lift --lang c && make -C lift check",
        purpose: "A shared library, built and checked."),
    ],
    perform: PluginsNewVerb.perform)
}
