import Foundation
import MeshTestSupport
import Testing

/// Formats of plugins are listed, completed, read and written as built-in ones are.
struct PluginFormatTests {
  private func run(_ arguments: String..., in folder: TemporaryFolder) throws -> Outcome {
    try CommandProcess.run(arguments, in: folder)
  }

  /// A plugin that reads `.pts3` and writes `.dots4`, and asks for a thing or two.
  private func writeManifest(_ folder: TemporaryFolder) throws {
    try folder.write("", to: "p/run.py")
    try folder.write(
      """
      { "meshpipePlugin": 1, "name": "points", "version": "1", "protocol": 1,
        "executable": "run.py", "network": true, "environment": ["STUDIO_KEY"],
        "formats": [
          { "id": "pts3", "name": "Three numbers", "extensions": ["pts3"], "reads": ["points"] },
          { "id": "dots4", "name": "Four numbers", "extensions": ["dots4"], "writes": ["points"] },
          { "id": "obj", "name": "Mine", "extensions": ["obj"], "reads": ["points"] } ] }
      """, to: "p/points.meshpipe-plugin.json")
  }

  @Test func `lists name the formats of plugins, and what plugins ask for`() throws {
    let folder = try TemporaryFolder()
    try writeManifest(folder)
    let formats = try run("formats", "--plugins", "p", in: folder).text
    #expect(formats.contains("pts3") && formats.contains("Four numbers"))
    #expect(formats.contains("by the plugin 'points'"))
    #expect(try !run("formats", "--no-plugins", in: folder).text.contains("pts3"))
    let json = try run("formats", "--json", "--plugins", "p", in: folder).text
    #expect(json.contains(#""plugin": "points""#))
    let list = try run("plugins", "list", "--plugins", "p", in: folder).text
    #expect(list.contains("formats: pts3 (read), dots4 (written)"))
    #expect(list.contains("asks for the network: --allow-network points"))
    #expect(list.contains("asks for the environment variable STUDIO_KEY: --allow-env STUDIO_KEY"))
    #expect(list.contains("its format 'obj' is ignored: meshpipe itself has one"))
    let asked = try run("plugins", "list", "--json", "--plugins", "p", in: folder).text
    #expect(asked.contains(#""network": true"#) && asked.contains(#""STUDIO_KEY""#))
  }

  @Test func `completion and errors name the formats of plugins`() throws {
    let folder = try TemporaryFolder()
    try writeManifest(folder)
    try folder.writeScan()
    try folder.write("0 0 0", to: "scan.pts3")
    func complete(_ kind: String) throws -> [Substring] {
      try run("--complete", kind, "", "run", "--plugins", "p", in: folder).text.split(
        separator: "\n")
    }
    #expect(try complete("read-format").contains("pts3"))
    #expect(try complete("written-format").contains("dots4"))
    #expect(try !complete("written-format").contains("pts3"))
    #expect(try complete("scan").contains("scan.pts3"))
    let unknown = try run(
      "run", "scan.obj", "-o", "o.x", "--output-format", "nothing", "--plugins", "p", in: folder)
    #expect(unknown.status == 69)
    #expect(unknown.errors.contains("dots4") && !unknown.errors.contains("pts3"))
    let near = try run("run", "scan.obj", "-o", "o.dots5", "--plugins", "p", in: folder)
    #expect(near.errors.contains("did you mean '.dots4'?"))
    let schema = try run("schema", "--with-plugins", "--plugins", "p", in: folder).text
    #expect(schema.contains(#""dots4""#))
  }

  // MARK: Files

  /// A plugin over the Python module with one format `.dots`, whose functions the test gives.
  private func writePlugin(_ functions: String, _ folder: TemporaryFolder) throws {
    try folder.write(
      "import os, sys, numpy as np\nimport meshpipe\n\n\(functions)\nmeshpipe.main()\n",
      to: "p/dots.py")
    try folder.write(
      """
      { "meshpipePlugin": 1, "name": "dots", "version": "1", "protocol": 1,
        "interpreter": ["\(Checkers.python)"], "executable": "dots.py",
        "formats": [ { "id": "dots", "name": "Points", "extensions": ["dots"],
          "reads": ["points"], "writes": ["points"], "up": "z" } ] }
      """, to: "p/dots.meshpipe-plugin.json")
  }

