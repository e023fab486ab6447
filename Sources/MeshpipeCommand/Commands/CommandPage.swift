import MeshPipeline

/// The page of the command for `docs`, generated from the table of verbs.
enum CommandPage {
  static var markdown: String {
    var blocks = [
      "# The command", HelpPage.description,
      "<!-- Made from the table of verbs in Sources/MeshpipeCommand by `make docs`; changes belong there. -->",
      table(
        ["Verb", "Purpose"],
        CommandTable.verbs.map {
          [
            "[`\($0.name)`](#\($0.name.replacing(" ", with: "-")))", $0.summary,
          ]
        }),
    ]
    blocks += commonBlocks
    for verb in CommandTable.verbs { blocks += self.blocks(of: verb) }
    blocks += ["## In builds", CommandTable.builds, Self.builds, "## Exit codes"]
    blocks.append(
      table(
        ["Code", "Meaning"], CommandTable.exitCodes.map { ["\($0.code.rawValue)", $0.meaning] }))
    blocks += ["## Environment and files"]
    let names = CommandTable.environment + CommandTable.files
    blocks.append(table(["Name", "Meaning"], names.map { ["`\($0.name)`", $0.meaning] }))
    return blocks.joined(separator: "\n\n") + "\n"
  }

  /// The options that at least three verbs share, explained once.
  private static var commonBlocks: [String] {
    var options: [Option] = []
    for option in CommandTable.verbs.flatMap(\.options) where isCommon(option) {
      if !options.contains(where: { isSame($0, option) }) { options.append(option) }
    }
    let rows = OptionGroup.allCases.flatMap { group in
      self.rows(options.filter { $0.group == group }, in: CommandTable.help)
    }
    return [
      "## Common options", "Options that several verbs take, with the same meaning.",
      table(["Option", "Meaning"], rows),
    ]
  }

  private static func isCommon(_ option: Option) -> Bool {
    CommandTable.verbs.count { $0.options.contains { isSame($0, option) } } >= 3
  }

  private static func isSame(_ one: Option, _ other: Option) -> Bool {
    one.usage == other.usage && one.helpText == other.helpText
  }

  private static func rows(_ options: [Option], in verb: Verb) -> [[String]] {
    options.map { ["`\($0.usage)`", $0.help(in: verb)] }
  }

  private static func blocks(of verb: Verb) -> [String] {
    var blocks = ["## \(verb.name)", "```\n" + verb.usageLines.joined(separator: "\n") + "\n```"]
    blocks.append(TextLayout.sentence(verb.summary))
    if !verb.discussion.isEmpty {
      blocks += verb.discussion.split(separator: "\n").map(String.init)
    }
    let operands = verb.operands.map { ["`\($0.name)`", $0.help] }
    let shared = verb.options.filter(isCommon)
    var own = verb
    own.options = verb.options.filter { !isCommon($0) }
    let groups = own.groupedOptions.map { ($0, rows($1, in: verb)) }
    if groups.count == 1 {
      let rows = operands + groups[0].1
      if !rows.isEmpty { blocks.append(table(["Argument", "Meaning"], rows)) }
    } else {
      blocks.append(table(["Argument", "Meaning"], operands))
      for (title, rows) in groups { blocks += [table([title, ""], rows)] }
    }
    if !shared.isEmpty {
      let names = OptionGroup.allCases.flatMap { group in shared.filter { $0.group == group } }
        .map { "`\($0.name)`" }
      blocks.append("[Common options](#common-options): \(names.joined(separator: ", ")).")
    }
    let examples = verb.examples.map { "# \($0.purpose)\n\($0.line)" }
    blocks.append("```sh\n" + examples.joined(separator: "\n") + "\n```")
    return blocks
  }

  private static func table(_ head: [String], _ rows: [[String]]) -> String {
    ([head, head.map { _ in "---" }] + rows)
      .map { "| " + $0.joined(separator: " | ") + " |" }.joined(separator: "\n")
  }

  private static let builds = """
    ```make
    %.glb: %.obj web.json
    \tmeshpipe run web.json $< -o $@ --if-changed --touch -MD -MF $*.d
    -include $(wildcard *.d)
    ```

    ```ninja
    rule meshpipe
      command = meshpipe run web.json $in -o $out --if-changed -MD -MF $out.d
      depfile = $out.d
      deps = gcc
      restat = 1
    build room.glb: meshpipe room.obj | web.json
    ```
    """
}
