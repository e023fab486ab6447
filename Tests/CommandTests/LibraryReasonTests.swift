import Foundation
import MeshTestSupport
import Testing

#if os(Linux)
  struct LibraryReasonTests {
    @Test func `of a library with two names the reason of the usual one is told`() throws {
      let folder = try MeshTestSupport.TemporaryFolder()
      try folder.write("libmeshoptimizer.so.2d", "no library")
      try folder.write("libmeshoptimizer.so", "no library")
      let words = try CommandProcess.doctorWords(findingLibrariesIn: folder.path)
      #expect(words.contains("(\(folder.path)/libmeshoptimizer.so.2d: "), "\(words)")
    }
  }
#endif
