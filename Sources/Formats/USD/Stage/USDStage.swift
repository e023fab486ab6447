import MeshPipeline

/// A prim or a property in one layer.
struct USDSite: Hashable {
  var layer: Int
  var node: Int
}

/// A prim or a property with all that says something of it, the strongest first.
struct USDObject {
  var name: String
  var sites: [USDSite]
  /// The path of the prim in the stage; nil for those that are only known as a layer sees them.
  var path: [String]?
}

/// The layers of a file, composed: sublayers, references, payloads, inherited prims and variants.
///
/// Stronger layers and arcs come first, as in USD.
final class USDStage {
  var files: USDFiles
  private let path: String
  private(set) var layers: [USDReadLayer] = []
  /// The stack of sublayers that a layer belongs to.
  private(set) var stackOfLayer: [Int] = []
  private(set) var stacks: [[Int]] = []
  private var stackOfName: [String: Int] = [:]
  private var open: Set<USDSite> = []
  /// The remaining number of places to look at: a small file can refer to the same prims any number of times.
  private var room = 100_000
  private var remarks: Set<String> = []
  /// The number of values that were decoded: prims of a crate can share a large one.
  private var work = 0
  private var mostWork = 1 << 30
  private var nodeCount = 0
  /// Whether children are kept: in instances, whose prims are visited again and again.
  var keepsChildren = false
  private var keptChildren: [Place: [USDObject]] = [:]

  private struct Place: Hashable {
    var sites: [USDSite]
    var path: [String]?
  }

  /// The number of prims around the one whose references are followed.
  private var level = 0

  /// The number of paths that were looked up in the stage instead of in a layer.
  var stageLookups = 0

  private static let mostLayers = 1000
  private static let mostNodes = 20_000_000
  private static let mostReferenceLevels = 100

  /// The values that layers may make us decode: of small ones many times as many as they have bytes, of large ones a
  /// minute's worth and what reading all of them several times takes.
  static func work(ofBytes count: Int) -> Int { 1 << 30 + min(2048 * count, 1 << 33) + 64 * count }

  init(_ files: USDFiles, path: String) throws {
    self.files = files
    self.path = path
    _ = try addStack(try self.files.main())
  }

  /// An error at a prim.
  func fault(_ object: USDObject, _ message: String) -> ReadingError {
    .content(path: path, "\(place(of: object)): \(message)")
  }

  /// The path of a prim in its strongest layer, for messages.
  func place(of object: USDObject) -> String {
    let site = object.sites.first
    let place = site.map { layers[$0.layer].tree.path(of: $0.node).text } ?? object.name
    return String(place.prefix(240))
  }

  /// Warns of something once.
  func warn(_ message: String) {
    if remarks.insert(message).inserted { files.warn(message) }
  }

  /// The bytes of all layers.
  var byteCount: Int { layers.reduce(0) { $0 + $1.byteCount } }

  /// The prim that stands for the whole stage.
  var root: USDObject { rootObject(ofStack: 0) }

  private func rootObject(ofStack stack: Int) -> USDObject {
    USDObject(
      name: "", sites: stacks[stack].map { USDSite(layer: $0, node: 0) },
      path: stack == 0 ? [] : nil)
  }

  // MARK: Layers

  private func addStack(_ main: USDReadLayer) throws -> Int {
    let stack = stacks.count
    stacks.append([])
    stackOfName[main.name] = stack
    var names: Set<String> = [main.name]
    var listed: [(name: String, from: String)] = []
    var next: USDReadLayer? = main
    while let layer = next {
      guard layers.count < Self.mostLayers else {
        throw ReadingError.content(path: path, "refers to more than \(Self.mostLayers) layers")
      }
      stacks[stack].append(layers.count)
      layers.append(layer)
      nodeCount += layer.tree.nodes.count
      guard nodeCount <= Self.mostNodes else {
        throw ReadingError.content(path: path, "its layers have more prims than plausible")
      }
      room += layer.byteCount
      mostWork = Self.work(ofBytes: byteCount)
      stackOfLayer.append(stack)
      if case .texts(let sublayers) = try layer.content("subLayers", of: 0) {
        listed += sublayers.reversed().map { ($0, layer.name) }
      }
      next = nil
      // A layer that is listed twice is read once.
      while next == nil, let (name, from) = listed.popLast() {
        guard names.insert(files.layerName(name, from: from)).inserted else { continue }
        next = try files.layer(name, from: from)
      }
    }
    return stack
  }

