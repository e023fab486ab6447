import Foundation
import MeshPipeline
import MeshTestSupport
import Testing

@testable import Plugins

struct PluginSearchTests {
  private func manifest(_ name: String, stage: String, extra: String = "") -> String {
    """
    { "meshpipePlugin": 1, "name": "\(name)", "version": "1", "protocol": 1, \(extra)
      "executable": "run", "stages": [ { "name": "\(stage)", "summary": "Does it." } ] }
    """
  }

  @Test func `relative folders are never searched unless the user names them`() {
    let search = PluginSearch.standard(chosen: ["/mine"], executable: nil) { name in
      switch name {
      case "MESHPIPE_PLUGIN_PATH": ":.:/a:plugins:/b:"
      case "XDG_DATA_HOME": "data"
      case "HOME": "/me"
      default: nil
      }
    }
    #expect(search.folders == ["/mine", "/a", "/b", "/me/.local/share/meshpipe/plugins"])
  }

  @Test func `plugins are found in a folder and one below, and broken ones do no harm`() throws {
    let folder = try TemporaryFolder()
    for place in ["", "two/"] { try folder.write(place + "run", "echo") }
    try folder.write("one.meshpipe-plugin.json", manifest("one", stage: "go-one"))
    try folder.write("two/two.meshpipe-plugin.json", manifest("two", stage: "go-two"))
    try folder.write("two/deep/three.meshpipe-plugin.json", manifest("three", stage: "go-three"))
    try folder.write("broken.meshpipe-plugin.json", "{")
    try folder.write(
      "lost.meshpipe-plugin.json", manifest("lost", stage: "x").replacing("run", with: "gone"))
    let set = PluginSet(PluginSearch(folders: [folder.path, "/nowhere"]))
    #expect(set.plugins.map(\.name) == ["broken", "lost", "one", "two"])
    #expect(set.stages.map(\.name) == ["go-one", "go-two"])
    #expect(set.plugins.map(\.problems.count) == [1, 1, 0, 0])
  }

  @Test func `what is called a manifest and is none is not waited for`() throws {
    let folder = try TemporaryFolder()
    let names = ["device", "folder", "large", "pipe"]
    let paths = names.map { "\(folder.path)/\($0).meshpipe-plugin.json" }
    try FileManager.default.createSymbolicLink(
      atPath: paths[0], withDestinationPath: "/dev/zero")
    try FileManager.default.createDirectory(atPath: paths[1], withIntermediateDirectories: false)
    try folder.write(
      "large.meshpipe-plugin.json", String(repeating: " ", count: PluginManifest.maximumLength + 1))
    #expect(mkfifo(paths[3], 0o600) == 0)
    let plugins = PluginSet(PluginSearch(folders: [folder.path])).plugins
    #expect(plugins.allSatisfy { $0.problems.count == 1 && $0.stages.isEmpty })
    #expect(plugins.count == names.count)
  }

  @Test func `a stage that is there already is left out, and told of`() throws {
    let folder = try TemporaryFolder()
    try folder.write("run", "echo")
    try folder.write("one.meshpipe-plugin.json", manifest("one", stage: "weld"))
    try folder.write("two.meshpipe-plugin.json", manifest("two", stage: "go"))
    try folder.write("zwei.meshpipe-plugin.json", manifest("zwei", stage: "go"))
    let set = PluginSet(PluginSearch(folders: [folder.path]), taken: ["weld"])
    #expect(set.stages.map(\.name) == ["go"])
    #expect(
      set.problems.map(\.message) == [
        "its stage 'weld' is ignored: meshpipe itself has one",
        "its stage 'go' is ignored: the plugin 'two' has one",
      ])
  }

  @Test func `a program that is not the one of the manifest is not used`() throws {
    let folder = try TemporaryFolder()
    try folder.write("run", "echo")
    func problems(_ digest: String) throws -> [String] {
      try folder.write(
        "one.meshpipe-plugin.json",
        manifest("one", stage: "go", extra: "\"sha256\": \"\(digest)\","))
      return PluginSet(PluginSearch(folders: [folder.path])).problems.map(\.message)
    }
    #expect(try problems(SHA256.hexadecimal(of: Array("echo".utf8))) == [])
    let wrong = try problems(SHA256.hexadecimal(of: Array("echo ".utf8)))
    #expect(wrong.count == 1)
    #expect(wrong[0].hasSuffix("/run does not match the manifest"))
  }
}
