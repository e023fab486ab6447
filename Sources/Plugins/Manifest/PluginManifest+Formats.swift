import MeshPipeline

extension PluginManifest.FileFormat {
  private static let keys = [
    "id", "name", "extensions", "reads", "writes", "up", "remark", "sample",
  ]
  /// Files of these names are pipelines.
  private static let reserved = ["json", "jsonc"]

  /// The formats declared in a manifest.
  static func all(of manifest: ManifestObject) -> [Self] {
    var formats: [Self] = []
    for object in manifest.objects("formats", "a format", keys: keys) {
      let format = Self(object)
      if formats.contains(where: { $0.id == format.id }) {
        object.report("the format '\(format.id)' is declared twice", at: "id")
      }
      formats.append(format)
    }
    return formats
  }

  private init(_ object: ManifestObject) {
    id = object.requiredText("id", "its name in pipelines, such as \"xyz\"") ?? ""
    // Format ids may begin with a digit: 3ds.
    if !"a\(id)".isNameOfStage { object.report(PluginManifest.nameRule(id), at: "id") }
    name = object.requiredText("name", "the format's name for people") ?? ""
    extensions = object.texts("extensions").map { $0.lowercased() }
    if extensions.isEmpty {
      object.report("\"extensions\" is missing: file name extensions, such as [\"xyz\"]")
    }
    for name in extensions {
      if Self.reserved.contains(name) {
        object.report("files '.\(name)' are pipelines", at: "extensions")
      } else if name.isEmpty || name.contains(where: { "./\0".contains($0) || $0.isWhitespace }) {
        object.report("'\(name)' is not a valid extension; give it without a dot", at: "extensions")
      }
    }
    reads = Self.features(object, "reads", of: "a file can contain")
    writes = Self.features(object, "writes", of: "a file keeps")
    if object.value("reads") == nil, object.value("writes") == nil {
      object.report("\"reads\" or \"writes\" is missing: what a file can contain, or keeps")
    }
    up = nil
    if let word = object.text("up") {
      up = SignedAxis(rawValue: word)
      if up == nil {
        let names = SignedAxis.allCases.map(\.rawValue).joined(separator: ", ")
        object.report("'\(word)' is not an axis; use one of \(names)", at: "up")
      }
    }
    remark = object.text("remark") ?? ""
    sample = object.text("sample") ?? ""
    if sample.hasPrefix("/") || sample.split(separator: "/").contains("..") {
      object.report("'sample' must be a path in the folder of the manifest", at: "sample")
    }
  }

  private static func features(
    _ object: ManifestObject, _ key: String, of purpose: String
  ) -> Set<SceneFeature>? {
    guard object.value(key) != nil else { return nil }
    let features = PluginManifest.Stage.features(object, key)
    if features.isEmpty {
      object.report("'\(key)' must list what \(purpose), such as faces", at: key)
    }
    for feature in features.intersection(SceneFeature.ofCaptures).sorted() {
      object.report(
        "'\(feature.rawValue)' can't be part of a file that a plugin reads or writes", at: key)
    }
    return features
  }
}
