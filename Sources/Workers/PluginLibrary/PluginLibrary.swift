internal import CMeshpipePlugin
package import MeshPipeline
package import MeshpipeBase
package import MeshpipeScene
import POSIX

/// A plugin that is a shared library with the C ABI of `meshpipe_plugin.h`, loaded into this process.
///
/// The user trusts its code; only its results are validated. A library stays loaded until the
/// process ends, since not all can be unloaded.
@safe
package struct PluginLibrary {
  private typealias Entry = @convention(c) (UInt32) -> UnsafePointer<meshpipe_plugin>?
  private typealias Run =
    @convention(c) (
      UnsafePointer<meshpipe_host>?, UnsafePointer<meshpipe_task>?,
      UnsafeMutablePointer<meshpipe_scene>?
    ) -> Int32

  /// The ABI version of this program.
  package static let abi = Int(MESHPIPE_ABI)

  /// The extension of shared libraries on this system.
  package static var fileExtension: String {
    #if canImport(Darwin)
      ".dylib"
    #else
      ".so"
    #endif
  }

  private static let entryName = "meshpipe_plugin_entry"

  /// The attributes that it handles besides those of the first version.
  package let attributes: LentAttributes
  private let runStage: Run

  /// Loads the library at an absolute path, unless it is already loaded.
  package init(path: String) throws(PluginLibraryError) {
    guard let library = unsafe dlopen(path.systemPath, RTLD_NOW | RTLD_LOCAL) else {
      throw .notLoaded(Self.loaderMessage)
    }
    guard let symbol = unsafe dlsym(library, Self.entryName) else {
      throw .notLoaded("\(path) has no function '\(Self.entryName)'")
    }
    let entry = unsafe unsafeBitCast(symbol, to: Entry.self)
    guard let plugin = unsafe entry(MESHPIPE_ABI) else {
      throw .version("it does not work with version \(MESHPIPE_ABI) of the ABI")
    }
    // Until the version is known, only the beginning may be read.
    let version = unsafe plugin.pointee.abi
    guard version == MESHPIPE_ABI else {
      throw .version(
        "it speaks version \(version) of the ABI, this meshpipe version \(MESHPIPE_ABI)")
    }
    let added = MemoryLayout<meshpipe_plugin>.offset(of: \.attributes) ?? .max
    let size = unsafe plugin.pointee.struct_size
    guard size >= added else {
      throw .version("its 'meshpipe_plugin' is too short; 'struct_size' must be its size")
    }
    guard let run = unsafe plugin.pointee.run else {
      throw .notLoaded("its function 'run' is NULL")
    }
    unsafe runStage = run
    attributes = size > added ? LentAttributes(rawValue: unsafe plugin.pointee.attributes) : []
  }

  private static var loaderMessage: String {
    guard let message = unsafe dlerror() else { return "it can't be loaded" }
    return unsafe String(text: message).withoutControlCharacters
  }

  /// Runs a stage.
  ///
  /// Arrays that the plugin leaves alone are neither copied nor validated.
  /// - Throws: ``PluginLibraryError``, or ``Cancelled``.
  package func run(
    _ task: WireTask, on scene: consuming Scene, in context: StageContext
  ) throws -> Scene {
    let original = consume scene
    let conversation = PluginConversation(context)
    let memory = conversation.memory
    // After the run only pointers into its blocks remain.
    defer { withExtendedLifetime(conversation) {} }
    let lent = unsafe try LentScene(original, attributes, in: memory)
    return try unsafe lent.loans.whileLent(through: memory) { arrays in
      let snapshot = unsafe LentScene.Snapshot(of: lent)
      var given = unsafe meshpipe_task()
      unsafe given.struct_size = MemoryLayout<meshpipe_task>.stride
      unsafe given.stage = try memory.text(task.stage)
      unsafe given.parameters = UnsafePointer(
        try memory.value(JSONValue(.object(task.parameters))))
      unsafe given.seed = UInt64(clamping: task.seed)
      let code = unsafe conversation.withHost { host in unsafe runStage(host, &given, lent.root) }
      try conversation.end(with: code)
      let returned = ReturnedScene(
        original: original, snapshot: snapshot, arrays: arrays, memory: memory)
      return try unsafe returned.scene(from: lent.root.pointee)
    }
  }
}

/// The errors of a plugin's shared library.
package enum PluginLibraryError: Error, Sendable, Equatable {
  /// It can't be loaded, or has no entry function.
  case notLoaded(String)
  /// It and this program have no common ABI version.
  case version(String)
  /// It reported an error.
  case told(exitCode: ExitCode, message: String)
  /// It returned a code without a message.
  case endedEarly(code: Int32)
  /// Its result violates the ABI.
  case nonsense(String)
  case outOfMemory
}
