import Foundation
import MeshTestSupport
import MeshpipeBase
import Testing

@testable import MeshPipeline

/// What files say of what made them, whatever the names in it are.
struct ProvenanceTests {
  /// Names that end comments, texts, elements and lines somewhere.
  static let hostile = [
    "a\nend_header\nb", "x\\", String(repeating: "\\", count: 700), "*/ --> ]]> \" ' <b> & &quot;",
    "Zimmer ä 室 🛋", String(repeating: " ", count: 900), "\u{2028}\u{0}\u{7F}\r", "{\"version\": 1}",
    "meshpipe-provenance {", "meshpipe up=z forward=y hand=right unit=0.001m",
  ]

  static func provenance(named name: String, stages: Int = 1) throws -> Provenance {
    let stage: JSONValue = [
      "id": name.json, "use": "weld", "in": "input", "with": ["tolerance": 1e-4],
    ]
    let json: JSONValue = [
      "version": 1, "meshpipe": "0.1.0",
      "pipeline": [
        "name": name.json, "sha256": String(repeating: "ab", count: 32).json,
        "stages": JSONValue(.array([JSONValue](repeating: stage, count: stages))),
        "output": ["format": "glb", "from": name.json],
      ],
      "inputs": [["name": name.json, "sha256": String(repeating: "cd", count: 32).json]],
    ]
    return try #require(Provenance(json))
  }

  @Test(arguments: hostile)
  func `the text is one line of ASCII that any place can hold`(name: String) throws {
    let provenance = try Self.provenance(named: name)
    let text = provenance.text
    #expect(text.utf8.allSatisfy { (0x20..<0x7F).contains($0) })
    #expect(!text.contains("  ") && !text.contains("\\\\"))
    #expect(!text.contains { "<>&".contains($0) })
    let bytes = Array("\(Provenance.key) \(text)".utf8)
    #expect(Provenance(inFile: bytes) == provenance)
  }

  @Test(arguments: hostile)
  func `lines are short, whole, and join nothing`(name: String) throws {
    let provenance = try Self.provenance(named: name, stages: 5)
    let lines = provenance.lines
    for line in lines {
      #expect(line.utf8.count < 250 && line.hasPrefix(Provenance.key))
      #expect(!line.hasSuffix("\\") && !line.hasSuffix(" "))
    }
    for prefix in ["comment ", "# "] {
      let file = "ply\n" + lines.map { prefix + $0 + "\n" }.joined() + "end_header\n{ }"
      #expect(Provenance(inFile: Array(file.utf8)) == provenance)
    }
  }

  @Test(arguments: hostile)
  func `it is found in XML, in quotes and in JSON of several lines`(name: String) throws {
    let provenance = try Self.provenance(named: name)
    let key = Provenance.key
    let quoted = provenance.text.replacingOccurrences(of: "\\", with: "\\\\")
      .replacingOccurrences(of: "\"", with: "\\\"")
    let inAttribute = provenance.text.replacingOccurrences(of: "\"", with: "&quot;")
    let forms = [
      "<comments>\(key) \(provenance.text)</comments>",
      "<a name=\"\(key)\" value=\"\(inAttribute)\"/>",
      "string \"\(key)\" = \"\(quoted)\"\n}",
      JSONValue(.object([.init("extras", JSONValue(.object([.init(key, provenance.json)])))]))
        .prettyText,
    ]
    for form in forms {
      let found = Provenance(inFile: Array("before \(key) nothing\n\(form)".utf8))
      #expect(found == provenance, Comment(rawValue: form))
    }
  }

  @Test func `a huge pipeline is found again`() throws {
    let provenance = try Self.provenance(named: "room", stages: 8000)
    #expect(provenance.text.utf8.count > 500_000)
    let file = provenance.lines.map { "# \($0)\n" }.joined()
    #expect(Provenance(inFile: Array(file.utf8)) == provenance)
  }

  @Test func `what is damaged, of a later version or something else is none`() throws {
    let text = try Self.provenance(named: "room").text
    for other in [
      String(text.dropLast()),
      text.replacingOccurrences(of: "\"version\": 1", with: "\"version\": 2"),
      "{ \"version\": 1 }", "{", "{}", "",
    ] {
      #expect(Provenance(inFile: Array("\(Provenance.key) \(other)".utf8)) == nil)
    }
    #expect(Provenance(inFile: Array(Provenance.key.utf8)) == nil)
    #expect(Provenance(inFile: []) == nil)
  }

  @Test func `the short extent has names and hashes, and fits where it must`() throws {
    let whole = try Self.provenance(named: "room")
    let short = try #require(whole.extent(.short))
    #expect(short.json["pipeline"]?["stages"] == nil)
    #expect(short.json["pipeline"]?["sha256"] == whole.json["pipeline"]?["sha256"])
    #expect(short.json["inputs"] == whole.json["inputs"])
    #expect(whole.extent(.none) == nil && short.extent(.short) == short)
    #expect(whole.fitting(1000) == short)
    let long = try Self.provenance(named: String(repeating: "n", count: 300))
    let least = try #require(long.fitting(500))
    #expect(least.text.utf8.count <= 500)
    #expect(least.json["inputs"]?.elements.first?["more"] == 1)
    #expect(whole.fitting(20) == nil)
    #expect(whole.digest == "p=abababab i=cdcdcdcd")
  }
}

/// Pipelines are made again as they were, or not at all.
struct ReplayTests {
  private func replay(_ pipeline: JSONValue) throws -> Provenance.Replay {
    let json: JSONValue = ["version": 1, "meshpipe": "0.1.0", "pipeline": pipeline]
    return try #require(Provenance(json)).replay { $0 }
  }

