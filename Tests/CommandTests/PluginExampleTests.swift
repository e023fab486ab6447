import Foundation
import MeshTestSupport
import Testing

/// The plugins of the documentation, the skeletons and the Python module work as the pages say.
@Suite(.needs("numpy", "trimesh"))
struct PluginExampleTests {
  /// An environment in which 'meshpipe' is the one that was built and 'python3' the checkers'.
  private var environment: [String: String] {
    var environment = CommandProcess.environment
    let python = (Checkers.python as NSString).deletingLastPathComponent
    let command = CommandProcess.executable.deletingLastPathComponent().path
    environment["PATH"] = "\(command):\(python):\(environment["PATH"] ?? "")"
    environment["MESHPIPE_EXECUTABLE"] = CommandProcess.executable.path
    environment["PYTHONPATH"] = Checkout.path("bindings/python")
    return environment
  }

  private func shell(_ line: String, in folder: TemporaryFolder) throws -> Outcome {
    try CommandProcess.run(
      URL(fileURLWithPath: "/bin/sh"), ["-c", line], in: folder, environment: environment)
  }

  @Test func `the lines of the page run`() throws {
    let folder = try TemporaryFolder()
    try FileManager.default.createSymbolicLink(
      atPath: folder.url.appendingPathComponent("examples").path,
      withDestinationPath: Checkout.path("examples"))
    try folder.writeScan()
    try folder.writeScan("painted.obj", materials: "paint.mtl")
    try folder.write("newmtl paint\nmap_Kd wood.png\n", to: "paint.mtl")
    try folder.writePicture("wood.png")
    #expect(try shell("meshpipe run painted.obj -o textured.glb", in: folder).status == 0)
    let lines = try Checkout.text("docs/plugins.md").split(separator: "\n")
      .filter { $0.hasPrefix("meshpipe run") && $0.hasSuffix("--plugins examples/plugins") }
    #expect(lines.count == 3)
    for line in lines {
      // ImageMagick is not everywhere.
      let line = String(line).replacing("convert {in} -resize 200% {out}", with: "cp {in} {out}")
      let outcome = try shell(line, in: folder)
      #expect(outcome.status == 0, "\(line): \(outcome.errors)")
    }
  }

  @Test(arguments: ["laplacian", "run-command", "trimesh-repair"])
  func `the examples keep the agreement`(name: String) throws {
    let path = Checkout.path("examples/plugins/\(name)")
    let outcome = try shell("meshpipe plugins check '\(path)'", in: TemporaryFolder())
    #expect(outcome.status == 0, "\(outcome.text)\(outcome.errors)")
    #expect(!outcome.text.contains("advice"), "\(outcome.text)")
  }

  @Test(arguments: ["python", "c", "swift"])
  func `a new plugin works from the first moment`(language: String) throws {
    let folder = try TemporaryFolder()
    try folder.writeScan()
    let made = try shell("meshpipe plugins new lift-up --lang \(language)", in: folder)
    #expect(made.status == 0, "\(made.errors)")
    if language != "python" {
      let built = try shell("make -C lift-up && make -C lift-up test", in: folder)
      #expect(built.status == 0 && built.text.contains("\nok\n"), "\(built.text)\(built.errors)")
    }
    let check = try shell("meshpipe plugins check lift-up", in: folder)
    #expect(check.status == 0, "\(check.text)\(check.errors)")
    #expect(!check.text.contains("advice") && !check.text.contains("reports no progress"))
    let run = try shell(
      "meshpipe run scan.obj -s 'lift-up distance=5cm' -o out.obj --plugins lift-up", in: folder)
    #expect(run.status == 0, "\(run.errors)")
    #expect(try folder.text(of: "out.obj").contains("\nv 0 0.05 0\n"))
    if language == "python" {
      let test = try shell("cd lift-up && python3 test_lift_up.py", in: folder)
      #expect(test.text.contains("ok"), "\(test.errors)")
    }
    let again = try shell("meshpipe plugins new lift-up", in: folder)
    #expect(again.status == 73)
  }

