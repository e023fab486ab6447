import Foundation
import MeshTestSupport
import Testing

/// Plugins read what belongs to the system, to themselves and to their work, and no other file of the user.
@Suite(.enabled(if: CommandProcess.program("python3") != nil, "needs Python 3"))
struct PluginReadingTests {
  /// What confines plugins here, by the value of `MESHPIPE_BWRAP` that asks for it.
  private static let guards =
    [""] + (BadPluginTests.Guard.bubblewrapWorks ? ["/usr/bin/bwrap"] : [])

  /// An interpreter that needs no variable to be found.
  private static let python: String = {
    let program = CommandProcess.program("python3")?.path ?? ""
    let outcome = try? Program.run(program, ["-c", "import sys; print(sys.executable)"])
    return outcome?.output.trimmingCharacters(in: .whitespacesAndNewlines) ?? program
  }()

  /// A folder with a home and a plugin `look` that tells, as its last words, which files it reads.
  private func makeHome(
    plugin: String = "ada/plugins/look", interpreter: String = python, asks: String = "",
    looksAt paths: [String]
  ) throws -> TemporaryFolder {
    let folder = try TemporaryFolder()
    try folder.writeScan("ada/scans/scan.obj")
    try folder.write("secret", to: "ada/letter.txt")
    try folder.write("secret", to: "ada/.ssh/key")
    try folder.write("secret", to: "elsewhere/notes.txt")
    try folder.write("weights", to: "ada/models/net.bin")
    try folder.write("beside", to: "\(plugin)/beside.txt")
    let list = paths.map { "\"\(folder.path)/\($0)\"" }.joined(separator: ", ")
    try folder.write(
      """
      import sys
      def reads(path):
          try:
              with open(path) as file:
                  return file.read() != ""
          except OSError:
              return False
      print("read:", [int(reads(path)) for path in [\(list)]], file=sys.stderr)
      sys.exit(3)
      """, to: "\(plugin)/look.py")
    try folder.write(
      """
      { "meshpipePlugin": 1, "name": "look", "version": "1", "protocol": 1,
        "interpreter": ["\(interpreter.hasPrefix("/") ? interpreter : "\(folder.path)/\(interpreter)")"],
        "executable": "look.py"\(asks),
        "stages": [ { "name": "look-round", "summary": "Looks." } ] }
      """, to: "\(plugin)/look.meshpipe-plugin.json")
    return folder
  }

  private func look(
    in folder: TemporaryFolder, bubblewrap: String, plugin: String = "ada/plugins/look",
    _ options: String...
  ) throws -> String {
    var environment = CommandProcess.environment
    environment["MESHPIPE_BWRAP"] = bubblewrap
    environment["HOME"] = "\(folder.path)/ada"
    return try CommandProcess.run(
      CommandProcess.executable,
      [
        "run", "ada/scans/scan.obj", "-s", "look-round", "-o", "o.ply", "--plugins", plugin,
      ] + options, in: folder, environment: environment
    ).errors
  }

  #if os(Linux)
    @Test(arguments: guards)
    func `a plugin reads its own files, and none of the user's`(bubblewrap: String) throws {
      let folder = try makeHome(looksAt: [
        "ada/letter.txt", "ada/.ssh/key", "elsewhere/notes.txt", "ada/models/net.bin",
        "ada/scans/scan.obj", "ada/plugins/look/beside.txt",
      ])
      let said = try look(in: folder, bubblewrap: bubblewrap)
      #expect(said.contains("read: [0, 0, 0, 0, 0, 1]"), "\(said)")
    }

    @Test(arguments: guards)
    func `what it asks to read it reads when the user allows it`(bubblewrap: String) throws {
      let folder = try makeHome(
        asks: #", "reads": ["~/models", "../../../elsewhere", "~/none"]"#,
        looksAt: ["ada/models/net.bin", "elsewhere/notes.txt", "ada/letter.txt"])
      let none = try look(in: folder, bubblewrap: bubblewrap, "--allow-reading", "other")
      #expect(none.contains("read: [0, 0, 0]"), "\(none)")
      let allowed = try look(in: folder, bubblewrap: bubblewrap, "--allow-reading", "look")
      #expect(allowed.contains("read: [1, 1, 0]"), "\(allowed)")
    }

    @Test(arguments: guards)
    func `links in its folder lead a plugin nowhere`(bubblewrap: String) throws {
      let folder = try makeHome(
        asks: #", "reads": ["all", "key"]"#,
        looksAt: ["ada/letter.txt", "ada/.ssh/key", "ada/plugins/look/key"])
      for (name, target) in [("all", "ada"), ("key", "ada/.ssh/key")] {
        try FileManager.default.createSymbolicLink(
          atPath: "\(folder.path)/ada/plugins/look/\(name)",
          withDestinationPath: "\(folder.path)/\(target)")
      }
      let none = try look(in: folder, bubblewrap: bubblewrap)
      #expect(none.contains("read: [0, 0, 0]"), "\(none)")
      // The home as a whole is not to be had in this way either, and the list tells what a link comes to.
      let allowed = try look(in: folder, bubblewrap: bubblewrap, "--allow-reading", "look")
      #expect(allowed.contains("read: [0, 1, 1]"), "\(allowed)")
      let list = try CommandProcess.run(
        ["plugins", "list", "--plugins", "ada/plugins"], in: folder)
      #expect(list.text.contains("/ada/.ssh/key)"), "\(list.text)")
    }

