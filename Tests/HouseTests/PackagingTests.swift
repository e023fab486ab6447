import Foundation
import MeshTestSupport
import Testing

struct PackagingTests {
  #if os(Linux)
    @Test func `missing programs are named before anything is removed`() throws {
      let folder = try TemporaryFolder()
      let files = ["Makefile", "packaging/dist.sh", "Sources/MeshpipeBase/Version.swift"]
      for file in files { try folder.write(file, Checkout.text(file)) }
      try folder.write("dist/earlier", "a package")
      let tools = ["make", "sh", "sed", "dirname", "mktemp", "rm", "mkdir", "uname"]
      for tool in tools {
        try FileManager.default.createSymbolicLink(
          atPath: folder.path + "/\(tool)", withDestinationPath: Checkers.program(tool))
      }
      try FileManager.default.setAttributes(
        [.posixPermissions: 0o755], ofItemAtPath: folder.path + "/packaging/dist.sh")
      let make = try Program.run(
        folder.path + "/make", ["dist"], in: folder.path, environment: ["PATH": folder.path])
      #expect(make.status != 0)
      #expect(make.errors.contains("'patchelf'"), "\(make.errors)")
      #expect(make.errors.contains("apt-get install patchelf"), "\(make.errors)")
      #expect(FileManager.default.fileExists(atPath: folder.path + "/dist/earlier"))
    }
  #endif

  @Test func `the package of Debian recommends each release of FFmpeg that can be opened`() throws {
    let table = try Checkout.text("Sources/CLibraries/CVideo/release.c")
    let releases = table.matches(of: /\{(\d+), \d+, \d+, (\d+), (\d+), LIBAV/)
    #expect(releases.count == 5)
    let script = try Checkout.text("packaging/dist.sh")
    for (name, versions) in [
      ("libavformat", releases.map(\.2)), ("libswscale", releases.map(\.3)),
    ] {
      let choice = versions.map { "\(name)\($0)" }.joined(separator: " | ")
      #expect(script.contains(choice), "\(choice)")
    }
  }
}
