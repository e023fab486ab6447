import Foundation
import MeshPipeline
import Testing

@Suite struct OutputTransactionTests {
  let folder: TestKit.Folder

  init() throws { folder = try TestKit.Folder() }

  /// Writes an output of files; the main file is `name`.
  private func write(
    _ name: String, _ text: String = "main", sides: [String: String] = [:],
    in transaction: OutputTransaction
  ) throws {
    let output = try transaction.begin(folder.file(name))
    for (side, content) in sides {
      try content.write(toFile: output.sidePath(side), atomically: false, encoding: .utf8)
    }
    try text.write(toFile: output.mainPath, atomically: false, encoding: .utf8)
    try transaction.seal(output)
  }

  private func attributes(_ name: String) throws -> [FileAttributeKey: Any] {
    try FileManager.default.attributesOfItem(atPath: folder.file(name))
  }

  private func failure(_ body: () throws -> Void) throws -> OutputFailure {
    try #require(throws: OutputFailure.self) { try body() }
  }

  @Test func `nothing appears before the commit, everything after it`() throws {
    let transaction = OutputTransaction(hashes: true)
    try write("a.obj", sides: ["a.mtl": "library", "skin.png": "picture"], in: transaction)
    try write("new/deep/b.glb", "other", in: transaction)
    #expect(folder.names.filter { !$0.contains(".meshpipe-") } == ["new", "new/deep"])
    let reports = try transaction.commit()
    #expect(folder.names == ["a.mtl", "a.obj", "new", "new/deep", "new/deep/b.glb", "skin.png"])
    #expect(
      reports.map { $0.map { FileSystem.name(of: $0.path) } } == [
        ["a.obj", "skin.png", "a.mtl"], ["b.glb"],
      ])
    #expect(reports[0].map(\.bytes) == [4, 7, 7])
    // printf main | sha256sum
    #expect(
      reports[0][0].sha256 == "0d6e4079e36703ebd37c00722f5891d28b0e2811dc114b129215123adcce3605")
  }

  @Test func `what is given up leaves nothing`() throws {
    do {
      let transaction = OutputTransaction()
      try write("new/deep/a.obj", in: transaction)
      _ = try transaction.begin(folder.file("b.obj"))
    }
    #expect(folder.names == [])
  }

  @Test func `a file that would not change is left alone`() throws {
    try folder.write("main", to: "same.obj")
    try folder.write("old", to: "other.obj")
    let past = Date(timeIntervalSince1970: 1_000_000)
    for name in ["same.obj", "other.obj"] {
      try FileManager.default.setAttributes(
        [.modificationDate: past, .posixPermissions: 0o640], ofItemAtPath: folder.file(name))
    }
    let transaction = OutputTransaction()
    try write("same.obj", in: transaction)
    try write("other.obj", in: transaction)
    #expect(try transaction.commit().map { $0.map(\.isUnchanged) } == [[true], [false]])
    #expect(try attributes("same.obj")[.modificationDate] as? Date == past)
    #expect(try attributes("other.obj")[.modificationDate] as? Date != past)
    #expect(try folder.read("other.obj") == "main")
    // Permissions stay as the user set them.
    #expect(try attributes("other.obj")[.posixPermissions] as? Int == 0o640)

    let touching = OutputTransaction(touchesUnchanged: true)
    try write("same.obj", in: touching)
    _ = try touching.commit()
    #expect(try attributes("same.obj")[.modificationDate] as? Date != past)
  }

  @Test func `the input is never replaced, whatever it is called`() throws {
    try folder.write("scan", to: "scan.obj")
    try folder.write("library", to: "scan.mtl")
    try FileManager.default.createSymbolicLink(
      atPath: folder.file("link.obj"), withDestinationPath: "scan.obj")
    let transaction = OutputTransaction(overwriting: .forced)
    transaction.protect([folder.file("scan.obj"), folder.file("scan.mtl")])
    for name in ["scan.obj", "link.obj"] {
      #expect(
        try failure { try transaction.check(folder.file(name)) }
          == .isInput(folder.file(name), input: folder.file("scan.obj")))
    }
    // A side file may not either, unless it would stay as it is.
    try write("other.obj", sides: ["scan.mtl": "changed"], in: transaction)
    let found = try failure { _ = try transaction.commit() }
    #expect(found.message.contains("would overwrite the input"))
    #expect(found.exitCode == .cannotCreate)
    #expect(try folder.read("scan.mtl") == "library")
    #expect(folder.names == ["link.obj", "scan.mtl", "scan.obj"])

    try write("other.obj", sides: ["scan.mtl": "library"], in: transaction)
    _ = try transaction.commit()
    #expect(folder.names == ["link.obj", "other.obj", "scan.mtl", "scan.obj"])
  }

  @Test func `folders, pipes and read-only files are refused`() throws {
    try FileManager.default.createDirectory(
      atPath: folder.file("folder.obj"), withIntermediateDirectories: false)
    try folder.write("mine", to: "locked.obj")
    try FileManager.default.setAttributes(
      [.posixPermissions: 0o444], ofItemAtPath: folder.file("locked.obj"))
    mkfifo(folder.file("pipe.obj"), 0o600)
    let transaction = OutputTransaction()
    #expect(
      try failure { try transaction.check(folder.file("folder.obj")) }
        == .isFolder(folder.file("folder.obj")))
    #expect(
      try failure { try transaction.check(folder.file("pipe.obj")) }
        == .isSpecial(folder.file("pipe.obj")))
    #expect(
      try failure { _ = try transaction.begin(folder.file("locked.obj")) }
        == .isReadOnly(folder.file("locked.obj")))
    #expect(
      try failure { try OutputTransaction(overwriting: .never).check(folder.file("locked.obj")) }
        == .exists(folder.file("locked.obj")))
    let forcing = OutputTransaction(overwriting: .forced)
    try write("locked.obj", in: forcing)
    _ = try forcing.commit()
    #expect(try folder.read("locked.obj") == "main")
  }

  @Test func `a link stays a link`() throws {
    try FileManager.default.createDirectory(
      atPath: folder.file("real"), withIntermediateDirectories: false)
    try folder.write("old", to: "real/model.obj")
    try FileManager.default.createSymbolicLink(
      atPath: folder.file("link.obj"), withDestinationPath: "real/model.obj")
    let transaction = OutputTransaction()
    try write("link.obj", "new", in: transaction)
    _ = try transaction.commit()
    #expect(try folder.read("real/model.obj") == "new")
    #expect(try attributes("link.obj")[.type] as? FileAttributeType == .typeSymbolicLink)
  }

  @Test func `outputs share a side file when it is the same`() throws {
    let sharing = OutputTransaction()
    try write("a.obj", sides: ["skin.png": "picture"], in: sharing)
    try write("b.gltf", sides: ["skin.png": "picture"], in: sharing)
    _ = try sharing.commit()
    #expect(folder.names == ["a.obj", "b.gltf", "skin.png"])

    let clashing = OutputTransaction()
    try write("a.obj", "changed", sides: ["skin.png": "one"], in: clashing)
    try write("b.gltf", sides: ["skin.png": "two"], in: clashing)
    #expect(
      try failure { _ = try clashing.commit() } == .conflict(folder.file("skin.png")))
    #expect(try folder.read("a.obj") == "main")
  }

  @Test func `a rename that fails puts back what was there`() throws {
    try folder.write("old", to: "a.obj")
    let transaction = OutputTransaction()
    try write("a.obj", "new", in: transaction)
    try write("b.obj", "new", in: transaction)
    // Between the check and the rename somebody takes the place.
    try write("c.obj", sides: ["side.png": "new"], in: transaction)
    try FileManager.default.createDirectory(
      atPath: folder.file("c.obj"), withIntermediateDirectories: false)
    #expect(throws: (any Error).self) { try transaction.commit() }
    #expect(try folder.read("a.obj") == "old")
    #expect(folder.names == ["a.obj", "c.obj"])
  }

  @Test func `standard output takes one file`() throws {
    let descriptor = open(folder.file("captured"), O_WRONLY | O_CREAT, 0o600)
    defer { close(descriptor) }
    let transaction = OutputTransaction(standardOutput: descriptor)
    let output = try transaction.begin("-")
    try "model".write(toFile: output.mainPath, atomically: false, encoding: .utf8)
    try transaction.seal(output)
    _ = try transaction.commit()
    #expect(try folder.read("captured") == "model")

    let second = try transaction.begin("-")
    try "model".write(toFile: second.mainPath, atomically: false, encoding: .utf8)
    try "side".write(toFile: second.sidePath("x.png"), atomically: false, encoding: .utf8)
    #expect(throws: OutputFailure.severalFiles(["output", "x.png"])) {
      try transaction.seal(second)
    }
  }

  @Test func `a folder that can't be made is an error of the output`() throws {
    try folder.write("file", to: "file")
    let transaction = OutputTransaction()
    let error = try #require(throws: FileError.self) {
      _ = try transaction.begin(folder.file("file/below/a.obj"))
    }
    #expect(error.exitCode == .cannotCreate)
    #expect(error.message == "\(folder.file("file/below/a.obj")): can't create: not a directory")
  }

  @Test func `the end of the process removes what is unfinished and commits nothing more`() async {
    await #expect(processExitsWith: .exitCode(130)) {
      let folder = try TestKit.Folder()
      let transaction = OutputTransaction()
      let output = try transaction.begin(folder.file("new/a.obj"))
      try "half".write(toFile: output.mainPath, atomically: false, encoding: .utf8)
      OutputTransaction.abandonAll()
      guard folder.names == [] else { exit(1) }
      guard (try? transaction.commit()) == nil, (try? transaction.begin(folder.file("b"))) == nil
      else { exit(2) }
      exit(130)
    }
  }
}
