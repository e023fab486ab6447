import Foundation
import MeshTestSupport
import Testing

#if os(Linux)
  /// Which release of FFmpeg is opened, with libraries that do nothing but tell their release.
  struct FFmpegReleaseTests {
    private static let libraries = ["avutil", "avcodec", "avformat", "swscale"]

    /// The version that a library's file name bears.
    private static func version(_ library: String, of release: Int) -> Int {
      release + (library == "avutil" ? 52 : library == "swscale" ? 1 : 54)
    }

    private static func file(_ library: String, of release: Int) -> String {
      "lib\(library).so.\(version(library, of: release))"
    }

    /// Makes a library of a release, under the name of that or of another one.
    private static func make(
      _ library: String, of release: Int, as named: Int? = nil,
      in folder: MeshTestSupport.TemporaryFolder
    ) throws {
      let header = try Checkout.text("Sources/CLibraries/CVideo/libav.h")
      let functions = header.matches(of: /each\((\w+), (\w+)\)/).filter { $0.1 == library }
        .map { String($0.2) }
      try #require(functions.contains("\(library)_version"))
      let source = functions.map { name in
        switch name {
        case "\(library)_version":
          "unsigned \(name)(void) { return \(version(library, of: release)) << 16; }\n"
        case "av_version_info": "const char *\(name)(void) { return \"fake \(release)\"; }\n"
        default: "void *\(name)(void) { return 0; }\n"
        }
      }
      try folder.write("source.c", source.joined())
      let name = file(library, of: named ?? release)
      let made = try Program.run(
        try Checkers.program("cc"), ["-shared", "-fPIC", "-w", "source.c", "-o", name],
        in: folder.path)
      try #require(made.status == 0, "\(made.errors)")
    }

    /// What `doctor` says about FFmpeg.
    private static func report(_ folder: MeshTestSupport.TemporaryFolder) throws -> String {
      // The system's own must not be found.
      for release in 5...9 {
        for name in libraries.map({ file($0, of: release) })
        where !FileManager.default.fileExists(atPath: "\(folder.path)/\(name)") {
          try folder.write(name, "no library")
        }
      }
      let words = try CommandProcess.doctorWords(findingLibrariesIn: folder.path)
      let start = try #require(words.firstRange(of: "FFmpeg ")?.upperBound)
      let end = try #require(words.firstRange(of: " libwebp ")?.lowerBound)
      return String(words[start..<end])
    }

    @Test(arguments: 5...9)
    func `each known release is opened`(release: Int) throws {
      let folder = try MeshTestSupport.TemporaryFolder()
      for library in Self.libraries { try Self.make(library, of: release, in: folder) }
      #expect(try Self.report(folder) == "fake \(release)")
    }

    @Test func `libraries of several releases are not mixed`() throws {
      let folder = try MeshTestSupport.TemporaryFolder()
      for library in Self.libraries.dropLast() { try Self.make(library, of: 8, in: folder) }
      let report = try Self.report(folder)
      #expect(report.contains("needs FFmpeg of one release from 5 to 9"), "\(report)")
      #expect(report.contains("libswscale.so.9 of FFmpeg 8 can't be loaded ("), "\(report)")
      // In the loader's words.
      #expect(report.contains("\(folder.path)/libswscale.so.9: "), "\(report)")
      #expect(report.contains("libavutil.so.58 of FFmpeg 6 can't be loaded ("), "\(report)")
      for library in Self.libraries { try Self.make(library, of: 6, in: folder) }
      #expect(try Self.report(folder) == "fake 6")
    }

    @Test func `a library under the name of another version is refused`() throws {
      let folder = try MeshTestSupport.TemporaryFolder()
      for library in Self.libraries { try Self.make(library, of: 8, as: 7, in: folder) }
      let report = try Self.report(folder)
      #expect(report.contains("libavutil.so.59 of FFmpeg 7 can't be loaded (it is version 60)"))
    }
  }
#endif
