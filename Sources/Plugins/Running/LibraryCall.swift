import MeshPipeline
import Workers

/// One run of a shared library plugin, which is loaded into this process, since the user trusts it.
struct LibraryCall {
  let manifest: PluginManifest
  let stage: String
  let parameters: [JSONValue.Member]

  func run(_ scene: consuming Scene, in context: StageContext) throws -> Scene {
    // A changed library must not be run.
    try manifest.checkDigest()
    let unsent = PluginResult.Unsent(scene)
    do {
      let library = try PluginLibrary(path: manifest.programPath)
      let names = library.attributes.missing(of: scene)
      let task = WireTask(
        stage: stage, parameters: parameters, seed: PluginCall.seed(of: parameters))
      let result = try PluginResult.joined(
        library.run(task, on: scene, in: context), with: unsent)
      let lost = Set(names).subtracting(library.attributes.missing(of: result)).sorted()
      if !lost.isEmpty {
        context.warn(
          "plugin '\(manifest.name)' has changed meshes or points, and does not handle all of their "
            + "attributes: \(lost.joined(separator: ", ")) will be lost")
      }
      return result
    } catch let failure as PluginLibraryError {
      throw error(Self.fault(of: failure))
    } catch let fault as PluginResult.Fault {
      throw error(.nonsense(fault.message))
    }
  }

  private static func fault(of failure: PluginLibraryError) -> PluginError.Fault {
    switch failure {
    case .notLoaded(let reason): .notStarted(reason)
    case .version(let reason): .version(reason)
    case .told(let code, let message): .told(code, message)
    case .endedEarly(let code): .endedEarly(status: code)
    case .nonsense(let reason): .nonsense(reason)
    case .outOfMemory: .told(.temporary, "there is not enough memory for it")
    }
  }

  private func error(_ fault: PluginError.Fault) -> PluginError {
    PluginError(plugin: manifest.name, fault: fault)
  }
}
