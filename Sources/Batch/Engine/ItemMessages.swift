import MeshPipeline

/// An item for a worker, as a line of JSON.
struct ItemRequest: Equatable {
  var name: String
  /// The mesh, or the folder of the capture.
  var path: String
  /// The private folder of the unpacked item, whose path must not appear in messages.
  var folder: String?
  /// The archive that contains it.
  var archive: String?
  /// The destination of its outputs: a file, or a folder with a trailing slash.
  var output: String

  /// The names of unpacked files; those of an item on disk are its own.
  var shownPaths: ShownPaths {
    var shown = ShownPaths()
    guard let archive else { return shown }
    shown.show(path, as: name)
    if name.contains("/") {
      shown.show(FileSystem.folder(of: path) + "/", as: FileSystem.folder(of: name) + "/")
    }
    if let folder { shown.show(folder, as: archive) }
    return shown
  }

  var json: JSONValue {
    var members: [JSONValue.Member] = []
    for (key, text) in [
      ("name", name), ("path", path), ("folder", folder), ("archive", archive), ("output", output),
    ] {
      if let text { members.append(.init(key, JSONValue(.string(text)))) }
    }
    return JSONValue(.object(members))
  }
}

extension ItemRequest {
  init?(_ json: JSONValue) {
    guard let name = json["name"]?.text, let path = json["path"]?.text,
      let output = json["output"]?.text
    else { return nil }
    self.init(
      name: name, path: path, folder: json["folder"]?.text, archive: json["archive"]?.text,
      output: output)
  }
}

/// A worker's report, as a line of JSON.
enum WorkerReply: Equatable {
  /// The progress of the item, from 0 to 1, and the current step.
  case progress(Double, step: String)
  case finished(JournalEntry)

  var json: JSONValue {
    switch self {
    case .progress(let fraction, let step):
      ["progress": JSONValue(.number(fraction)), "step": JSONValue(.string(step))]
    case .finished(let entry): ["finished": entry.json]
    }
  }

  init?(_ line: String) {
    guard let json = JSONReader.read(Array(line.utf8)).value else { return nil }
    if let entry = json["finished"].flatMap({ JournalEntry($0) }) {
      self = .finished(entry)
    } else if let fraction = json["progress"]?.number {
      self = .progress(fraction, step: json["step"]?.text ?? "")
    } else {
      return nil
    }
  }
}
