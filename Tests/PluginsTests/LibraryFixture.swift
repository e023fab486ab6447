import Foundation
import MeshPipeline
import MeshTestSupport
import Testing

@testable import Plugins

/// The plugin `Tests/BadPlugins/library.c`, compiled, with a manifest.
struct LibraryFixture {
  let folder: TemporaryFolder
  let manifest: PluginManifest

  static let stages = [
    "nothing", "lift", "paint", "tell", "wait", "track", "scribble", "blind", "mark",
  ]

  /// - Parameters:
  ///   - compiler: `cc` or `c++`.
  ///   - macros: What is to be broken before any stage runs.
  init(compiler: String = "cc", macros: [String] = [], manifestKeys: String = "") throws {
    folder = try TemporaryFolder()
    let library = folder.path + "/" + Self.libraryName
    let compile = Process()
    compile.executableURL = URL(filePath: "/usr/bin/env")
    let language = compiler == "cc" ? "c" : "c++"
    compile.arguments =
      [compiler, "-x", language, "-shared", "-fPIC", "-O1", "-Wall", "-Wextra", "-Werror"]
      + macros.map { "-D\($0)" }
      + [
        "-Wno-unused-function", "-Wno-unused-const-variable",
        "-I", Checkout.path("Sources/CLibraries/CMeshpipePlugin/include"), "-o", library,
        Checkout.path("Tests/BadPlugins/library.c"),
      ]
    try compile.run()
    compile.waitUntilExit()
    try #require(compile.terminationStatus == 0)
    let path = try folder.write(
      "native.meshpipe-plugin.json",
      """
      { "meshpipePlugin": 1, "name": "native", "version": "1", "abi": 1, "library": "native",
        \(manifestKeys)
        "stages": [ \(Self.stages.map { #"{ "name": "\#($0)", "summary": "Does it." }"# }.joined(separator: ", ")) ] }
      """)
    let reading = PluginManifest.read(
      try FileSystem.contents(of: path, limit: 1 << 20), path: path)
    manifest = try #require(reading.manifest, "\(reading.diagnostics)")
  }

  /// The library's name on this system.
  static var libraryName: String {
    #if os(macOS)
      "native.dylib"
    #else
      "native.so"
    #endif
  }

  /// Runs a stage.
  func run(
    _ stage: String, _ scene: Scene, with parameters: JSONValue = [:],
    in context: StageContext = StageContext()
  ) throws -> Scene {
    guard case .object(let members) = parameters.content else { return scene }
    return try PluginCall(manifest: manifest, stage: stage, parameters: members)
      .run(scene, in: context)
  }

  /// How a stage fails.
  func fault(of stage: String, _ scene: Scene = CheckScenes.everything) -> String {
    do {
      _ = try run(stage, scene)
      return "it did not fail"
    } catch {
      return "\((error as? any UserError)?.exitCode.rawValue ?? 0): \(error.userMessage)"
    }
  }
}