  private func stack(_ reference: USDReference, from layer: Int) throws -> Int? {
    if reference.file.isEmpty { return stackOfLayer[layer] }
    let key = "\(layers[layer].name)\n\(reference.file)"
    let name = files.layerName(reference.file, from: layers[layer].name)
    if let known = stackOfName[key] ?? stackOfName[name] {
      stackOfName[key] = known
      return known < 0 ? nil : known
    }
    guard let main = try files.layer(reference.file, from: layers[layer].name) else {
      stackOfName[key] = -1
      return nil
    }
    let found = try stackOfName[main.name] ?? addStack(main)
    stackOfName[key] = found
    return found
  }

  /// Counts values that are looked at.
  func spend(_ amount: Int) throws {
    work += amount
    guard work <= mostWork else {
      throw ReadingError.content(
        path: path, "the file expands to more data than plausible; is it damaged?")
    }
  }

  // MARK: Prims

  /// The children of a prim, in order.
  func children(of prim: USDObject) throws -> [USDObject] {
    guard keepsChildren else { return try findChildren(of: prim) }
    let index = Place(sites: prim.sites, path: prim.path)
    if let known = keptChildren[index] { return known }
    let children = try findChildren(of: prim)
    keptChildren[index] = children
    return children
  }

  private func findChildren(of prim: USDObject) throws -> [USDObject] {
    var names: [String] = []
    var known: Set<String> = []
    for site in prim.sites {
      let layer = layers[site.layer]
      if case .texts(let listed) = try content("primChildren", of: site) {
        for name in listed where layer.tree.existingChild(name, of: site.node) != nil {
          if known.insert(name).inserted { names.append(name) }
        }
      } else {
        try spend(layer.tree.nodes[site.node].children.count)
        for child in layer.tree.nodes[site.node].children {
          let node = layer.tree.nodes[child]
          guard !node.isProperty, !node.isVariant, !node.fields.isEmpty else { continue }
          if known.insert(node.name).inserted { names.append(node.name) }
        }
      }
    }
    return try names.compactMap { try child($0, of: prim) }
  }

  /// A child with all that it refers to.
  private func child(_ name: String, of prim: USDObject) throws -> USDObject? {
    let sites = prim.sites.compactMap { site in
      layers[site.layer].tree.existingChild(name, of: site.node)
        .map { USDSite(layer: site.layer, node: $0) }
    }
    .filter { !layers[$0.layer].tree.nodes[$0.node].fields.isEmpty }
    guard !sites.isEmpty else { return nil }
    return USDObject(
      name: name, sites: try expanded(sites, [:]), path: prim.path.map { $0 + [name] })
  }

  /// Looks something up without counting it, which is what few lookups may do.
  func free<Result>(_ lookup: () throws -> Result) rethrows -> Result {
    let before = room
    defer { room = before }
    return try lookup()
  }

  /// The prim at a path, as seen by a layer, after all that it is in.
  func prims(along path: USDPath, from layer: Int) throws -> [USDObject]? {
    var prims = [rootObject(ofStack: stackOfLayer[layer])]
    for name in path.prims {
      guard let child = try child(name, of: prims[prims.count - 1]) else { return nil }
      prims.append(child)
    }
    return prims
  }