  private let honest = """
    @meshpipe.reader("dots")
    def read(path):
        side = path + ".txt"
        if os.path.exists(side):
            meshpipe.opened(side)
        positions = np.loadtxt(path, np.float32, ndmin=2)
        system = meshpipe.CoordinateSystem(up="z", forward="y")
        return meshpipe.Scene(
            coordinate_system=system, point_clouds=[meshpipe.PointCloud(positions, "p")])

    @meshpipe.writer("dots")
    def write(scene, path):
        with open(path, "w") as file:
            for cloud in scene.point_clouds + scene.meshes:
                np.savetxt(file, cloud.positions, "%g")
        with open(path + ".txt", "w") as file:
            file.write("beside it")
    """

  @Test(.needs("numpy"))
  func `a plugin reads and writes files`() throws {
    let folder = try TemporaryFolder()
    try writePlugin(honest, folder)
    try folder.write("0 0 0\n1 2 3\n4 5 6\n", to: "in/scan.dots")
    try folder.write("", to: "in/scan.dots.txt")
    let there = try run(
      "run", "in/scan.dots", "-o", "out.dots", "--plugins", "p", "-MD", "-MF", "d", in: folder)
    #expect(there.status == 0, "\(there.errors)")
    #expect(there.errors == "")
    #expect(try folder.text(of: "out.dots") == "0 0 0\n1 2 3\n4 5 6\n")
    #expect(try folder.text(of: "out.dots.txt") == "beside it")
    #expect(try folder.text(of: "d").contains("in/scan.dots.txt"))
    let info = try run("info", "in/scan.dots", "--plugins", "p", in: folder).text
    #expect(info.contains("points      3") && info.contains("z up"))
    // What the scene has and the format has not is told, and so are axes.
    try folder.writeScan()
    let lossy = try run("run", "scan.obj", "-o", "lossy.dots", "--plugins", "p", in: folder)
    #expect(lossy.status == 0)
    #expect(lossy.errors.contains("will be lost"), "\(lossy.errors)")
    #expect(lossy.errors.contains("the scene is Y up"), "\(lossy.errors)")
    let check = try run("plugins", "check", "p", in: folder)
    #expect(!check.text.contains("FAILED  format 'dots': writes"), "\(check.text)")
    #expect(check.text.contains("ok      format 'dots': reads written.dots"), "\(check.text)")
  }

