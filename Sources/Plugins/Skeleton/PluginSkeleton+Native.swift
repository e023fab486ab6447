import MeshPipeline
import Workers

extension PluginSkeleton {
  /// The manifest of a stage in a shared library.
  var libraryManifest: File {
    File(
      name: name + PluginManifest.fileEnding,
      text: manifest(
        program: """
          "abi": \(PluginLibrary.abi),
            "library": "\(identifier)",
          """))
  }

  /// The header of the C ABI: a copy, so that the plugin can be built without anything else.
  var header: File {
    get throws {
      let place = CompanionFile(
        installed: "include/\(Self.headerName)",
        inCheckout: "Sources/CLibraries/CMeshpipePlugin/include/\(Self.headerName)")
      guard let path = place.path else {
        throw Fault(
          exitCode: .unavailable,
          message:
            "\(Self.headerName) was not installed with this meshpipe; 'make install' of its "
            + "source installs it")
      }
      let bytes = try FileSystem.contents(of: path, limit: 1 << 20)
      return File(name: Self.headerName, text: String(decoding: bytes, as: UTF8.self))
    }
  }

  private static let headerName = "meshpipe_plugin.h"

  /// How the library is built, tested and checked.
  ///
  /// - Parameters:
  ///   - sources: The source files of the library.
  ///   - library: The command that builds it.
  ///   - test: The command that builds the test.
  func makefile(sources: String, library: String, test: String, testSources: String) -> File {
    File(
      name: "Makefile",
      text: """
        LIBRARY := \(identifier).$(if $(filter Darwin,$(shell uname -s)),dylib,so)
        MESHPIPE ?= meshpipe

        $(LIBRARY): \(sources)
        \t\(library)

        .PHONY: test check clean
        test: test_\(identifier)
        \t./test_\(identifier)

        test_\(identifier): \(sources) \(testSources)
        \t\(test)

        check: $(LIBRARY)
        \t$(MESHPIPE) plugins check .

        clean:
        \trm -f $(LIBRARY) test_\(identifier)

        """)
  }
}
