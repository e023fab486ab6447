internal import CExpat
import MeshpipeBase
import MeshpipeScene
import POSIX

/// Handles the elements of a document, in document order.
///
/// Names consist of the namespace, a space and the local name; names without a namespace are only
/// the local name.
package protocol XMLHandler: AnyObject {
  /// Begins an element.
  ///
  /// - Parameter name: Index into the names given to the parser; nil for any other.
  func start(_ name: Int?, _ attributes: borrowing XMLAttributes) throws(XMLFault)
  func end(_ name: Int?) throws(XMLFault)
  /// A prefix bound to a namespace.
  func declare(prefix: String, namespace: String)
}

/// Why a handler rejects an element; the parser adds the line.
package struct XMLFault: Error, Equatable {
  package var message: String
  package init(_ message: String) { self.message = message }
}

/// A document that is not well formed, or rejected by its handler.
package struct XMLError: Error, Equatable {
  /// Counted from 1.
  package var line: Int
  package var message: String

  package init(line: Int, message: String) {
    self.line = line
    self.message = message
  }
}

/// Reads XML as a stream, in any encoding supported by Expat: UTF-8, UTF-16, Latin-1.
///
/// A document type is an error: none of the supported formats has one, and attacks use entities.
@safe
package final class XMLParser {
  private let parser: OpaquePointer
  private let receiver: Receiver

  /// - Parameter names: The element names known to the handler.
  package init(names: [String], handler: any XMLHandler) throws {
    guard let parser = unsafe XML_ParserCreateNS(nil, CChar(bitPattern: UInt8(ascii: " "))) else {
      throw NativeLibraryError("Expat", "is out of memory")
    }
    unsafe self.parser = parser
    receiver = Receiver(names: names, handler: handler)
    unsafe receiver.parser = parser
    unsafe XML_SetUserData(parser, Unmanaged.passUnretained(receiver).toOpaque())
    unsafe XML_SetElementHandler(
      parser,
      { unsafe Receiver.of($0)?.start($1, $2) },
      { unsafe Receiver.of($0)?.end($1) })
    unsafe XML_SetStartNamespaceDeclHandler(parser) { unsafe Receiver.of($0)?.declare($1, $2) }
    unsafe XML_SetStartDoctypeDeclHandler(parser) { data, _, _, _, _ in
      unsafe Receiver.of(data)?.stop(
        XMLFault("has a document type (DOCTYPE), which is not allowed"))
    }
  }

  deinit { unsafe XML_ParserFree(parser) }

  /// Parses the next bytes of the document.
  package func parse(_ bytes: ArraySlice<UInt8>) throws(XMLError) {
    var rest = bytes
    while !rest.isEmpty {
      let block = rest.prefix(1 << 20)
      rest = rest.dropFirst(block.count)
      let status = unsafe block.withUnsafeBytes { buffer in
        unsafe XML_Parse(
          parser, buffer.baseAddress?.assumingMemoryBound(to: CChar.self), Int32(buffer.count), 0)
      }
      guard status == XML_STATUS_OK else { throw error }
    }
  }

  /// Ends the document.
  package func finish() throws(XMLError) {
    guard unsafe XML_Parse(parser, nil, 0, 1) == XML_STATUS_OK else { throw error }
  }

  private var error: XMLError {
    let line = Int(unsafe meshpipe_expat_line(parser))
    if let fault = receiver.fault { return XMLError(line: line, message: fault.message) }
    let words = unsafe XML_ErrorString(XML_GetErrorCode(parser)).map { unsafe String(cString: $0) }
    return XMLError(line: line, message: "is not well-formed XML: \(words ?? "unknown error")")
  }
}

