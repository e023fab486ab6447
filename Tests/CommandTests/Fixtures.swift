import Foundation
import MeshTestSupport

/// Small scans and pipelines that tests write into a folder.
extension TemporaryFolder {
  /// A unit square in the XZ plane of `cells` times `cells` cells, as OBJ; each row is a class.
  func writeScan(_ name: String = "scan.obj", cells: Int = 4, materials: String? = nil) throws {
    var text = materials.map { "mtllib \($0)\n" } ?? ""
    for z in 0...cells {
      for x in 0...cells {
        text += "v \(Double(x) / Double(cells)) 0 \(Double(z) / Double(cells))\n"
      }
    }
    text += "vt 0 0\nvt 1 0\nvt 0 1\n"
    for z in 0..<cells {
      text += "g \(z % 2 == 0 ? "floor" : "wall")\n" + (materials == nil ? "" : "usemtl paint\n")
      for x in 0..<cells {
        let a = z * (cells + 1) + x + 1
        let b = a + cells + 1
        text += "f \(a)/1 \(b)/2 \(a + 1)/3\nf \(a + 1)/1 \(b)/2 \(b + 1)/3\n"
      }
    }
    try write(text, to: name)
  }

  /// A pipeline of one stage for each text of `stages`, with outputs at the paths.
  func writePipeline(
    _ name: String = "pipeline.json", stages: [String] = [#"{ "use": "weld" }"#],
    outputs: [String] = ["${stem}.glb"]
  ) throws {
    let outputs = outputs.map { "{ \"path\": \"\($0)\" }" }.joined(separator: ", ")
    try write(
      """
      {
        "meshpipe": 1,
        "stages": [
          \(stages.joined(separator: ",\n    "))
        ],
        "outputs": [\(outputs)]
      }

      """, to: name)
  }

  /// A picture of one pixel.
  func writePicture(_ name: String, white: Bool = true) throws {
    let base64 =
      white
      ? "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR42mP4DwABAQEAHLCMmQAAAABJRU5ErkJggg=="
      : "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR42mNgAAAAAgAB5Sfe/AAAAABJRU5ErkJggg=="
    try (Data(base64Encoded: base64) ?? Data()).write(to: url.appendingPathComponent(name))
  }
}

extension URL {
  /// Writes the plugin that behaves in one of many ways, with one stage, into this folder.
  func writeBadPlugin(
    _ way: String, stage: String = "go-wrong", program: String = "bad.py", limits: String? = nil
  ) throws {
    try FileManager.default.copyItem(
      atPath: Checkout.path("Tests/BadPlugins/bad.py"),
      toPath: appendingPathComponent(program).path)
    try Data(
      """
      { "meshpipePlugin": 1, "name": "bad", "version": "1", "protocol": 1,
        "interpreter": ["python3"], "executable": "\(program)", "arguments": ["\(way)"],
        \(limits.map { "\"limits\": \($0)," } ?? "")
        "stages": [ { "name": "\(stage)", "summary": "Goes its own way." } ] }
      """.utf8
    ).write(to: appendingPathComponent("bad.meshpipe-plugin.json"))
  }
}
