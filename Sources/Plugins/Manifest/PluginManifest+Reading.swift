package import MeshPipeline

extension PluginManifest {
  /// The maximum size of a manifest.
  static let maximumLength = 1 << 22

  /// The result of reading a manifest: nil if it has mistakes.
  package struct Reading: Sendable {
    package var manifest: PluginManifest?
    package var diagnostics: [Diagnostic]
  }

  /// Reads a manifest, and finds all its mistakes.
  ///
  /// - Parameter path: Its file, whose name must be that of the plugin.
  package static func read(
    _ bytes: [UInt8], path: String, _ allowances: PluginAllowances = .permanent
  ) -> Reading {
    let result = JSONReader.read(bytes, file: path)
    let diagnostics = ManifestDiagnostics(file: path, result.diagnostics)
    guard let value = result.value,
      let object = ManifestObject(
        value, at: JSONPath(), "the manifest", keys: Keys.manifest, diagnostics)
    else { return Reading(manifest: nil, diagnostics: diagnostics.list) }
    let manifest = PluginManifest(object, path: path, allowances)
    return Reading(
      manifest: diagnostics.list.isEmpty ? manifest : nil, diagnostics: diagnostics.list)
  }

  private enum Keys {
    static let manifest = [
      "$schema", "meshpipePlugin", "name", "version", "summary", "protocol", "executable",
      "interpreter", "arguments", "environment", "network", "reads", "abi", "library", "sha256",
      "stages", "formats", "limits", "author", "license", "licence", "homepage",
    ]
    static let limits = ["seconds", "memoryMB"]
    static let stage = [
      "name", "summary", "description", "parameters", "needs", "makes", "removes",
      "deterministic", "cost", "example",
    ]
  }

  private init?(_ object: ManifestObject, path: String, _ allowances: PluginAllowances) {
    guard Self.isKnown(object) else { return nil }
    self.path = path
    self.allowances = allowances
    name = object.requiredText("name", "the plugin's name, as in the file's name") ?? ""
    let fileName = FileSystem.name(of: path)
    if !name.isEmpty, fileName != name + Self.fileEnding {
      object.report(
        "the file of a plugin '\(name)' must be named \(name)\(Self.fileEnding)", at: "name")
    }
    if !name.isEmpty, !name.isNameOfStage { object.report(Self.nameRule(name), at: "name") }
    version = object.requiredText("version", "such as \"1.0.0\"") ?? ""
    summary = object.text("summary") ?? ""
    author = object.text("author") ?? ""
    licence = object.text("license") ?? object.text("licence") ?? ""
    homepage = object.text("homepage") ?? ""
    program = Program(object, folder: FileSystem.folder(of: path))
    if let limits = object.object("limits", "'limits'", keys: Keys.limits) {
      self.limits.seconds = limits.number("seconds", in: 0.01...1e7)
      self.limits.memory = limits.number("memoryMB", in: 16...1e8).map { Int($0 * 1_048_576) }
    }
    if object.value("stages") == nil, object.value("formats") == nil {
      object.report("\"stages\" is missing: what it adds; or \"formats\"")
    }
    for stage in object.objects("stages", "a stage", keys: Keys.stage) {
      guard let stage = Stage(stage) else { continue }
      if stages.contains(where: { $0.name == stage.name }) {
        object.report("the stage '\(stage.name)' is declared twice", at: "stages")
      }
      stages.append(stage)
    }
    formats = FileFormat.all(of: object)
  }

  /// Checks the version of the manifest first: mistakes can only be detected in a known version.
  private static func isKnown(_ object: ManifestObject) -> Bool {
    guard let value = object.value("meshpipePlugin") else {
      object.report(
        "the version of the format is missing; add \"meshpipePlugin\": \(formatVersion)")
      return true
    }
    if value.content == .number(Double(formatVersion)) { return true }
    object.report(
      "version \(value.compactText) of manifests is not supported; this meshpipe reads version "
        + "\(formatVersion)", at: "meshpipePlugin")
    return false
  }

