public import MeshpipeBase

/// The scene at another place of the pipeline, by the id of the stage that made it or of a further input: `"full"`, or
/// `"input"` for the scene as it was read.
///
/// A stage with an option of this type gets the scene by ``StageContext/scene(of:)``. The checker
/// resolves the id, which must be that of an earlier stage, and the run keeps the scene until the
/// stage has ended.
public struct SceneReference: ParameterValue, Hashable {
  /// The id of a stage or of a further input, or `input`.
  public var id: String
  /// Creates the reference to the result of a stage.
  public init(_ id: String) { self.id = id }

  /// ``ParameterType/scene``.
  public static let parameterType = ParameterType.scene
  /// The id.
  public var json: JSONValue { JSONValue(.string(id)) }

  /// Accepts any text that is not empty; whether there is such an id is known to the pipeline alone.
  public init(json: JSONValue) throws(ParameterFault) {
    guard case .string(let text) = json.content, !text.isEmpty else {
      throw .expected("the id of an earlier stage, or \"input\"", json)
    }
    self.init(text)
  }
}
