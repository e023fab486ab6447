import MeshTestSupport

/// The modules of Sources as floors of a house: each stands one above the highest that it imports.
struct ModuleLadder {
  /// The modules that each one imports.
  let imports: [String: Set<String>]

  init() throws {
    let modules = Set(ImportRuleTests.allowed.map(\.module))
    var imports: [String: Set<String>] = [:]
    for module in modules {
      for file in try ImportRuleTests.swiftFiles(of: module) {
        let names = try ImportRuleTests.imports(of: file).map(\.module)
        imports[module, default: []].formUnion(modules.intersection(names).subtracting([module]))
      }
    }
    self.init(imports: imports)
  }

  init(imports: [String: Set<String>]) { self.imports = imports }

  /// The modules that one imports, and those that these import, and so on.
  func reached(from module: String) -> Set<String> {
    var reached: Set<String> = []
    var open = Array(imports[module] ?? [])
    while let next = open.popLast() {
      if reached.insert(next).inserted { open += imports[next] ?? [] }
    }
    return reached
  }

  /// The floors from the ground up.
  var floors: [[String]] {
    var heights: [String: Int] = [:]
    func height(_ module: String) -> Int {
      if let known = heights[module] { return known }
      // A module in a circle would be above itself.
      heights[module] = 0
      let height = (imports[module] ?? []).map { height($0) + 1 }.max() ?? 0
      heights[module] = height
      return height
    }
    let modules = imports.keys.sorted()
    let top = modules.map(height).max() ?? 0
    return (0...top).map { floor in modules.filter { heights[$0] == floor } }
  }

  /// The modules, the highest floor first, each with those of its imports that no other of them reaches.
  var drawing: String {
    let width = imports.keys.map(\.count).max() ?? 0
    return floors.reversed().map { floor in
      floor.map { module in
        let direct = imports[module] ?? []
        let implied = direct.reduce(into: Set<String>()) { $0.formUnion(reached(from: $1)) }
        let names = direct.subtracting(implied).sorted().joined(separator: ", ")
        let padding = String(repeating: " ", count: width - module.count)
        return names.isEmpty ? module : "\(module)\(padding) → \(names)"
      }.joined(separator: "\n")
    }.joined(separator: "\n")
  }
}
