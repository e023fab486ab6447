#if os(Linux)
  import Foundation
  import MeshTestSupport
  import Testing

  /// Where the kernel has no Landlock, bubblewrap confines Assimp, and a user is told when there is neither.
  @Suite(.enabled(if: CommandProcess.program("python3") != nil, "needs Python 3"))
  struct AssimpConfinementTests {
    private func run(
      _ arguments: String..., bubblewrap: String? = nil, in folder: TemporaryFolder
    ) throws -> Outcome {
      var environment = CommandProcess.environment
      environment["MESHPIPE_BWRAP"] = bubblewrap
      let words = WithoutLandlock.command([CommandProcess.executable.path] + arguments)
      return try CommandProcess.run(
        URL(fileURLWithPath: words[0]), Array(words[1...]), in: folder, environment: environment)
    }

    @Test(
      .enabled(
        if: BadPluginTests.Guard.bubblewrapWorks, "needs bubblewrap, and a system that lets it work"
      ),
      arguments: ["fbx", "dae"])
    func `bubblewrap changes no byte of what is read and written`(ending: String) throws {
      let folder = try TemporaryFolder()
      try folder.writeScan()
      let file = "there/scan.\(ending)"
      try folder.write("", to: "there/empty")
      for (name, from) in [(file, "scan.obj"), ("out.ply", file)] {
        var contents: [Data] = []
        for landlock in [true, false] {
          let place = folder.url.appendingPathComponent(name)
          if landlock {
            let outcome = try CommandProcess.run(["run", from, "-o", name], in: folder)
            #expect(outcome.status == 0, "\(outcome.errors)")
          } else {
            let outcome = try run("run", from, "-o", name, "--require-confinement", in: folder)
            #expect(outcome.status == 0, "\(outcome.errors)")
            #expect(!outcome.errors.contains("confine"), "\(outcome.errors)")
          }
          contents.append(try Data(contentsOf: place))
          try FileManager.default.removeItem(at: place)
          if !landlock { try contents[0].write(to: place) }
        }
        #expect(contents[0] == contents[1])
      }
    }

    @Test(
      .enabled(
        if: BadPluginTests.Guard.bubblewrapWorks, "needs bubblewrap, and a system that lets it work"
      ))
    func `files are read through links, and others through leave, under bubblewrap`() throws {
      let folder = try TemporaryFolder()
      try folder.writeScan()
      #expect(try run("run", "scan.obj", "-o", "far/scan.dae", in: folder).status == 0)
      try folder.write("", to: "near/empty")
      try FileManager.default.createSymbolicLink(
        atPath: "\(folder.path)/near/scan.dae", withDestinationPath: "../far/scan.dae")
      try FileManager.default.createSymbolicLink(
        atPath: "\(folder.path)/short", withDestinationPath: "near")
      #expect(try run("info", "short/scan.dae", in: folder).status == 0)
      #expect(try run("info", "short/scan.dae", "--allow-external", in: folder).status == 0)
      let damaged = try folder.text(of: "far/scan.dae").replacing("</COLLADA>", with: "")
      try folder.write(damaged, to: "far/damaged.dae")
      let outcome = try run("info", "far/damaged.dae", in: folder)
      let usual = try CommandProcess.run(["info", "far/damaged.dae"], in: folder)
      #expect(outcome.status == usual.status && outcome.errors == usual.errors)
    }

    @Test func `where there is neither a user is told, and may refuse`() throws {
      let folder = try TemporaryFolder()
      try folder.writeScan()
      let written = try CommandProcess.run(["run", "scan.obj", "-o", "scan.dae"], in: folder)
      try #require(written.status == 0, "\(written.errors)")
      let told = try run("info", "scan.dae", bubblewrap: "", in: folder)
      #expect(told.status == 0)
      #expect(told.errors.contains("the process in which Assimp runs is not confined"))
      #expect(told.errors.contains("no Landlock") && told.errors.contains("install bubblewrap"))
      for bubblewrap in ["", "/bin/false"] {
        let refused = try run(
          "run", "scan.dae", "-o", "o.ply", "--require-confinement", bubblewrap: bubblewrap,
          in: folder)
        #expect(refused.status == 69)
        #expect(refused.errors.contains("neither Landlock nor bubblewrap"), "\(refused.errors)")
        #expect(!folder.exists("o.ply"))
      }
      let batch = try run(
        "batch", "scan.dae", "-o", "out/{stem}.ply", "--require-confinement", bubblewrap: "",
        in: folder)
      #expect(batch.status == 69)
      #expect(batch.errors.contains("neither Landlock nor bubblewrap"), "\(batch.errors)")
    }
  }
#endif