  @Test func `texts that look like variables stay as they are`() throws {
    let found = try replay([
      "inputs": [["path": "${level}.obj"]],
      "stages": [["id": "merge", "use": "merge", "with": ["name": "a ${stem} $${b}"]]],
      "output": ["format": "glb", "from": "merge"],
    ])
    guard case .pipeline(let file, _) = found else { return #expect(Bool(false), "\(found)") }
    let stage = file["stages"]?.elements.first
    #expect(stage?["with"]?["name"]?.text == "a $${stem} $$${b}")
    #expect(file["inputs"]?.elements.first?["path"]?.text == "$${level}.obj")
    #expect(file["outputs"]?.elements.first?["path"]?.text == "${stem}.glb")
  }

  @Test(arguments: [("levels", "levels"), ("size", "maximumBytes")])
  func `what no pipeline file can say is refused`(reason: String, words: String) throws {
    let found = try replay([
      "stages": [], "output": ["format": "glb", "from": "input"], "unreplayable": reason.json,
    ])
    guard case .impossible(let message) = found else { return #expect(Bool(false), "\(found)") }
    #expect(message.contains(words))
  }
}

/// Inputs are hashed while the run goes on, and what is not certain has no hash.
struct InputHashesTests {
  private func file(_ name: String, in folder: TemporaryFolder, _ status: FileStatus? = nil)
    -> InputHashes.File
  {
    InputHashes.File(path: "\(folder.path)/\(name)", name: name, isMain: true, status: status)
  }

  @Test func `files are hashed in order, and one that is gone is unreadable`() throws {
    let folder = try TemporaryFolder()
    try folder.write("a", "abc")
    let start = FileSystem.now + 1_000_000_000
    let hashes = InputHashes([file("a", in: folder), file("b", in: folder)], since: start)
    let abc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
    #expect(hashes.findings() == [.hash(abc), .unreadable])
    #expect(hashes.findings() == [.hash(abc), .unreadable])
  }

  @Test func `a file that was written since the run began has no hash`() throws {
    let folder = try TemporaryFolder()
    try folder.write("a", "abc")
    let path = "\(folder.path)/a"
    let before = try #require(try FileSystem.status(of: path))
    let start = before.modified - 1
    #expect(InputHashes([file("a", in: folder)], since: start).findings() == [.changed])
    // Known to be as it was.
    let known = file("a", in: folder, before)
    #expect(InputHashes([known], since: start).findings() != [.changed])
    try folder.write("a", "abcd")
    #expect(InputHashes([known], since: FileSystem.now).findings() == [.changed])
  }

  @Test func `ending early waits for no file`() throws {
    let folder = try TemporaryFolder()
    try folder.write("large", [UInt8](repeating: 7, count: 64 << 20))
    for _ in 0..<20 { _ = InputHashes([file("large", in: folder)], since: FileSystem.now) }
  }
}

/// Pictures lose what they say beside their pixels.
struct PictureMetadataTests {
  @Test func `a JPEG keeps its image and loses Exif, comments and what follows it`() throws {
    let exif: [UInt8] = [0xFF, 0xE1, 0, 12] + Array("Exif\0\0GPS!".utf8.prefix(10))
    let comment: [UInt8] = [0xFF, 0xFE, 0, 5] + Array("me!".utf8)
    let jfif: [UInt8] =
      [0xFF, 0xE0, 0, 16] + Array("JFIF\0".utf8) + [1, 1, 0, 0, 1, 0, 1, 0, 0]
    let other: [UInt8] = [0xFF, 0xE0, 0, 6] + Array("me!!".utf8)
    let profile: [UInt8] = [0xFF, 0xE2, 0, 14] + Array("ICC_PROFILE\0".utf8)
    let table: [UInt8] = [0xFF, 0xDB, 0, 3, 9]
    // Two scans of a progressive picture, with restarts in their data.
    let scan: [UInt8] = [0xFF, 0xDA, 0, 3, 1, 1, 0xFF, 0, 2, 0xFF, 0xD3, 7]
    let (start, end): ([UInt8], [UInt8]) = ([0xFF, 0xD8], [0xFF, 0xD9])
    let picture =
      start + jfif + [0, 0] + other + exif + profile + comment + table + scan + comment + exif
      + table + scan + end + Array("serial".utf8)
    let plain = start + jfif + profile + table + scan + table + scan + end
    #expect(PictureMetadata.removed(from: picture) == plain)
    #expect(PictureMetadata.removed(from: Array(picture.prefix(20))) == nil)
    #expect(PictureMetadata.removed(from: Array("ftypheic".utf8)) == nil)
  }

  @Test func `a PNG keeps its image and loses texts, times and Exif`() throws {
    func chunk(_ kind: String, _ count: Int) -> [UInt8] {
      [0, 0, 0, UInt8(count)] + Array(kind.utf8) + [UInt8](repeating: 7, count: count + 4)
    }
    let signature: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
    let image = [chunk("IHDR", 13), chunk("IDAT", 5), chunk("IEND", 0)]
    let picture =
      signature + image[0] + chunk("tEXt", 9) + chunk("eXIf", 8) + chunk("caBX", 6)
      + chunk("prVt", 3) + image[1] + chunk("tIME", 7)
      + image[2] + [1, 2, 3]
    #expect(PictureMetadata.removed(from: picture) == signature + image.joined())
    #expect(PictureMetadata.removed(from: Array(picture.prefix(40))) == nil)
    let unknown = signature + chunk("CgBI", 4) + picture.dropFirst(8)
    #expect(PictureMetadata.removed(from: unknown) == nil)
  }
}
