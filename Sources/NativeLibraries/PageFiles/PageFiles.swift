internal import CReportPage

/// The files that pages of reports are made of; they are a part of the program.
package enum PageFiles {
  /// What is between the head of a page and its data.
  package static var body: [UInt8] { unsafe bytes(of: meshpipe_page_body()) }
  /// The style of a page.
  package static var style: [UInt8] { unsafe bytes(of: meshpipe_page_style()) }
  /// What shows the data, a module of JavaScript.
  package static var script: [UInt8] { unsafe bytes(of: meshpipe_page_script()) }
  /// three.js, which draws; nil where the build had none.
  package static var library: [UInt8]? {
    let bytes = unsafe bytes(of: meshpipe_page_library())
    return bytes.isEmpty ? nil : bytes
  }
  /// The licence of three.js.
  package static var libraryLicence: [UInt8] { unsafe bytes(of: meshpipe_page_library_licence()) }

  private static func bytes(of file: meshpipe_page_file) -> [UInt8] {
    unsafe Array(UnsafeBufferPointer(start: file.bytes, count: file.count))
  }
}
