extension CommandTable {
  static let plugins = Verb(
    name: "plugins", summary: "list the plugins, try one, or begin a new one",
    discussion: """
      A plugin is a program beside a manifest, NAME.meshpipe-plugin.json, and adds stages and formats of files to \
      meshpipe. \
      Plugins are found in the folders given with --plugins, in those of MESHPIPE_PLUGIN_PATH, in \
      meshpipe/plugins in the user's data folder (~/.local/share), and in lib/meshpipe/plugins beside \
      the bin that meshpipe is in; never in the current folder by itself. Listing them runs nothing.

      'meshpipe plugins' by itself is 'meshpipe plugins list'.
      """,
    options: [.plugins, .noPlugins, .json, .help],
    examples: [
      Example(line: "meshpipe plugins", purpose: "What is there, and what is wrong with it.")
    ],
    perform: PluginsVerb.perform)

  static let pluginsList = Verb(
    name: "plugins list", summary: "list the plugins, and why one can't be used",
    options: [.plugins, .noPlugins, .json, .help],
    examples: [
      Example(line: "meshpipe plugins list", purpose: "All that are installed."),
      Example(line: "meshpipe plugins list --plugins examples/plugins", purpose: "And some more."),
    ],
    perform: PluginsVerb.perform)

  static let pluginsCheck = Verb(
    name: "plugins check", summary: "try whether a plugin keeps the agreement",
    discussion: """
      Runs each stage of the plugin on an empty scene, on one with every attribute that there is and \
      three frames, and on a large one; cancels it, leaves out what parameters it can, asks it for what \
      it can't do, and sends a program parameters of other types and nonsense. A format is written and read back, \
      or its sample read, as are an empty file and noise. The exit code is 65 when a trial fails.
      """,
    operands: [
      Operand(name: "PLUGIN", help: "The plugin's name, its folder, or its manifest.")
    ],
    options: [.plugins, .noPlugins, .allowEnvironment, .allowNetwork, .allowReading, .json, .help],
    examples: [
      Example(line: "meshpipe plugins check smooth/", purpose: "While you write it.")
    ],
    perform: PluginsCheckVerb.perform)

  static let pluginsNew = Verb(
    name: "plugins new", summary: "write a working plugin to begin from",
    discussion: """
      In Python it is a program, run as a process of its own; in C and Swift a shared library over the C \
      ABI, which 'make' in its folder builds. Readers and writers of formats are programs in Python.
      """,
    operands: [Operand(name: "NAME", help: "The plugin's name, and that of its stage or format.")],
    options: [.kind, .language, .pluginFolder, .help],
    examples: [
      Example(
        line: "meshpipe plugins new smooth --lang python",
        purpose: "A folder 'smooth' with a manifest, a program and a test."),
      Example(
        line: "meshpipe plugins new xyz --kind reader",
        purpose: "One that reads files of a format."),
      Example(
        line: "meshpipe plugins new lift --lang c && make -C lift check",
        purpose: "A shared library, built and checked."),
    ],
    perform: PluginsNewVerb.perform)
}
