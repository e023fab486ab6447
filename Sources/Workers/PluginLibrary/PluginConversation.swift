internal import CMeshpipePlugin
import MeshPipeline
import MeshpipeBase
import Synchronization

/// The calls from a library plugin to meshpipe during one run.
final class PluginConversation: Sendable {
  let memory = PluginMemory()
  private let context: StageContext
  private let failure = Mutex<(code: Int32, message: String)?>(nil)
  private let remarks = RemarkCount()

  init(_ context: StageContext) { self.context = context }

  /// The outcome of a run.
  ///
  /// - Parameter code: The returned code.
  func end(with code: Int32) throws {
    if let failure = failure.withLock({ $0 }) {
      if context.isCancelled { throw Cancelled() }
      throw PluginLibraryError.told(
        exitCode: ExitCode(rawValue: failure.code) ?? .software, message: failure.message)
    }
    guard code != Int32(MESHPIPE_DONE) else { return }
    if context.isCancelled { throw Cancelled() }
    throw PluginLibraryError.endedEarly(code: code)
  }

  /// The functions for the plugin; valid as long as the conversation.
  func withHost<Result>(
    _ body: (UnsafePointer<meshpipe_host>) throws -> Result
  ) rethrows -> Result {
    var host = unsafe meshpipe_host()
    unsafe host.struct_size = MemoryLayout<meshpipe_host>.stride
    unsafe host.abi = MESHPIPE_ABI
    unsafe host.context = Unmanaged.passUnretained(self).toOpaque()
    unsafe host.allocate = { host, count in
      unsafe conversation(host)?.memory.allocate(count)
    }
    unsafe host.progress = { host, fraction in
      unsafe conversation(host)?.hasToStop(at: fraction) == false ? 0 : 1
    }
    unsafe host.is_cancelled = { host in
      unsafe conversation(host)?.context.isCancelled == false ? 0 : 1
    }
    unsafe host.log = { host, line in
      unsafe conversation(host)?.remark(line) { $0.log($1) }
    }
    unsafe host.warn = { host, sentence in
      unsafe conversation(host)?.remark(sentence) { $0.warn($1) }
    }
    unsafe host.note = { host, key, value in
      unsafe conversation(host)?.remark(key) { $0.note($1, JSONValue(.number(value))) }
    }
    unsafe host.note_text = { host, key, value in
      let value = unsafe String(text: value).withoutControlCharacters
      unsafe conversation(host)?.remark(key) { $0.note($1, JSONValue(.string(value))) }
    }
    unsafe host.fail = { host, code, message in
      unsafe conversation(host)?.fail(code, String(text: message))
      return code
    }
    return try unsafe withUnsafePointer(to: host) { try unsafe body($0) }
  }

  private func hasToStop(at fraction: Double) -> Bool {
    do {
      try context.progress(fraction.isNaN ? 0 : min(max(fraction, 0), 1))
      return false
    } catch {
      return true
    }
  }

  private func remark(
    _ text: UnsafePointer<CChar>?, _ tell: (StageContext, String) -> Void
  ) {
    let text = unsafe String(text: text).withoutControlCharacters
    guard remarks.hasRoom(forLength: text.utf8.count) else { return }
    tell(context, text)
  }

  private func fail(_ code: Int32, _ message: String) {
    failure.withLock { $0 = $0 ?? (code, message.withoutControlCharacters) }
  }
}

/// The conversation of a plugin's call.
private func conversation(_ host: UnsafePointer<meshpipe_host>?) -> PluginConversation? {
  guard let context = unsafe host?.pointee.context else { return nil }
  return unsafe Unmanaged<PluginConversation>.fromOpaque(context).takeUnretainedValue()
}

extension String {
  /// The maximum length of a text from a plugin, in bytes.
  private static let maximumLength = 1 << 20

  /// A zero-terminated text from a plugin; nil for NULL.
  init(text: UnsafePointer<CChar>?) {
    guard let text = unsafe text else {
      self = ""
      return
    }
    var bytes: [UInt8] = []
    while bytes.count < Self.maximumLength, unsafe text[bytes.count] != 0 {
      bytes.append(UInt8(bitPattern: unsafe text[bytes.count]))
    }
    self = String(decoding: bytes, as: UTF8.self)
  }
}
