import MeshPipeline

/// The files of a program, wherever it is installed, including an interpreter in the user's home.
struct ProgramPlaces {
  private let personal = PersonalPlaces()
  private(set) var places: [String] = []

  /// Folders of programs and libraries in the environment.
  init() {
    let lists = ["PATH", "LD_LIBRARY_PATH", "PYTHONPATH"]
    let folders = ["PYTHONHOME", "VIRTUAL_ENV", "CONDA_PREFIX", "PYENV_ROOT"]
    for path in lists.flatMap({ (FileSystem.environment($0) ?? "").split(separator: ":") }) {
      add(String(path))
    }
    for path in folders.compactMap(FileSystem.environment) { add(path) }
    // Where Python keeps a user's modules.
    if let home = FileSystem.environment("HOME") { add("\(home)/.local/lib") }
  }

  /// Adds an installed program, with its installation folder and its interpreter.
  mutating func add(program path: String, depth: Int = 0) {
    // A script may run a script, and an environment may be based on another. A file that is not a
    // program may be a secret that a plugin declares as one.
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

  /// The parent of `bin`, or the program's own folder.
  private static func prefix(of program: String) -> String {
    let folder = FileSystem.folder(of: program)
    let isPart = ["bin", "shims", "libexec"].contains(FileSystem.name(of: folder))
    return isPart ? FileSystem.folder(of: folder) : folder
  }

  /// The folder of the interpreter on which a Python virtual environment is based.
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

  /// The program in the first line of a script; nil if it is not a script.
  static func interpreter(ofScript path: String) -> String? {
    guard let head = try? FileSystem.head(of: path, count: 512), head.starts(with: "#!".utf8) else {
      return nil
    }
    let line = head.dropFirst(2).prefix { $0 != UInt8(ascii: "\n") }
    var words = String(decoding: line, as: UTF8.self).split(whereSeparator: \.isWhitespace)[...]
    guard let first = words.popFirst() else { return nil }
    guard FileSystem.name(of: String(first)) == "env" else { return String(first) }
    // Options and variable assignments.
    let name = words.first { !$0.hasPrefix("-") && !$0.contains("=") }
    return name.flatMap { FileSystem.program(named: String($0)) }
  }
}