/// The attributes of an element, valid while its handler runs.
@safe
package struct XMLAttributes: ~Copyable {
  private let name: UnsafePointer<CChar>?
  private let pairs: UnsafeMutablePointer<UnsafePointer<CChar>?>?
  private let parser: OpaquePointer?

  fileprivate init(
    _ name: UnsafePointer<CChar>?, _ pairs: UnsafeMutablePointer<UnsafePointer<CChar>?>?,
    in parser: OpaquePointer?
  ) {
    unsafe self.name = name
    unsafe self.pairs = pairs
    unsafe self.parser = parser
  }

  /// The name of the element, for handlers that do not know all names.
  package var element: String { unsafe name.map { unsafe String(cString: $0) } ?? "" }

  /// The line of the element, counted from 1.
  package var line: Int { Int(unsafe meshpipe_expat_line(parser)) }

  /// The bytes of a value, trimmed; nil if there is no such attribute.
  package func withBytes<Result>(
    _ name: StaticString, _ body: (Span<UInt8>) -> Result
  ) -> Result? {
    guard var pair = unsafe pairs else { return nil }
    while let key = unsafe pair[0], let value = unsafe pair[1] {
      unsafe pair += 2
      // A static string is zero-terminated too.
      let wanted = unsafe UnsafeRawPointer(name.utf8Start).assumingMemoryBound(to: CChar.self)
      guard unsafe strcmp(key, wanted) == 0 else { continue }
      let bytes = unsafe UnsafeRawPointer(value).assumingMemoryBound(to: UInt8.self)
      let span = unsafe Span(_unsafeStart: bytes, count: strlen(value))
      var range = 0..<span.count
      while let first = range.first, span[first] <= 0x20 { range.removeFirst() }
      while let last = range.last, span[last] <= 0x20 { range.removeLast() }
      return body(span.extracting(range))
    }
    return nil
  }

  /// The text of a value; nil if there is no such attribute.
  package func text(_ name: StaticString) -> String? {
    withBytes(name) { String(decoding: [UInt8](copying: $0), as: UTF8.self) }
  }
}

/// Connects Expat's functions with the handler.
@safe
private final class Receiver {
  private let names: [ContiguousArray<CChar>]
  private let handler: any XMLHandler
  /// Names in order of recent use, since they repeat.
  private var order: [Int]
  var parser: OpaquePointer?
  private(set) var fault: XMLFault?

  init(names: [String], handler: any XMLHandler) {
    self.names = names.map { ContiguousArray($0.utf8CString) }
    order = Array(names.indices)
    self.handler = handler
  }

  @unsafe
  static func of(_ data: UnsafeMutableRawPointer?) -> Receiver? {
    unsafe data.map { unsafe Unmanaged<Receiver>.fromOpaque($0).takeUnretainedValue() }
  }

  func stop(_ fault: XMLFault) {
    guard self.fault == nil else { return }
    self.fault = fault
    _ = unsafe XML_StopParser(parser, XML_Bool(XML_FALSE))
  }

  @unsafe
  func start(
    _ name: UnsafePointer<CChar>?, _ pairs: UnsafeMutablePointer<UnsafePointer<CChar>?>?
  ) {
    guard fault == nil else { return }
    do throws(XMLFault) {
      try unsafe handler.start(index(of: name), XMLAttributes(name, pairs, in: parser))
    } catch {
      stop(error)
    }
  }

  @unsafe
  func end(_ name: UnsafePointer<CChar>?) {
    guard fault == nil else { return }
    do throws(XMLFault) {
      try unsafe handler.end(index(of: name))
    } catch {
      stop(error)
    }
  }

  @unsafe
  func declare(_ prefix: UnsafePointer<CChar>?, _ namespace: UnsafePointer<CChar>?) {
    guard let namespace = unsafe namespace else { return }
    handler.declare(
      prefix: unsafe prefix.map { unsafe String(cString: $0) } ?? "",
      namespace: unsafe String(cString: namespace))
  }

  private func index(of name: UnsafePointer<CChar>?) -> Int? {
    guard let name = unsafe name else { return nil }
    for index in order.indices {
      let candidate = order[index]
      let isSame = unsafe names[candidate].withUnsafeBufferPointer { known in
        unsafe known.baseAddress.map { unsafe strcmp($0, name) == 0 } ?? false
      }
      guard isSame else { continue }
      if index > 1 { order.swapAt(index, index / 2) }
      return candidate
    }
    return nil
  }
}
