import MeshpipeBase
import Testing

@Suite struct ShownPathsTests {
  private var shown: ShownPaths {
    var shown = ShownPaths()
    shown.show("/tmp/x/scan/room.obj", as: "a.zip/scan")
    shown.show("/tmp/x", as: #"we"ird\a.zip"#)
    return shown
  }

  @Test func `files have the names that the user knows, earlier ones first`() {
    #expect(
      shown.readable("/tmp/x/scan/room.obj:5: no /tmp/x/scan/wood.mtl")
        == #"a.zip/scan:5: no we"ird\a.zip/scan/wood.mtl"#)
    #expect(ShownPaths().readable("/tmp/x/scan") == "/tmp/x/scan")
  }

  @Test func `strings of JSON have them at any depth, however they are escaped`() {
    let json: JSONValue = ["input": "/tmp/x/b", "files": [["path": "/tmp/x/c"], 1, true]]
    let text = shown.readable(json).compactText
    #expect(
      JSONReader.read(Array(text.utf8)).value?["files"]?.elements[0]["path"]?.text
        == #"we"ird\a.zip/c"#)
    #expect(!text.contains("/tmp"))
    #expect(ShownPaths().readable(json) == json)
  }
}