  static func nameRule(_ name: String) -> String {
    "'\(name)' is not a valid name; use lower-case letters, digits and '-', beginning with a letter"
  }
}

// MARK: Stages

extension PluginManifest.Stage {
  fileprivate init?(_ object: ManifestObject) {
    guard let name = object.requiredText("name", "the stage's name, as in \"use\"") else {
      return nil
    }
    self.name = name
    if !name.isNameOfStage { object.report(PluginManifest.nameRule(name), at: "name") }
    summary = object.requiredText("summary", "what '\(name)' does, in one sentence") ?? ""
    discussion = object.text("description") ?? ""
    isDeterministic = object.bool("deterministic") ?? true
    relativeCost = object.number("cost", in: 0.1...1000) ?? 1
    dataFlow = StageDataFlow(
      needs: Self.features(object, "needs"), makes: Self.features(object, "makes"),
      removes: Self.features(object, "removes"))
    parameters = Self.parameters(object, of: name)
    example = Self.example(object, name, parameters)
  }

  static func features(_ object: ManifestObject, _ key: String) -> Set<SceneFeature> {
    var features: Set<SceneFeature> = []
    for word in object.texts(key) {
      if let feature = SceneFeature(rawValue: word) {
        features.insert(feature)
        continue
      }
      let names = SceneFeature.allCases.map(\.rawValue)
      let near = nearestName(to: word, in: names)
      let hint =
        near.map { "did you mean '\($0)'?" } ?? "known features: " + names.joined(separator: ", ")
      object.report("'\(word)' is not a feature of scenes; \(hint)", at: key)
    }
    return features
  }

  private static func parameters(
    _ object: ManifestObject, of name: String
  ) -> [ParameterDeclaration] {
    let keys = ["type", "properties", "required", "additionalProperties"]
    guard let schema = object.object("parameters", "'parameters' of '\(name)'", keys: keys),
      let properties = schema.object("properties", "'properties'", keys: nil)
    else { return [] }
    let required = schema.texts("required")
    for name in required where properties.value(name) == nil {
      schema.report("'\(name)' is required, but not among the properties", at: "required")
    }
    return properties.members.compactMap { member in
      guard member.key.isNameOfParameter else {
        properties.report(
          "'\(member.key)' is not a valid parameter name; use letters, digits, '-' and '_'",
          at: member.key)
        return nil
      }
      return properties.object(
        member.key, "parameter '\(member.key)'", keys: ParameterSchema.keys
      ).flatMap {
        ParameterSchema($0, name: member.key).declaration(
          isRequired: required.contains(member.key))
      }
    }
  }

  /// The example in the manifest, or one with the required parameters.
  private static func example(
    _ object: ManifestObject, _ name: String, _ parameters: [ParameterDeclaration]
  ) -> String {
    if let example = object.object("example", "'example'", keys: ["use", "with"]) {
      var members = [JSONValue.Member("use", JSONValue(.string(name)))]
      if let with = example.value("with") { members.append(.init("with", with)) }
      return JSONValue(.object(members)).withoutPositions.compactText
    }
    let shown = parameters.filter { !$0.isRequired && $0.defaultValue.content != .null }.prefix(3)
    var members = [JSONValue.Member("use", JSONValue(.string(name)))]
    if !shown.isEmpty {
      members.append(
        .init("with", JSONValue(.object(shown.map { .init($0.name, $0.defaultValue) }))))
    }
    return JSONValue(.object(members)).withoutPositions.compactText
  }
}

extension String {
  /// Whether the text is a valid stage or plugin name: `smooth`, `fill-holes`, `upscale-4x`.
  var isNameOfStage: Bool {
    guard let first = utf8.first, UInt8(ascii: "a")...UInt8(ascii: "z") ~= first, utf8.count < 65
    else { return false }
    return utf8.allSatisfy { byte in
      UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte || UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte
        || byte == UInt8(ascii: "-")
    }
  }

  fileprivate var isNameOfParameter: Bool {
    !isEmpty && utf8.count < 65
      && allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-" || $0 == "_") }
  }
}
