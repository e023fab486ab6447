import MeshPipeline
import NativeLibraries

/// A reader to feed with damaged inputs.
struct FuzzTarget: Sendable {
  var name: String
  /// Sound inputs to begin with.
  var seeds: @Sendable () throws -> [[UInt8]]
  /// Reads an input; whatever is not a ``UserError`` is a defect.
  var read: @Sendable ([UInt8]) throws -> Void

  static let all = files + [capture, room, pipeline, manifest, wire, picture, archive]

  /// Ends the process, which the fuzzer takes for a find, when there is something wrong with the outcome.
  func check(_ input: [UInt8]) {
    do {
      try read(input)
    } catch let error as any UserError {
      if error.message.isEmpty { fatalError("an error says nothing") }
    } catch is WireError {
      // Who reads the wire makes a message of it.
    } catch {
      fatalError("an error is not for users: \(error)")
    }
  }
}

extension Scene {
  func requireValid() {
    do {
      for mesh in meshes { try mesh.validate(materialCount: materials.count) }
    } catch {
      fatalError("a scene is not valid: \(error)")
    }
  }
}
