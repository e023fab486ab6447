import MeshPipeline

extension USDStage {
  /// What a field says at a place; nil if it is not there.
  func content(_ field: String, of site: USDSite) throws -> USDContent? {
    let content = try layers[site.layer].content(field, of: site.node)
    try spend(1 + (content?.elementCount ?? 0))
    return content
  }

  /// What a field says, the strongest opinion.
  func content(_ field: String, of object: USDObject) throws -> USDContent? {
    for site in object.sites {
      if let content = try content(field, of: site) { return content }
    }
    return nil
  }

  func text(_ field: String, of object: USDObject) throws -> String? {
    if case .text(let text) = try content(field, of: object) { return text }
    return nil
  }

  /// A property of a prim.
  func property(_ name: String, of prim: USDObject) -> USDObject? {
    let sites = prim.sites.compactMap { site in
      layers[site.layer].tree.existingChild("." + name, of: site.node)
        .map { USDSite(layer: site.layer, node: $0) }
    }
    .filter { !layers[$0.layer].tree.nodes[$0.node].fields.isEmpty }
    return sites.isEmpty ? nil : USDObject(name: name, sites: sites, path: prim.path)
  }

  /// The value of an attribute: the first of those over time, or else the one at rest.
  func value(_ name: String, of prim: USDObject) throws -> USDContent? {
    guard let property = property(name, of: prim) else { return nil }
    return try value(of: property)
  }

  func value(of property: USDObject) throws -> USDContent? {
    try valueAndSite(of: property)?.value
  }

  /// The value of an attribute, and where it is said.
  func valueAndSite(of property: USDObject) throws -> (value: USDContent, site: USDSite)? {
    for site in property.sites {
      if let content = try content("timeSamples", of: site) {
        warn("what moves is read as it is at the first time")
        return (content, site)
      }
      if let content = try content("default", of: site) { return (content, site) }
    }
    return nil
  }

  /// Whether a prim has a property whose name begins so.
  func hasProperty(withPrefix prefix: String, _ prim: USDObject) throws -> Bool {
    try prim.sites.contains { site in
      let tree = layers[site.layer].tree
      try spend(tree.nodes[site.node].children.count)
      return tree.nodes[site.node].children.contains { tree.nodes[$0].name.hasPrefix("." + prefix) }
    }
  }

  /// The names of all properties of a prim.
  func propertyNames(of prim: USDObject) throws -> [String] {
    var names: [String] = []
    var known: Set<String> = []
    for site in prim.sites {
      let tree = layers[site.layer].tree
      try spend(tree.nodes[site.node].children.count)
      for child in tree.nodes[site.node].children where tree.nodes[child].isProperty {
        let name = String(tree.nodes[child].name.dropFirst())
        if known.insert(name).inserted { names.append(name) }
      }
    }
    return names
  }
}