  /// A plugin that changes a little, keeps a little and adds a little, with or without shared memory.
  private func writeCarrier(_ folder: TemporaryFolder, sharesArrays: Bool) throws {
    let name = sharesArrays ? "sharing" : "streaming"
    try folder.write(
      """
      import numpy as np
      import meshpipe
      from meshpipe import plugin, shared

      if not \(sharesArrays ? "True" : "False"):
          shared.SharedMemory.accepting = classmethod(lambda own, offer: None)

      @meshpipe.stage
      def \(name)(scene):
          meshpipe.note("shared", plugin._shared is not None)
          mesh = scene.meshes[0]
          mesh.positions[::2, 1] += 1
          mesh.keep_faces(slice(3, None))
          mesh.classes.labels = mesh.classes.labels.astype(np.int64)
          mesh.colors = np.arange(4 * len(mesh.positions)).reshape(-1, 4) % 256
          scene.meshes.append(meshpipe.Mesh(mesh.positions[::3].copy(), name="more"))
          scene.meshes.append(mesh)

      meshpipe.main()
      """, to: "\(name)/\(name).py")
    try folder.write(
      """
      { "meshpipePlugin": 1, "name": "\(name)", "version": "1", "protocol": 1,
        "interpreter": ["python3"], "executable": "\(name).py",
        "stages": [ { "name": "\(name)", "summary": "Changes a little." } ] }
      """, to: "\(name)/\(name).meshpipe-plugin.json")
  }

  @Test(arguments: [4, 300])
  func `arrays are the same through shared memory and through the stream`(cells: Int) throws {
    let folder = try TemporaryFolder()
    try folder.writeScan(cells: cells)
    for (name, shares) in [("sharing", true), ("streaming", false)] {
      try writeCarrier(folder, sharesArrays: shares)
      let outcome = try shell(
        // Provenance names the plugin.
        "meshpipe run scan.obj -s \(name) -o \(name).meshscene --plugins . --report \(name).json "
          + "--no-provenance",
        in: folder)
      #expect(outcome.status == 0, "\(outcome.errors)")
      let report = try folder.text(of: "\(name).json")
      #expect(report.contains(#""shared": \#(shares)"#) || report.contains(#""shared":\#(shares)"#))
    }
    let results = try ["sharing", "streaming"].map {
      try Data(contentsOf: folder.url.appendingPathComponent("\($0).meshscene"))
    }
    #expect(results[0] == results[1])
    #expect(results[0].count > cells * cells * 24)
  }

  @Test func `a plugin that breaks the agreement fails its check`() throws {
    let folder = try TemporaryFolder()
    try folder.url.writeBadPlugin("nan")
    let outcome = try shell("meshpipe plugins check .", in: folder)
    #expect(outcome.status == 65)
    #expect(outcome.text.contains("FAILED  go-wrong: handshake and an empty scene"))
    #expect(outcome.text.contains("non-finite numbers"))
  }

  @Test(arguments: ["test_meshpipe", "test_place"])
  func `the Python module reads, writes and runs`(name: String) throws {
    let script = Checkout.path("bindings/python/tests/\(name).py")
    let outcome = try shell("python3 '\(script)'", in: TemporaryFolder())
    #expect(outcome.text == "ok\n", "\(outcome.errors)")
  }

  @Test func `a batch and an unchanged build know plugins`() throws {
    let folder = try TemporaryFolder()
    let plugins = Checkout.path("examples/plugins")
    try folder.writeScan("scans/a.obj")
    try folder.writeScan("scans/b.obj")
    let batch = try shell(
      "meshpipe batch scans -s smooth-laplacian -o 'out/{stem}.ply' --plugins '\(plugins)'",
      in: folder)
    #expect(batch.status == 0, "\(batch.errors)")
    #expect(folder.exists("out/a.ply") && folder.exists("out/b.ply"))

    // A new version of a plugin is a reason to work again, and nothing else is.
    try FileManager.default.copyItem(
      atPath: plugins + "/laplacian", toPath: folder.url.path + "/laplacian")
    func build() throws -> Bool {
      let outcome = try shell(
        "meshpipe run scans/a.obj -s smooth-laplacian -o c.ply --if-changed --plugins laplacian "
          + "--progress json 2>&1 | grep -c stage", in: folder)
      return outcome.text != "0\n"
    }
    #expect(try build())
    #expect(try !build())
    let name = "laplacian/laplacian.meshpipe-plugin.json"
    try folder.write(try folder.text(of: name).replacing("1.0.0", with: "1.0.1"), to: name)
    #expect(try build())
  }
}