  /// Places with those that they refer to.
  ///
  /// - Parameter outer: Variants that stronger prims choose.
  private func expanded(_ sites: [USDSite], _ outer: [String: String]) throws -> [USDSite] {
    room -= sites.count
    guard room >= 0 else {
      throw ReadingError.content(
        path: path, "its references expand to more prims than plausible; is it damaged?")
    }
    let own = sites.filter { !open.contains($0) }
    guard !own.isEmpty, level < Self.mostReferenceLevels else {
      throw ReadingError.content(path: path, "its references form a circle")
    }
    level += 1
    open.formUnion(own)
    defer {
      open.subtract(own)
      level -= 1
    }
    var selections = outer
    for site in own {
      guard case .selections(let chosen) = try content("variantSelection", of: site) else {
        continue
      }
      selections.merge(chosen) { stronger, _ in stronger }
    }
    var result = own
    for site in own {
      result += try inherited("inheritPaths", of: site, selections)
      result += try variants(of: site, selections)
      result += try references("references", of: site, selections)
      result += try references("payload", of: site, selections)
      result += try inherited("specializes", of: site, selections)
    }
    // The strongest of equal places says all.
    var known: Set<USDSite> = []
    return result.filter { known.insert($0).inserted }
  }

  private func inherited(
    _ field: String, of site: USDSite, _ selections: [String: String]
  ) throws -> [USDSite] {
    guard case .paths(let paths) = try content(field, of: site) else { return [] }
    return try paths.flatMap { path in
      try resolved(path, inStack: stackOfLayer[site.layer], selections)
    }
  }

  private func variants(of site: USDSite, _ selections: [String: String]) throws -> [USDSite] {
    let tree = layers[site.layer].tree
    var sets: [(set: String, nodes: [(name: String, node: Int)])] = []
    var placeOfSet: [Substring: Int] = [:]
    try spend(tree.nodes[site.node].variants.count)
    for child in tree.nodes[site.node].variants {
      guard let (set, name) = tree.nodes[child].variant, !name.isEmpty else { continue }
      if let place = placeOfSet[set] {
        sets[place].nodes.append((String(name), child))
      } else {
        placeOfSet[set] = sets.count
        sets.append((String(set), [(String(name), child)]))
      }
    }
    return try sets.flatMap { set, nodes in
      guard let selected = selections[set] else {
        warn("the variants '\(set.prefix(60))' are left out, since the file chooses none of them")
        return [USDSite]()
      }
      guard let chosen = nodes.first(where: { $0.name == selected }) else { return [USDSite]() }
      if nodes.count > 1 {
        warn("of the variants '\(set.prefix(60))' only '\(chosen.name.prefix(60))' is read")
      }
      return try expanded([USDSite(layer: site.layer, node: chosen.node)], selections)
    }
  }

  private func references(
    _ field: String, of site: USDSite, _ selections: [String: String]
  ) throws -> [USDSite] {
    guard case .references(let list) = try content(field, of: site) else { return [] }
    return try list.flatMap { reference -> [USDSite] in
      guard let stack = try stack(reference, from: site.layer) else { return [] }
      guard let path = try reference.prim ?? defaultPrim(ofStack: stack) else {
        warn("a reference names a layer without a default prim and is left out")
        return []
      }
      return try resolved(path, inStack: stack, selections)
    }
  }

  /// The prim that a layer names as its own, or the first.
  private func defaultPrim(ofStack stack: Int) throws -> USDPath? {
    let root = rootObject(ofStack: stack)
    if let name = try text("defaultPrim", of: root) {
      return USDPath(prims: name.split(separator: "/").map(String.init))
    }
    return nil
  }

  /// The places of a path in a stack of layers, with those that they refer to.
  private func resolved(
    _ path: USDPath, inStack stack: Int, _ selections: [String: String]
  ) throws -> [USDSite] {
    var sites = rootObject(ofStack: stack).sites
    for (place, name) in path.prims.enumerated() {
      try spend(1 + sites.count)
      let next = sites.compactMap { site in
        layers[site.layer].tree.existingChild(name, of: site.node)
          .map { USDSite(layer: site.layer, node: $0) }
      }
      .filter { !layers[$0.layer].tree.nodes[$0.node].fields.isEmpty }
      guard !next.isEmpty else {
        warn("a reference to '\(path.text.prefix(120))' leads nowhere and is left out")
        return []
      }
      sites = try expanded(next, place == path.prims.count - 1 ? selections : [:])
    }
    return sites
  }
}
