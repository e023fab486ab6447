import Foundation
import MeshTestSupport
import Testing

#if os(Linux)
  struct LibraryReasonTests {
    @Test func `of a library with two names the reason of the usual one is told`() throws {
      let folder = try MeshTestSupport.TemporaryFolder()
      try folder.write("libmeshoptimizer.so.2d", "no library")
      try folder.write("libmeshoptimizer.so", "no library")
      var environment = CommandProcess.environment
      environment["LD_LIBRARY_PATH"] =
        folder.path + (environment["LD_LIBRARY_PATH"].map { ":\($0)" } ?? "")
      let outcome = try CommandProcess.run(
        CommandProcess.executable, ["doctor"], environment: environment)
      let words = outcome.text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
      #expect(words.contains("(\(folder.path)/libmeshoptimizer.so.2d: "), "\(words)")
    }
  }
#endif
