import MeshPipeline

/// What the inputs of shaders are connected to.
struct USDShading {
  /// A shader that an input takes its value from.
  struct Source {
    var shader: USDObject
    /// With its namespace, such as `outputs:rgb`.
    var output: String
  }

  enum Input {
    /// A value, and where it is said: files are relative to its layer.
    case value(USDContent, USDSite)
    case shader(Source)
  }

  /// The most prims that a connection leads through.
  static let mostLinks = 16

  private let stage: USDStage

  init(_ stage: USDStage) { self.stage = stage }

  /// What an input or output of a prim is: its value, or what it is connected to through other prims.
  func input(_ name: String, of prim: USDObject) throws -> Input? {
    var (name, prim) = (name, prim)
    for _ in 0..<Self.mostLinks {
      guard let property = stage.property(name, of: prim) else { return nil }
      guard let connected = try stage.target("connectionPaths", of: property),
        let next = connected.path.property
      else { return try stage.valueAndSite(of: property).map { .value($0.value, $0.site) } }
      guard let target = try stage.prim(at: connected) else { return nil }
      if stage.property("info:id", of: target) != nil, next.hasPrefix("outputs:") {
        return .shader(Source(shader: target, output: next))
      }
      (name, prim) = (next, target)
    }
    return nil
  }
}
