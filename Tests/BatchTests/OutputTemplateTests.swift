import Batch
import MeshPipeline
import Testing

private func place(
  _ stem: String, _ ext: String = "obj", archive: String = "", folder: String = ""
) -> BatchItem.Place {
  BatchItem.Place(archive: archive, folder: folder, stem: stem, fileExtension: ext)
}

@Suite struct OutputTemplateTests {
  @Test(arguments: [
    ("out/{archive}/{folder}/{stem}.glb", "out/scans/day1/room.glb"),
    ("out/{folder}-{stem}.{ext}", "out/day1-room.obj"),
    ("{name}.glb", "room.obj.glb"),
    ("out/${folder}/${stem}.glb", "out/day1/room.glb"),
    ("out/$5-${{x}}-{stem}.glb", "out/$5-${x}-room.glb"),
    ("out/{{{stem}}}.glb", "out/{room}.glb"),
    ("./out//{stem}.glb", "out/room.glb"),
    ("/srv/{stem}.glb", "/srv/room.glb"),
    ("out", "out/scans/day1/"),
    ("out/", "out/scans/day1/"),
    ("out/{archive}/", "out/scans/"),
    ("out/{stem}", "out/room/"),
    ("out/model.glb", "out/model.glb"),
  ])
  func `names are filled in`(template: String, path: String) throws {
    let place = place("room", archive: "scans", folder: "day1")
    #expect(try OutputTemplate(template).path(for: place) == path)
  }

  @Test func `empty parts collapse`() throws {
    let template = try OutputTemplate("out/{archive}/{folder}/{stem}.glb")
    #expect(try template.path(for: place("room")) == "out/room.glb")
    #expect(try OutputTemplate("{archive}/{stem}.glb").path(for: place("room")) == "room.glb")
    #expect(try OutputTemplate("out").path(for: place("room")) == "out/")
  }

  @Test(arguments: [
    ("out/{archive}/{stem}.glb", "out"), ("out/light-{stem}.glb", "out"), ("{stem}.glb", "."),
    ("/srv/a/{stem}.glb", "/srv/a"), ("out", "out"), ("out/deep/", "out/deep"), ("./", "."),
    ("/{stem}.glb", "/"), ("model.glb", "."),
  ])
  func `the journal's folder is what all outputs share`(template: String, root: String) throws {
    #expect(try OutputTemplate(template).root == root)
  }

  @Test(arguments: [
    (
      "out/{stm}.glb",
      "-o 'out/{stm}.glb' has an unknown placeholder '{stm}'; did you mean '{stem}'?"
    ),
    ("out/{stem.glb", "-o 'out/{stem.glb' has a brace that is not closed"),
    (
      "out/stem}.glb",
      "-o 'out/stem}.glb' has a '}' without a '{'; write '}}' for a literal brace"
    ),
    ("-", "-o '-' is standard output, which takes only one result"),
  ])
  func `mistakes are told with the way out`(template: String, message: String) {
    let fault = #expect(throws: TemplateFault.self) { try OutputTemplate(template) }
    #expect(fault?.message == message)
    #expect(fault?.exitCode == .usage)
  }

  @Test func `a name can't lead out of the folder`() throws {
    let template = try OutputTemplate("out/{folder}/{stem}.glb")
    #expect(throws: TemplateFault.self) {
      try template.path(for: place("room", folder: "../../etc"))
    }
    #expect(
      try OutputTemplate("{folder}/{stem}.glb").path(for: place("room", folder: "/etc"))
        == "etc/room.glb")
  }
}
