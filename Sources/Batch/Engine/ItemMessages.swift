import MeshPipeline

/// An item as it goes to a worker, in a line of JSON.
struct ItemRequest: Equatable {
  var name: String
  /// The mesh, or the folder of the capture.
  var path: String
  /// The private folder that it was unpacked into, whose path no message must show.
  var folder: String?
  /// The archive that it comes from.
  var archive: String?
  /// Where its outputs go: a file, or a folder with a slash at the end.
  var output: String

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

/// What a worker tells, in a line of JSON.
enum WorkerReply: Equatable {
  /// How far the item is, from 0 to 1, and what is being done.
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
