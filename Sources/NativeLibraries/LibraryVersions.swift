internal import CArchive
internal import CAssimp
internal import CEmbree
internal import CExpat
internal import CPNG
internal import CPictures
internal import CVideo
import MeshPipeline

/// The libraries that the program stands on, and those that it opens when it needs them.
public enum LibraryVersions {
  /// A library with its version, or with why it can't be used.
  public struct Library: Sendable {
    public var name: String
    /// Nil when it is not there.
    public var version: String?
    /// Why it is not there; empty when it is.
    public var fault = ""
  }

  /// Those that are always there.
  public static var linked: [Library] {
    let assimp = [aiGetVersionMajor(), aiGetVersionMinor(), aiGetVersionPatch()]
    let archive = unsafe String(cString: archive_version_string())
    let numbers = XML_ExpatVersionInfo()
    let expat = "\(numbers.major).\(numbers.minor).\(numbers.micro)"
    return [
      Library(name: "Assimp", version: assimp.map(String.init).joined(separator: ".")),
      Library(name: "Embree", version: RTC_VERSION_STRING),
      Library(name: "Expat", version: expat),
      Library(name: "libarchive", version: archive.split(separator: " ").last.map(String.init)),
      Library(name: "libpng", version: unsafe String(cString: meshpipe_png_version())),
    ]
  }

  /// FFmpeg, for frames out of videos.
  public static var video: Library {
    var version: String?
    let fault = unsafe words { error, size in
      guard let text = unsafe meshpipe_video_version(error, size) else { return }
      version = unsafe String(cString: text)
    }
    return Library(name: "FFmpeg", version: version, fault: version == nil ? fault : "")
  }

  /// libwebp and libheif, for frames as WebP, HEIC and AVIF.
  public static var pictures: [Library] {
    // What is no picture is refused by the library when it is there.
    let webp = unsafe library("libwebp") { bytes, count, error, size in
      var (width, height): (Int32, Int32) = (0, 0)
      var pixels: UnsafeMutablePointer<UInt8>?
      return unsafe meshpipe_webp_read(bytes, count, &width, &height, &pixels, error, size)
    }
    let heif = unsafe library("libheif") { bytes, count, error, size in
      var (width, height): (Int32, Int32) = (0, 0)
      var pixels: UnsafeMutablePointer<UInt8>?
      return unsafe meshpipe_heif_read(bytes, count, &width, &height, &pixels, error, size)
    }
    return [webp, heif]
  }

  private static func library(
    _ name: String,
    _ read: (
      UnsafePointer<UInt8>?, Int, UnsafeMutablePointer<CChar>?, Int
    ) -> meshpipe_picture_result
  ) -> Library {
    let bytes: [UInt8] = [0, 0, 0, 0]
    var isThere = false
    let fault = unsafe words { error, size in
      let result = unsafe bytes.withUnsafeBufferPointer { source in
        unsafe read(source.baseAddress, source.count, error, size)
      }
      isThere = result != meshpipe_picture_unavailable
    }
    return Library(name: name, version: isThere ? "" : nil, fault: isThere ? "" : fault)
  }

  /// The words that a C function leaves.
  private static func words(_ body: (UnsafeMutablePointer<CChar>?, Int) -> Void) -> String {
    unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: 512) { error in
      unsafe error.initialize(repeating: 0)
      unsafe body(error.baseAddress, error.count)
      guard let start = error.baseAddress else { return "" }
      return unsafe String(cString: start)
    }
  }
}

/// The guards around programs that are not our own, as far as the machine has them.
public enum Guards {
  /// The program `bwrap`; nil when it is not installed.
  public static var bubblewrap: String? { Bubblewrap.path }
}
