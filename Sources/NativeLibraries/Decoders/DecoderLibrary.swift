internal import CMeshopt
internal import CPictures
internal import CVideo
import MeshpipeBase
import MeshpipeScene
import POSIX

/// The libraries that decode in cells; a cell has one of them.
enum DecoderLibrary: String, CaseIterable, Sendable {
  case jpeg, png, webp, heif, tiff, ffmpeg, draco, meshopt, archive

  /// The name for messages.
  var name: String {
    switch self {
    case .jpeg: "libjpeg-turbo"
    case .png: "libpng"
    case .webp: "libwebp"
    case .heif: "libheif"
    case .tiff: "libtiff"
    case .ffmpeg: "FFmpeg"
    case .draco: "Draco"
    case .meshopt: "meshoptimizer"
    case .archive: "libarchive"
    }
  }

  /// The task of decoding a picture; of libraries that decode some.
  var pictureTask: DecoderTask {
    switch self {
    case .jpeg: .jpeg
    case .png: .png
    case .webp: .webp
    case .heif: .heif
    case .tiff: .tiff
    default: .still
    }
  }

  /// Opens it with all that it would open later, when no file can be opened any more.
  ///
  /// If it is not installed, the first task says so.
  func open() {
    // It sees that this is not a picture, after it has found its decoders.
    let bytes: [UInt8] = [0, 0, 0, 0]
    var (width, height): (Int32, Int32) = (0, 0)
    var pixels: UnsafeMutablePointer<UInt8>?
    _ = unsafe nativeMessage { error, size in
      switch self {
      case .jpeg: JPEGDecoder.prepare()
      case .png, .draco: break
      case .webp: unsafe meshpipe_webp_fault()
      case .heif:
        unsafe meshpipe_heif_read(bytes, bytes.count, 3, &width, &height, &pixels, error, size)
      case .tiff:
        unsafe meshpipe_tiff_read(bytes, bytes.count, &width, &height, &pixels, error, size)
      case .ffmpeg: unsafe meshpipe_video_version(error, size)
      case .archive: ArchiveLocale.prepare()
      case .meshopt: unsafe meshpipe_meshopt_fault()
      }
    }
    unsafe free(pixels)
  }
}

/// What a cell is asked for.
enum DecoderTask: Int {
  case jpeg = 1
  case png, webp, heif, tiff, still
  case openVideo, videoFrame, expectFrames
  case openDraco, dracoAttributes, dracoWidth, dracoValues
  case meshopt
  case openArchive, archiveEntry, archiveBytes, archiveSkip
  /// Closes what is open.
  case close
  /// Fails on purpose, for tests of error handling.
  case misbehave
}
