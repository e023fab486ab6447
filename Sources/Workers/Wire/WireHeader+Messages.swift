import MeshpipeBase
import NativeLibraries

/// Messages without arrays.
extension WireHeader {
  /// - Returns: Nil for an unknown kind.
  func message(ofKind kind: String) throws(WireError) -> WireMessage? {
    switch kind {
    case "failure": return .failure(exitCode: try exitCode, message: try string("message"))
    case "hello":
      return .hello(
        WireHello(
          protocolVersion: try count("protocol", limit: 1 << 20), name: try string("name"),
          version: try string("version"), sharing: try sharing,
          takesCustomAttributes: has("customAttributes") ? try bool("customAttributes") : false,
          attributes: has("attributes")
            ? Set(try strings("attributes")) : WireHello.firstAttributes))
    case "progress": return .progress(min(max(try number("fraction"), 0), 1))
    case "log": return .log(try string("message"))
    case "warning": return .warning(try string("message"))
    case "read": return .read(try file)
    case "report": return .report(key: try string("key"), value: try any("value"))
    default: return nil
    }
  }

  /// The stage requested by a `run`.
  var task: WireTask {
    get throws(WireError) {
      WireTask(
        stage: try string("stage"), parameters: try members("parameters"),
        seed: try count("seed", limit: Int(UInt32.max)))
    }
  }

  /// The file of a `read` or a `write`.
  var file: WireFile {
    get throws(WireError) {
      WireFile(format: try string("format"), path: try string("path"))
    }
  }

  /// Meshpipe offers with an object, a program accepts with `true`; echoing the offer accepts
  /// nothing.
  private var sharing: WireHello.Sharing {
    get throws(WireError) {
      let key = "sharedMemory"
      guard has(key) else { return .none }
      if let flag = try? bool(key) { return flag ? .accepted : .none }
      let offer = try object(key)
      return .offered(
        descriptor: try offer.count("descriptor", limit: Int(Int32.max)),
        bytes: try offer.count("bytes", limit: 1 << 53))
    }
  }

  /// The offsets of the arrays in shared memory; nil if they are in the stream.
  var shared: [Int]? {
    get throws(WireError) { has("shared") ? try counts("shared", limit: 1 << 53) : nil }
  }

  private var exitCode: ExitCode {
    get throws(WireError) {
      guard has("exitCode") else { return .data }
      let number = try count("exitCode", limit: 255)
      guard let code = ExitCode(rawValue: Int32(number)) else {
        throw .header("'exitCode' has the unknown value \(number)")
      }
      return code
    }
  }
}
