import Foundation
import MeshPipeline
import MeshTestSupport
import NativeLibraries
import Testing

/// Uploads to a server that the tests start.
struct UploadTests {
  /// A server on 127.0.0.1, which ends with this value.
  final class Server {
    let folder: TemporaryFolder
    let port: Int
    private let process = Process()
    private let input = Pipe()

    init(certificate: [String] = []) throws {
      folder = try TemporaryFolder()
      let output = Pipe()
      process.executableURL = URL(filePath: try Checkers.program("python3"))
      process.arguments =
        [Checkout.path("Tools/checks/upload_server.py"), folder.path] + certificate
      process.standardInput = input
      process.standardOutput = output
      try process.run()
      let line = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
      port = try #require(Int(line.filter(\.isNumber)))
    }

    deinit {
      try? input.fileHandleForWriting.close()
      process.terminate()
      process.waitUntilExit()
    }

    var url: String { "http://127.0.0.1:\(port)" }

    /// Method, path, status and authorization of each request.
    var log: [String] {
      let text = (try? String(contentsOfFile: folder.path + "/log", encoding: .utf8)) ?? ""
      return text.split(separator: "\n").map(String.init)
    }

    /// The names of the files that were sent to a folder, in order.
    func sentNames(to place: String) -> [String] {
      log.compactMap { line in
        let start = "PUT /\(place)/"
        return line.hasPrefix(start)
          ? line.dropFirst(start.count).split(separator: " ").first.map(String.init) : nil
      }
    }

    func file(_ name: String) throws -> Data {
      try Data(contentsOf: URL(filePath: folder.path + "/files/" + name))
    }
  }

  /// Runs a conversion into a folder and uploads the outputs.
  private func upload(
    _ folder: TemporaryFolder, to url: String, token: String? = nil, retries: Int = 1,
    _ more: [String] = [], environment: [String: String] = [:]
  ) throws -> Program {
    if !FileManager.default.fileExists(atPath: folder.path + "/scan.obj") {
      try folder.write(
        "mtllib scan.mtl\nv 0 0 0\nv 1 0 0\nv 0 1 0\nusemtl red\nf 1 2 3\n", to: "scan.obj")
      try folder.write("newmtl red\nKd 1 0 0\n", to: "scan.mtl")
    }
    var environment = environment
    environment["MESHPIPE_UPLOAD_TOKEN"] = token ?? ""
    environment["no_proxy"] = "*"
    return try Program.run(
      Program.meshpipe,
      ["run", "scan.obj", "-o", "out/a.obj", "-o", "out/c d.glb", "--upload", url]
        + ["--upload-retries", "\(retries)"] + more,
      in: folder.path, environment: environment)
  }

  @Test func `outputs are sent once, and only what the server lacks is sent again`() throws {
    let server = try Server()
    let folder = try TemporaryFolder()
    for mode in ["ok", "rfc"] {
      let first = try upload(folder, to: "\(server.url)/\(mode)/x/")
      #expect(first.status == 0, "\(first.errors)")
      #expect(first.output + first.errors == "")
      for (name, path) in [("a.obj", "a.obj"), ("a.mtl", "a.mtl"), ("c%20d.glb", "c d.glb")] {
        let sent = try server.file("\(mode)__x__\(name)")
        #expect(sent == (try Data(contentsOf: URL(filePath: folder.path + "/out/" + path))))
      }
      let puts = server.log.filter { $0.hasPrefix("PUT /\(mode)/") }
      #expect(puts.count == 3)
      // What an OBJ refers to is there before it.
      #expect(puts[0].contains("a.mtl") && puts[1].contains("a.obj"), "\(puts)")
      try FileManager.default.removeItem(
        atPath: server.folder.path + "/files/\(mode)__x__a.mtl")
      #expect(try upload(folder, to: "\(server.url)/\(mode)/x").status == 0)
      let again = server.log.filter { $0.hasPrefix("PUT /\(mode)/") }.dropFirst(3)
      #expect(again.count == 1 && again.first?.contains("a.mtl") == true)
    }
  }

  @Test func `outputs that are up to date are sent in the order of a run`() throws {
    let server = try Server()
    let folder = try TemporaryFolder()
    for place in ["ok/first", "ok/second"] {
      let run = try upload(
        folder, to: "\(server.url)/\(place)", ["--if-changed", "--report", "report.json"])
      #expect(run.status == 0, "\(run.errors)")
      #expect(server.sentNames(to: place) == ["a.mtl", "a.obj", "c%20d.glb"])
      if place == "ok/first" { try folder.write("old", to: "report.json") }
    }
    // The second time nothing was run.
    #expect(try String(contentsOfFile: folder.path + "/report.json", encoding: .utf8) == "old")
  }