    @Test(arguments: guards)
    func `a plugin that lies in the home itself does not get all of that`(
      bubblewrap: String
    ) throws {
      let folder = try makeHome(plugin: "ada", looksAt: ["ada/letter.txt", "ada/look.py"])
      let said = try look(in: folder, bubblewrap: bubblewrap, plugin: "ada")
      #expect(said.contains("read: [0, 1]"), "\(said)")
    }

    @Test(arguments: guards)
    func `an interpreter in the home works with its modules`(bubblewrap: String) throws {
      let folder = try makeHome(
        interpreter: "ada/bin/py", looksAt: ["ada/letter.txt", "ada/plugins/look/beside.txt"])
      let made = try Program.run(
        Self.python, ["-m", "venv", "--without-pip", "\(folder.path)/ada/envs/mesh"])
      try #require(made.status == 0, "\(made.errors)")
      // By links from one place to another, as installers make them.
      try FileManager.default.createDirectory(
        atPath: "\(folder.path)/ada/bin", withIntermediateDirectories: true)
      try FileManager.default.createSymbolicLink(
        atPath: "\(folder.path)/ada/latest", withDestinationPath: "envs/mesh")
      try FileManager.default.createSymbolicLink(
        atPath: "\(folder.path)/ada/bin/py", withDestinationPath: "../latest/bin/python3")
      let modules = try FileManager.default.contentsOfDirectory(
        atPath: "\(folder.path)/ada/envs/mesh/lib")
      try folder.write(
        "secret = True\n",
        to: "ada/envs/mesh/lib/\(try #require(modules.first))/site-packages/helper.py")
      let program = try folder.text(of: "ada/plugins/look/look.py")
      try folder.write("import json\n" + program, to: "ada/plugins/look/look.py")
      let said = try look(in: folder, bubblewrap: bubblewrap)
      #expect(said.contains("read: [0, 1]"), "\(said)")
      // The environment's own name, so that its modules are found.
      let manifest = try folder.text(of: "ada/plugins/look/look.meshpipe-plugin.json")
      try folder.write(
        manifest.replacing("ada/bin/py", with: "ada/latest/bin/python3"),
        to: "ada/plugins/look/look.meshpipe-plugin.json")
      try folder.write("import helper\n" + program, to: "ada/plugins/look/look.py")
      let direct = try look(in: folder, bubblewrap: bubblewrap)
      #expect(direct.contains("read: [0, 1]"), "\(direct)")
    }

    @Test(arguments: guards)
    func `a reader of files sees the folder of its file`(bubblewrap: String) throws {
      let folder = try TemporaryFolder()
      try folder.write("secret", to: "ada/letter.txt")
      for place in ["ada/scans", "ada"] {
        try folder.write("1 2 3", to: "\(place)/scan.dots")
        try folder.write("beside", to: "\(place)/beside.txt")
      }
      try folder.write(
        """
        import os, sys
        import meshpipe
        @meshpipe.reader("dots")
        def read(path):
            beside = os.path.join(os.path.dirname(path), "beside.txt")
            found = [int(os.access(p, os.R_OK) and tries(p)) for p in (path, beside, "\(folder.path)/ada/letter.txt")]
            raise meshpipe.Fault(f"read: {found}")
        def tries(path):
            try:
                return open(path).read() != ""
            except OSError:
                return False
        meshpipe.main()
        """, to: "ada/p/dots.py")
      try folder.write(
        """
        { "meshpipePlugin": 1, "name": "dots", "version": "1", "protocol": 1,
          "interpreter": ["\(Checkers.python)"], "executable": "dots.py",
          "formats": [ { "id": "dots", "name": "Points", "extensions": ["dots"],
            "reads": ["points"] } ] }
        """, to: "ada/p/dots.meshpipe-plugin.json")
      var environment = CommandProcess.environment
      environment["MESHPIPE_BWRAP"] = bubblewrap
      environment["HOME"] = "\(folder.path)/ada"
      environment["PYTHONPATH"] = Checkout.path("bindings/python")
      for (place, sees) in [("ada/scans", "[1, 1, 0]"), ("ada", "[1, 0, 0]")] {
        let said = try CommandProcess.run(
          CommandProcess.executable, ["info", "\(place)/scan.dots", "--plugins", "ada/p"],
          in: folder, environment: environment
        ).errors
        #expect(said.contains("read: \(sees)"), "\(said)")
      }
    }
  #endif

  @Test func `lists and checks tell what it asks to read`() throws {
    let folder = try makeHome(asks: #", "reads": ["~/models"]"#, looksAt: [])
    let list = try CommandProcess.run(["plugins", "list", "--plugins", "ada/plugins"], in: folder)
    #expect(list.text.contains("asks to read ~/models: --allow-reading look"), "\(list.text)")
    let json = try CommandProcess.run(
      ["plugins", "list", "--json", "--plugins", "ada/plugins"], in: folder)
    #expect(json.text.contains(#""reads": ["~/models"]"#), "\(json.text)")
    let check = try CommandProcess.run(
      ["plugins", "check", "ada/plugins/look", "--allow-reading", "look"], in: folder)
    #expect(check.text.contains("asks to read ~/models: allowed"), "\(check.text)\(check.errors)")
  }
}
