import MeshPipeline

/// The page of the command for `docs`, made from the table of verbs.
enum CommandPage {
  static var markdown: String {
    var blocks = [
      "# The command", HelpPage.description,
      "<!-- Made from the table of verbs in Sources/MeshpipeCommand by `make docs`; changes belong there. -->",
      table(
        ["Verb", "Does"],
        CommandTable.verbs.map {
          [
            "[`\($0.name)`](#\($0.name.replacing(" ", with: "-")))", $0.summary,
          ]
        }),
    ]
    for verb in CommandTable.verbs { blocks += self.blocks(of: verb) }
    blocks += ["## In builds", CommandTable.builds, Self.builds, "## Exit codes"]
    blocks.append(
      table(["Code", "Means"], CommandTable.exitCodes.map { ["\($0.code.rawValue)", $0.meaning] }))
    blocks += ["## Environment and files"]
    let names = CommandTable.environment + CommandTable.files
    blocks.append(table(["Name", "Is"], names.map { ["`\($0.name)`", $0.meaning] }))
    return blocks.joined(separator: "\n\n") + "\n"
  }

  private static func blocks(of verb: Verb) -> [String] {
    var blocks = ["## \(verb.name)", "```\n" + verb.usageLines.joined(separator: "\n") + "\n```"]
    blocks.append(TextLayout.sentence(verb.summary))
    if !verb.discussion.isEmpty {
      blocks += verb.discussion.split(separator: "\n").map(String.init)
    }
    let operands = verb.operands.map { ["`\($0.name)`", $0.help] }
    let groups = verb.groupedOptions.map { title, options in
      (title, options.map { ["`\($0.usage)`", $0.help(in: verb)] })
    }
    if groups.count == 1 {
      blocks.append(table(["Argument", "Means"], operands + groups[0].1))
    } else {
      blocks.append(table(["Argument", "Means"], operands))
      for (title, rows) in groups { blocks += [table([title, ""], rows)] }
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