  @Test func `a bundle is sent with its folder, its lines last`() throws {
    let server = try Server()
    let folder = try TemporaryFolder()
    try folder.writeSmallBundle()
    for place in ["ok/first", "ok/second"] {
      let run = try Program.run(
        Program.meshpipe,
        [
          "run", "room", "-o", "out/a.frames-bundle", "--if-changed", "--upload",
          "\(server.url)/\(place)",
        ],
        in: folder.path, environment: ["MESHPIPE_UPLOAD_TOKEN": "", "no_proxy": "*"])
      #expect(run.status == 0, "\(run.errors)")
      let names = [
        "README.md", "images/frame_000000.png", "images/frame_000001.png", "manifest.json",
        "manifest.sha256.json", "mesh.obj", "frames.jsonl",
      ]
      #expect(server.sentNames(to: place) == names.map { "a.frames-bundle/\($0)" })
    }
  }

  @Test func `without a checksum of the server everything is sent again`() throws {
    let server = try Server()
    let folder = try TemporaryFolder()
    for _ in 0..<2 { #expect(try upload(folder, to: "\(server.url)/plain").status == 0) }
    #expect(server.log.count { $0.hasPrefix("PUT") } == 6)
  }

  @Test func `a refusal is permanent, ends the upload and names what was not sent`() throws {
    let server = try Server()
    let folder = try TemporaryFolder()
    for (status, words) in [("401", "MESHPIPE_UPLOAD_TOKEN"), ("403", "permission")] {
      let run = try upload(folder, to: "\(server.url)/\(status)")
      #expect(run.status == 74)
      #expect(
        run.errors.contains("not uploaded: 'a.mtl', 'a.obj', 'c d.glb'")
          && run.errors.contains(words), "\(run.errors)")
      #expect(server.log.count { $0.contains("/\(status)/") } == 1)
      // The outputs are there all the same.
      #expect(FileManager.default.fileExists(atPath: folder.path + "/out/c d.glb"))
    }
    let large = try upload(folder, to: "\(server.url)/413")
    #expect(large.status == 74 && large.errors.contains("too large"), "\(large.errors)")
  }

  @Test func `a busy server, and one that cuts the connection, are tried again`() throws {
    let server = try Server()
    let folder = try TemporaryFolder()
    let busy = try upload(folder, to: "\(server.url)/busy")
    #expect(busy.status == 0, "\(busy.errors)")
    #expect(server.log.count { $0.contains(" 503 ") } == 6)
    let cut = try upload(folder, to: "\(server.url)/cut")
    #expect(cut.status == 0, "\(cut.errors)")
    #expect(server.log.count { $0.hasPrefix("PUT /cut/") && $0.contains(" 201 ") } == 3)
  }

  @Test func `what stays busy, asks to wait for hours or is not there is temporary`() throws {
    let server = try Server()
    let folder = try TemporaryFolder()
    for (place, words) in [("500", "500"), ("wait", "20000 s")] {
      let run = try upload(folder, to: "\(server.url)/\(place)", retries: place == "wait" ? 4 : 0)
      #expect(run.status == 75)
      #expect(run.errors.contains(words) && run.errors.contains("a later run"), "\(run.errors)")
      #expect(server.log.count { $0.contains("/\(place)/") } == 1)
    }
    let gone = try upload(folder, to: "http://127.0.0.1:1/x", retries: 0)
    #expect(gone.status == 75, "\(gone.errors)")
    let lies = try upload(folder, to: "\(server.url)/lies", retries: 0)
    #expect(lies.status == 75 && lies.errors.contains("other bytes"), "\(lies.errors)")
  }

  @Test func `a server that accepts a file before it has read it does not have it`() throws {
    let server = try Server()
    let folder = try TemporaryFolder()
    // More than systems keep for a server that does not read, and nothing that could be compressed.
    let noise = try #require(FileHandle(forReadingAtPath: "/dev/urandom"))
    let pixels = try #require(try noise.read(upToCount: 9_000_000))
    let image = Image(width: 2000, height: 1500, pixels: Array(pixels))
    try Data(PNG.encode(image, level: 0)).write(to: folder.url.appendingPathComponent("big.png"))
    try folder.write(
      "mtllib scan.mtl\nv 0 0 0\nv 1 0 0\nv 0 1 0\nvt 0 0\nvt 1 0\nvt 0 1\nusemtl a\nf 1/1 2/2 3/3\n",
      to: "scan.obj")
    try folder.write("newmtl a\nmap_Kd big.png\n", to: "scan.mtl")
    let run = try upload(folder, to: "\(server.url)/unread", retries: 0)
    #expect(run.status == 75, "\(run.errors)")
    // Small files may have left before the answer came, and be asked for.
    #expect(run.errors.contains("'a_big.png'"), "\(run.errors)")
    #expect(run.errors.contains("the server answers 200 before it has read the file"))
  }

