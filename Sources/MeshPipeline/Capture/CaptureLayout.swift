/// A way in which an app or a tool lays out a capture in a folder.
///
/// One layout is one file, or one folder of its own; the list of the built-in ones is the only shared
/// line. Readers convert to meshpipe's conventions: see ``Capture/Frame``.
public protocol CaptureLayout: Sendable {
  /// The name for messages and for `--frames-layout`: `polycam`.
  static var id: String { get }
  /// What writes such folders, in one sentence.
  static var summary: String { get }

  /// Whether a folder has this layout, by the names in it and, at most, a look into one small file.
  static func isPresent(in folder: CaptureFolder) -> Bool

  /// Reads cameras and names of files; no pixels.
  ///
  /// - Throws: A ``UserError`` that names the file and the place in it. A single bad frame is no error:
  ///   it is left out with a warning to `context`.
  static func read(_ folder: CaptureFolder, in context: CaptureReadingContext) throws
    -> CapturedScan
}

/// What a capture folder holds.
public struct CapturedScan: Sendable {
  public var capture: Capture
  /// The path of the scan's mesh in the axes of the capture's poses; nil when the folder has none.
  public var meshPath: String?
  /// The axes and unit of the poses; ARKit's unless the layout says otherwise.
  public var coordinateSystem: CoordinateSystem

  public init(
    capture: Capture, meshPath: String? = nil, coordinateSystem: CoordinateSystem = .arkit
  ) {
    self.capture = capture
    self.meshPath = meshPath
    self.coordinateSystem = coordinateSystem
  }
}

/// A folder that may be a capture.
public struct CaptureFolder: Sendable {
  /// The path, without a slash at its end.
  public let path: String
  /// The names in the folder, sorted.
  public let names: [String]

  public init(_ path: String) throws(FileError) {
    self.path = path.count > 1 && path.hasSuffix("/") ? String(path.dropLast()) : path
    names = try FileSystem.names(inFolder: self.path).sorted()
  }

  /// The path of a file in the folder.
  public func path(of name: String) -> String { "\(path)/\(name)" }

  public func has(_ name: String) -> Bool {
    (try? FileSystem.status(of: path(of: name))) != .some(nil)
  }
}

/// What a layout's reader may ask of, and tell to, the run that it is part of.
public struct CaptureReadingContext: Sendable {
  /// Tells the user of something suspicious that did not stop the reading.
  public let warn: @Sendable (String) -> Void

  public init(warn: @escaping @Sendable (String) -> Void) {
    self.warn = warn
  }
}
