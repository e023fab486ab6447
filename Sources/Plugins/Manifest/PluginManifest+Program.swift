import MeshPipeline
import NativeLibraries
import Workers

extension PluginManifest.Program {
  /// The keys that apply only to the other lane.
  private static let keysOfProcesses = [
    "protocol", "executable", "interpreter", "arguments", "environment", "network", "reads",
    "limits", "formats",
  ]

  init(_ object: ManifestObject, folder: String) {
    self = object.value("library") == nil ? Self(process: object, folder) : Self(library: object)
    if let digest = object.text("sha256") {
      sha256 = digest.lowercased()
      if digest.utf8.count != 64 || !digest.allSatisfy(\.isHexDigit) {
        object.report("'sha256' must be 64 hexadecimal digits", at: "sha256")
      }
    }
  }

  private init(process object: ManifestObject, _ folder: String) {
    file = Self.file(object, "executable", "the program next to the manifest")
    Self.checkProtocol(object)
    interpreter = object.texts("interpreter")
    arguments = object.texts("arguments")
    environment = object.texts("environment")
    wantsNetwork = object.bool("network") ?? false
    reads = object.texts("reads")
    for text in reads {
      if let fault = ReadableFolder(text: text, folder: folder).fault {
        object.report(fault, at: "reads")
      }
    }
    for name in environment where !PluginEnvironment.isName(name) {
      object.report("'\(name)' is not a valid environment variable name", at: "environment")
    }
    if object.value("abi") != nil {
      object.report("'abi' is for a plugin with a 'library'", at: "abi")
    }
  }

  private init(library object: ManifestObject) {
    lane = .library
    file = Self.file(object, "library", "the shared library next to the manifest")
    if ![".so", ".dylib"].contains(where: file.hasSuffix) { file += PluginLibrary.fileExtension }
    Self.checkABI(object)
    for key in Self.keysOfProcesses where object.value(key) != nil {
      object.report(
        "'\(key)' is for a separate program; a 'library' runs in meshpipe's process",
        at: key)
    }
  }

  private static func file(_ object: ManifestObject, _ key: String, _ purpose: String) -> String {
    let file = object.requiredText(key, purpose) ?? ""
    let parts = file.split(separator: "/", omittingEmptySubsequences: false)
    if file.hasPrefix("/") || parts.contains("..") || file.contains("\0") {
      object.report(
        "'\(key)' must be a path in the folder of the manifest, found '\(file)'", at: key)
    }
    return file
  }

  // MARK: Versions

  private static func checkProtocol(_ object: ManifestObject) {
    let supported = Int(WireFormat.version)
    guard object.value("protocol") != nil else {
      return object.report("\"protocol\" is missing: the version that it speaks, \(supported)")
    }
    guard let number = object.number("protocol", in: 1...1_000_000),
      Int(exactly: number) != supported
    else { return }
    object.report(
      "the plugin speaks version \(JSONValue.text(of: number)) of the protocol, this meshpipe "
        + "version \(supported)", at: "protocol")
  }

  /// A version of the ABI, or the first and the last: `1`, `[1, 3]`.
  private static func checkABI(_ object: ManifestObject) {
    let supported = PluginLibrary.abi
    guard let value = object.value("abi") else {
      return object.report(
        "\"abi\" is missing: the version that it was compiled for, \(supported)")
    }
    var bounds = [value, value]
    if case .array(let elements) = value.content { bounds = elements }
    let numbers = bounds.compactMap(\.number).compactMap { Int(exactly: $0) }
    guard numbers.count == 2, bounds.count == 2, numbers[0] >= 1, numbers[0] <= numbers[1] else {
      return object.report(
        "'abi' must be a version such as 1, or the first and the last such as [1, 2]", at: "abi")
    }
    guard !(numbers[0]...numbers[1]).contains(supported) else { return }
    let known =
      numbers[0] == numbers[1]
      ? "version \(numbers[0])" : "versions \(numbers[0]) to \(numbers[1])"
    object.report(
      "the plugin speaks \(known) of the ABI, this meshpipe version \(supported)", at: "abi")
  }
}