  @Test(arguments: [
    // What was sent fits into what systems keep for a server that does not read.
    // It may also answer while the file is leaving.
    ("early", 75, "a.mtl: the server "),
    ("half", 75, "the server has "),
    ("mute", 74, "neither the SHA-256 nor the length"),
    ("nohead", 74, "but answers 405 when it is asked for it"),
  ])
  func `only a digest or a length shows that a file arrived`(
    mode: String, status: Int32, words: String
  ) throws {
    let server = try Server()
    let folder = try TemporaryFolder()
    let run = try upload(folder, to: "\(server.url)/\(mode)", retries: 0)
    #expect(run.status == status, "\(run.errors)")
    #expect(run.errors.contains("not uploaded: 'a.mtl'"), "\(run.errors)")
    #expect(run.errors.contains(words), "\(run.errors)")
  }

  @Test func `a file that was sent by way of a signed URL is asked for where it was sent`() throws {
    let server = try Server()
    let run = try upload(TemporaryFolder(), to: "\(server.url)/signed", retries: 0)
    #expect(run.status == 0, "\(run.errors)")
    #expect(server.log.count { $0.hasPrefix("PUT /putonly/") && $0.contains(" 201 ") } == 3)
  }

  @Test func `a server that does nothing is given up`() throws {
    let server = try Server()
    let folder = try TemporaryFolder()
    let run = try upload(
      folder, to: "\(server.url)/slow", retries: 0, ["--upload-stall", "1"])
    #expect(run.status == 75)
    #expect(run.errors.contains("not uploaded"), "\(run.errors)")
  }

  @Test func `the token goes to the server alone, and into no message`() throws {
    let server = try Server()
    let folder = try TemporaryFolder()
    let good = try upload(folder, to: "\(server.url)/token", token: "secret-token")
    #expect(good.status == 0, "\(good.errors)")
    let bad = try upload(folder, to: "\(server.url)/token/again", token: "wrong-token")
    #expect(bad.status == 74 && bad.errors.contains("not accepted"), "\(bad.errors)")
    #expect(!bad.errors.contains("wrong-token") && !bad.output.contains("wrong-token"))
    // Another port is another host.
    let away = try upload(folder, to: "\(server.url)/away", token: "secret-token")
    #expect(away.status == 0, "\(away.errors)")
    #expect(
      server.log.contains { $0.hasPrefix("PUT /away/") && $0.hasSuffix("Bearer secret-token") })
    #expect(server.log.contains { $0.hasPrefix("PUT /ok/") })
    #expect(server.log.allSatisfy { !$0.hasPrefix("PUT /ok/") || $0.hasSuffix(" -") })
    let loop = try upload(folder, to: "\(server.url)/loop")
    #expect(loop.status == 74 && loop.errors.contains("redirects"), "\(loop.errors)")
  }

  @Test func `a certificate that cannot be verified is refused`() throws {
    let folder = try TemporaryFolder()
    let made = try Program.run(
      Checkers.program("openssl"),
      [
        "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost",
        "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", folder.path + "/key.pem",
        "-out", folder.path + "/certificate.pem",
      ])
    try #require(made.status == 0, "\(made.errors)")
    let certificate = folder.path + "/certificate.pem"
    let server = try Server(certificate: [certificate, folder.path + "/key.pem"])
    let url = "https://127.0.0.1:\(server.port)/ok"
    let refused = try upload(folder, to: url, token: "secret-token")
    #expect(refused.status == 74)
    #expect(refused.errors.contains("not secure"), "\(refused.errors)")
    #expect(server.log == [])
    let trusted = ["CURL_CA_BUNDLE": certificate]
    let accepted = try upload(folder, to: url, token: "secret-token", environment: trusted)
    #expect(accepted.status == 0, "\(accepted.errors)")
    // Its name is not in the certificate.
    let other = try upload(
      folder, to: "https://localhost:\(server.port)/ok", retries: 0, environment: trusted)
    #expect(other.status == 74 && other.errors.contains("not secure"), "\(other.errors)")
    let down = try upload(
      folder, to: "https://127.0.0.1:\(server.port)/away", environment: trusted)
    #expect(down.status == 74 && down.errors.contains("unencrypted"), "\(down.errors)")
  }

  @Test(arguments: [
    "ftp://host/x", "host/x", "https://", "https://user:pass@host/x", "https://host/x?a=b",
    "https://host/a b", "http://:80/x",
  ])
  func `URLs that can't take files are refused before any work`(url: String) throws {
    let folder = try TemporaryFolder()
    let run = try upload(folder, to: url)
    #expect(run.status == 64)
    #expect(!run.errors.contains("pass@"))
    #expect(!FileManager.default.fileExists(atPath: folder.path + "/out"))
  }

  @Test func `a token is not sent without encryption`() throws {
    let folder = try TemporaryFolder()
    let run = try upload(folder, to: "http://example.com/x", token: "secret-token")
    #expect(run.status == 64 && run.errors.contains("https://"), "\(run.errors)")
    #expect(!run.errors.contains("secret-token"))
  }
}
