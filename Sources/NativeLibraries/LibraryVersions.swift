internal import CArchive
internal import CDraco
internal import CEigen
internal import CEmbree
internal import CExpat
internal import CLZ4
internal import CNettle
internal import CPNG
internal import CPictures
internal import CTransfer
internal import CVideo
import MeshpipeBase
import MeshpipeScene

/// The linked libraries, and those loaded on demand.
package enum LibraryVersions {
  /// A library with its version, or the reason why it can't be used.
  package struct Library: Sendable {
    package var name: String
    /// Nil if it is not installed.
    package var version: String?
    /// Why it can't be used; empty if it can.
    package var fault: String

    package init(name: String, version: String?, fault: String = "") {
      self.name = name
      self.version = version
      self.fault = fault
    }
  }

  /// The linked libraries.
  package static var linked: [Library] {
    let archive = unsafe String(cString: archive_version_string())
    let numbers = XML_ExpatVersionInfo()
    let expat = "\(numbers.major).\(numbers.minor).\(numbers.micro)"
    return [
      Library(name: "Draco", version: unsafe String(cString: meshpipe_draco_version())),
      Library(name: "Eigen", version: unsafe String(cString: meshpipe_eigen_version())),
      Library(name: "Embree", version: RTC_VERSION_STRING),
      Library(name: "Expat", version: expat),
      Library(name: "libarchive", version: archive.split(separator: " ").last.map(String.init)),
      Library(name: "liblz4", version: unsafe String(cString: LZ4_versionString())),
      Library(name: "libpng", version: unsafe String(cString: meshpipe_png_version())),
      Library(
        name: "Nettle", version: "\(nettle_version_major()).\(nettle_version_minor())"),
    ]
  }

  /// FFmpeg, for frames in videos.
  package static var video: Library {
    unsafe library("FFmpeg", versionOf: meshpipe_video_version)
  }

  /// libcurl, for uploads.
  package static var transfer: Library {
    var library = unsafe library("libcurl", versionOf: meshpipe_transfer_version)
    // The version begins with `libcurl/`, and those of other libraries follow.
    library.version = library.version?.split(separator: " ").first?.split(separator: "/").last
      .map(String.init)
    return library
  }

  /// libharu, for drawings as PDF; its version is not known.
  package static var pdf: Library {
    let fault = PDFDocument.fault
    return Library(
      name: "libharu", version: fault == nil ? "" : nil, fault: fault?.reason ?? "")
  }

  /// A library with its own version, which a C function returns, or the reason why there is none.
  private static func library(
    _ name: String,
    versionOf read: (UnsafeMutablePointer<CChar>?, Int) -> UnsafePointer<CChar>?
  ) -> Library {
    var version: String?
    let fault = unsafe nativeMessage { error, size in
      version = unsafe read(error, size).map { unsafe String(cString: $0) }
    }
    return Library(name: name, version: version, fault: version == nil ? fault : "")
  }

  /// libwebp and libheif, for pictures in WebP, HEIC and AVIF, its encoder, and meshoptimizer, for compressed glTF;
  /// their versions are not known.
  package static var decoders:
    (webp: Library, heif: Library, avifEncoder: Library, meshopt: Library)
  {
    // An installed library rejects data of another format.
    let bytes: [UInt8] = [0, 0, 0, 0]
    var (width, height): (Int32, Int32) = (0, 0)
    var pixels: UnsafeMutablePointer<UInt8>?
    let webp = unsafe library("libwebp") { error, size in
      unsafe meshpipe_webp_read(bytes, bytes.count, 3, &width, &height, &pixels, error, size)
        != meshpipe_picture_unavailable
    }
    let heif = unsafe library("libheif") { error, size in
      unsafe meshpipe_heif_read(bytes, bytes.count, 3, &width, &height, &pixels, error, size)
        != meshpipe_picture_unavailable
    }
    let fault = MeshoptEncoder.fault
    let meshopt = Library(
      name: "meshoptimizer", version: fault == nil ? "" : nil, fault: fault?.reason ?? "")
    let missing = AVIF.fault
    let avif = Library(
      name: "encoder of AVIF", version: missing == nil ? "" : nil, fault: missing?.message ?? "")
    return (webp, heif, avif, meshopt)
  }

  private static func library(
    _ name: String, isThere body: (UnsafeMutablePointer<CChar>?, Int) -> Bool
  ) -> Library {
    var isThere = false
    let fault = unsafe nativeMessage { error, size in isThere = unsafe body(error, size) }
    return Library(name: name, version: isThere ? "" : nil, fault: isThere ? "" : fault)
  }
}

/// The means of confining untrusted programs on this machine.
package enum Guards {
  /// The program `bwrap`; nil if it is not installed.
  package static var bubblewrap: String? { Bubblewrap.path }
}