  @Test(.needs("numpy"))
  func `another program is a reason to work again`() throws {
    let folder = try TemporaryFolder()
    try writePlugin(honest, folder)
    try folder.write("0 0 0\n1 2 3\n4 5 6\n", to: "scan.dots")
    func build() throws -> String {
      let outcome = try run(
        "run", "scan.dots", "-o", "out.ply", "--plugins", "p", "--if-changed", in: folder)
      #expect(outcome.status == 0, "\(outcome.errors)")
      let stamp = try folder.text(of: ".out.ply.meshpipe").split(separator: "\n")
      return String(try #require(stamp.first { $0.contains("recipe") }))
    }
    let first = try build()
    #expect(try build() == first)
    let point = try folder.text(of: "out.ply")
    try writePlugin(honest.replacing("np.loadtxt(", with: "2 * np.loadtxt("), folder)
    #expect(try build() != first)
    #expect(try folder.text(of: "out.ply") != point)
  }

  @Test(.needs("numpy"))
  func `another reader is a reason to work again in a batch`() throws {
    let folder = try TemporaryFolder()
    try writePlugin(honest, folder)
    try folder.write("0 0 0\n1 2 3\n4 5 6\n", to: "scan.dots")
    func points() throws -> String {
      let outcome = try run(
        "batch", "scan.dots", "-o", "out/{stem}.ply", "--plugins", "p", "--resume", in: folder)
      #expect(outcome.status == 0, "\(outcome.errors)")
      return try folder.text(of: "out/scan.ply")
    }
    let first = try points()
    #expect(try points() == first)
    try writePlugin(honest.replacing("np.loadtxt(", with: "2 * np.loadtxt("), folder)
    #expect(try points() != first)
  }

  @Test(
    .needs("numpy"),
    arguments: [
      ("write", "sys.exit(3)", 70, "ended without a result (status 3)"),
      ("write", "pass", 70, "it is done, but did not write its file"),
      ("write", "os.symlink('/etc/passwd', path)", 70, "is not a regular file"),
      ("write", "open(path, 'w'); os.mkdir(path + '.d')", 70, "is not a regular file"),
      ("write", "open(PLACE + '/out.dots', 'w').write('x')", 70, "ended without a result"),
      ("write", "raise meshpipe.Fault('it is too round')", 65, "it is too round"),
      ("read", "return 3", 70, "the reader returned a int, not a scene"),
      ("read", "raise meshpipe.Fault('line 3 is bad')", 65, "scan.dots: plugin 'dots': line 3 is"),
      (
        "read", "return meshpipe.Scene(frames=[])", 70,
        "it sent frames, which can't be part of a file"
      ),
      ("read", "open(path, 'w')", 70, "ended without a result"),
    ] as [(String, String, Int32, String)])
  func `a bad reader or writer costs an error, and nothing else`(
    direction: String, body: String, status: Int32, words: String
  ) throws {
    let folder = try TemporaryFolder()
    let signature = direction == "read" ? "read(path)" : "write(scene, path)"
    try writePlugin(
      """
      PLACE = "\(folder.url.path)"
      @meshpipe.\(direction == "read" ? "reader" : "writer")("dots")
      def \(signature):
          \(body)
      """, folder)
    try folder.writeScan()
    try folder.write("0 0 0\n", to: "scan.dots")
    try folder.write("precious", to: "out.dots")
    let input = direction == "read" ? "scan.dots" : "scan.obj"
    let output = direction == "read" ? "out.ply" : "out.dots"
    let outcome = try run("run", input, "-o", output, "--plugins", "p", in: folder)
    #expect(outcome.status == status, "\(outcome.errors)")
    #expect(outcome.errors.contains(words), "\(outcome.errors)")
    #expect(outcome.errors.contains("plugin 'dots'"))
    #expect(try folder.text(of: "out.dots") == "precious")
    #expect(try folder.text(of: "scan.dots") == "0 0 0\n")
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.url.path)
    #expect(!names.contains("out.ply"))
  }

  @Test(.needs("numpy"), arguments: ["reader", "writer"])
  func `a new reader or writer works from the first moment`(kind: String) throws {
    let folder = try TemporaryFolder()
    let made = try run("plugins", "new", "pts3", "--kind", kind, in: folder)
    #expect(made.status == 0, "\(made.errors)")
    // The skeleton names 'python3'; here that is the one with numpy.
    let name = "pts3/pts3.meshpipe-plugin.json"
    try folder.write(
      try folder.text(of: name).replacing("python3", with: Checkers.python), to: name)
    let check = try run("plugins", "check", "pts3", in: folder)
    #expect(check.status == 0, "\(check.text)\(check.errors)")
    #expect(!check.text.contains("advice"), "\(check.text)")
    var environment = CommandProcess.environment
    environment["PYTHONPATH"] = Checkout.path("bindings/python")
    let test = try CommandProcess.run(
      URL(fileURLWithPath: Checkers.python), ["pts3/test_pts3.py"], in: folder,
      environment: environment)
    #expect(test.text == "ok\n", "\(test.errors)")
    try folder.writeScan()
    let call =
      kind == "reader" ? ["pts3/sample.pts3", "-o", "out.ply"] : ["scan.obj", "-o", "out.pts3"]
    let outcome = try CommandProcess.run(["run"] + call + ["--plugins", "pts3"], in: folder)
    #expect(outcome.status == 0, "\(outcome.errors)")
    #expect(try run("plugins", "new", "obj", "--kind", kind, in: folder).status == 64)
    #expect(try run("plugins", "new", "a", "--kind", kind, "--lang", "c", in: folder).status == 64)
  }
}
