internal import CAssimp

/// The version of the Assimp library that is linked.
public var assimpVersion: String {
  "\(aiGetVersionMajor()).\(aiGetVersionMinor())"
}
