import Foundation
import MeshPipeline
import MeshTestSupport
import Testing

@testable import Plugins

struct ReadableFolderTests {
  private let home = FileSystem.environment("HOME") ?? "/"

  private func folder(_ text: String) -> ReadableFolder {
    ReadableFolder(text: text, folder: "/data/plugins/look")
  }

  @Test func `paths are absolute, of the home, or from the manifest`() {
    #expect(folder("/opt/data/").path == "/opt/data")
    #expect(folder("~/models").path == "\(home)/models")
    #expect(folder("weights/./net").path == "/data/plugins/look/weights/net")
    #expect(folder("../../models").path == "/data/models")
    #expect(folder("../../../../..").path == "/")
  }

  @Test(arguments: [
    ("/", "'/' is too broad"), ("~", "'~' is too broad"), ("~/", "'~/' is too broad"),
    ("~/.", "too broad"), ("../../..", "too broad"), ("/tmp", "too broad"),
    ("~/models/..", "too broad"), ("~/Documents", "too broad"),
    ("~ada/models", "'~ada/models': only '~/'"), ("", "must list files or folders"),
  ])
  func `what asks for too much is told, with its place`(text: String, message: String) {
    let manifest = """
      {
        "meshpipePlugin": 1, "name": "look", "version": "1", "protocol": 1, "executable": "look.py",
        "reads": ["/opt/data", "\(text)"],
        "stages": [ { "name": "look", "summary": "Looks." } ]
      }
      """
    let told = PluginManifest.read(
      Array(manifest.utf8), path: "/data/plugins/look/look.meshpipe-plugin.json"
    ).diagnostics.map(\.description)
    #expect(told.count == 1)
    #expect(told.first?.contains("look.meshpipe-plugin.json:3:12") == true, "\(told)")
    #expect(told.first?.contains(message) == true, "\(told)")
  }

  @Test func `a place is a file's folder, or the file alone where people keep everything`() {
    let places = PersonalPlaces(home: "/people/ada")
    #expect(places.place(of: "/people/ada/scans/a.ply") == "/people/ada/scans")
    for file in ["/people/ada/a.ply", "/people/a.ply", "/tmp/a.ply", "/people/ada/Downloads/a.ply"]
    {
      #expect(places.place(of: file) == file)
    }
    #expect(!places.contain("/people/adam"))
  }

  @Test(arguments: [
    ("#!/opt/conda/bin/python -E\nprint()", "/opt/conda/bin/python"), ("print()", nil),
    ("#!  /usr/bin/env -S A=1 sh -e\n", "/bin/sh"), ("#!/usr/bin/env no-such-program\n", nil),
    ("#!", nil),
  ])
  func `a script names its interpreter`(text: String, interpreter: String?) throws {
    let folder = try TemporaryFolder()
    try text.write(toFile: folder.path + "/run", atomically: true, encoding: .utf8)
    let found = ProgramPlaces.interpreter(ofScript: folder.path + "/run")
    #expect(found.map(FileSystem.name) == interpreter.map(FileSystem.name))
  }
}
