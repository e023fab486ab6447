import MeshPipeline

/// The files that a program is made of, wherever it is installed: also an interpreter in the user's home.
struct ProgramPlaces {
  private let personal = PersonalPlaces()
  private(set) var places: [String] = []

  /// What the environment names as places of programs and libraries.
  init() {
    let lists = ["PATH", "LD_LIBRARY_PATH", "PYTHONPATH"]
    let folders = ["PYTHONHOME", "VIRTUAL_ENV", "CONDA_PREFIX", "PYENV_ROOT"]
    for path in lists.flatMap({ (FileSystem.environment($0) ?? "").split(separator: ":") }) {
      add(String(path))
    }
    for path in folders.compactMap(FileSystem.environment) { add(path) }
    // Where Python keeps the modules of a user.
    if let home = FileSystem.environment("HOME") { add("\(home)/.local/lib") }
  }

  /// Adds a program that is installed somewhere: with the folder of its installation, and what runs it.
  mutating func add(program path: String, depth: Int = 0) {
    // A script of a script, and an environment of an environment. What is no program may be a secret that a plugin
    // calls one.
    guard depth < 4, path.hasPrefix("/"), FileSystem.isExecutable(path),
      let canonical = FileSystem.canonicalPath(of: path)
    else { return }
    places.append(path)
    for prefix in Set([path, canonical].map(Self.prefix)) where !personal.contain(prefix) {
      add(prefix)
      if let base = Self.base(ofEnvironment: prefix) {
        add(program: "\(base)/python3", depth: depth + 1)
      }
    }
    if let interpreter = Self.interpreter(ofScript: canonical) {
      add(program: interpreter, depth: depth + 1)
    }
  }

  private mutating func add(_ folder: String) {
    if folder.hasPrefix("/"), !personal.contain(folder) { places.append(folder) }
  }

  /// The folder above `bin`, or the program's own.
  private static func prefix(of program: String) -> String {
    let folder = FileSystem.folder(of: program)
    let isPart = ["bin", "shims", "libexec"].contains(FileSystem.name(of: folder))
    return isPart ? FileSystem.folder(of: folder) : folder
  }

  /// The folder with the interpreter that a virtual environment of Python was made of.
  private static func base(ofEnvironment folder: String) -> String? {
    guard let bytes = try? FileSystem.contents(of: "\(folder)/pyvenv.cfg", limit: 1 << 16) else {
      return nil
    }
    for line in String(decoding: bytes, as: UTF8.self).split(whereSeparator: \.isNewline) {
      let parts = line.split(separator: "=", maxSplits: 1).map { String($0).trimmingSpaces() }
      if parts.count == 2, parts[0] == "home" { return parts[1] }
    }
    return nil
  }

  /// The program in the first line of a script; nil when it is none.
  static func interpreter(ofScript path: String) -> String? {
    guard let head = try? FileSystem.head(of: path, count: 512), head.starts(with: "#!".utf8) else {
      return nil
    }
    let line = head.dropFirst(2).prefix { $0 != UInt8(ascii: "\n") }
    var words = String(decoding: line, as: UTF8.self).split(whereSeparator: \.isWhitespace)[...]
    guard let first = words.popFirst() else { return nil }
    guard FileSystem.name(of: String(first)) == "env" else { return String(first) }
    // Options, and variables that are set.
    let name = words.first { !$0.hasPrefix("-") && !$0.contains("=") }
    return name.flatMap { FileSystem.program(named: String($0)) }
  }
}
