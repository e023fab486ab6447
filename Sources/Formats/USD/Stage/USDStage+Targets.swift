import MeshPipeline

/// What a relationship or a connection names.
struct USDTarget: Hashable {
  /// As seen by the layer that names it.
  var path: USDPath
  var layer: Int
  /// The same in the stage, if stronger layers may change it there.
  var stagePath: [String]?
}

extension USDStage {
  /// More lookups in the stage cost too much time.
  private static let mostStageLookups = 20_000

  /// The first target of a relationship or a connection.
  func target(_ field: String, of property: USDObject) throws -> USDTarget? {
    try targets(field, of: property).first
  }

  /// The targets of a relationship or a connection.
  func targets(_ field: String, of property: USDObject) throws -> [USDTarget] {
    for site in property.sites {
      if case .paths(let paths) = try content(field, of: site) {
        return paths.map { path in
          USDTarget(
            path: path, layer: site.layer, stagePath: stagePath(of: path, from: site, property))
        }
      }
    }
    return []
  }

  /// Where the target of a prim in a layer is in the stage: a prim that refers to another one has all below it at a path
  /// of its own, where the layers of the stage may change it.
  ///
  /// - Returns: Nil if they say nothing there.
  private func stagePath(
    of target: USDPath, from site: USDSite, _ property: USDObject
  ) -> [String]? {
    guard let path = property.path else { return nil }
    let own = primNames(of: site)
    let shared = zip(own.reversed(), path.reversed()).prefix { $0 == $1 }.count
    let (source, place) = (own.dropLast(shared), path.dropLast(shared))
    guard source != place || stackOfLayer[site.layer] != 0, target.prims.starts(with: source) else {
      return nil
    }
    let result = Array(place + target.prims.dropFirst(source.count))
    return saysSomething(at: result.prefix(place.count + 1)) ? result : nil
  }

  /// The prims of a site's path, without variants.
  private func primNames(of site: USDSite) -> [String] {
    layers[site.layer].tree.path(of: site.node).prims.filter { !$0.hasPrefix("{") }
  }

  /// Whether a layer of the main stack has a prim at a path.
  private func saysSomething(at path: ArraySlice<String>) -> Bool {
    stacks[0].contains { layer in
      let tree = layers[layer].tree
      var node: Int? = 0
      for name in path { node = node.flatMap { tree.existingChild(name, of: $0) } }
      return node.map { !tree.nodes[$0].fields.isEmpty } ?? false
    }
  }

  /// The prim that a target is.
  func prim(at target: USDTarget) throws -> USDObject? { try prims(along: target)?.last }

  /// The prim that a target is, after all that it is in.
  func prims(along target: USDTarget) throws -> [USDObject]? {
    if let path = target.stagePath, stageLookups < Self.mostStageLookups {
      stageLookups += 1
      let found = try free { try prims(along: USDPath(prims: path), from: 0) }
      // Names may be the same by chance.
      let stack = stackOfLayer[target.layer]
      let isSame = found?.last?.sites.contains { site in
        stackOfLayer[site.layer] == stack && primNames(of: site) == target.path.prims
      }
      if isSame == true { return found }
    }
    return try prims(along: target.path, from: target.layer)
  }
}
