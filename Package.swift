// swift-tools-version: 6.2
import Foundation
import PackageDescription

/// Settings of every Swift target: the fence between fast and clean code is checked by the compiler.
let strict: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .strictMemorySafety(),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("ExistentialAny"),
  .treatAllWarnings(as: .error),
]

/// Tests read files and run programs through Foundation, so they stay outside the memory-safety fence.
let relaxed: [SwiftSetting] = [.swiftLanguageMode(.v6), .treatAllWarnings(as: .error)]

/// Where FFmpeg's headers are, when the compiler does not look there anyway. A name would also link the
/// library, which is opened only when there is a video: it costs the start 40 ms on Linux.
#if os(macOS)
  let videoHeaders: String? = "libavutil"
#else
  let videoHeaders: String? = nil
#endif

/// The library of the header that CEmbree includes.
///
/// It has no pkg-config file that would tell. SwiftPM keeps what this file came to until the file or the environment changes: the Makefile sets
/// MESHPIPE_EMBREE, so that installing Embree after a first try is noticed.
let embree =
  Context.environment["MESHPIPE_EMBREE"]
  ?? (FileManager.default.fileExists(atPath: "/usr/include/embree3/rtcore.h")
    && !FileManager.default.fileExists(atPath: "/usr/include/embree4/rtcore.h")
    ? "embree3" : "embree4")

/// three.js, which becomes a part of the program and of its pages; see CReportPage.
///
/// Debian's package libjs-three has it there. Homebrew has none: MESHPIPE_THREE names another file. Without one everything
/// is built but pages.
let three: [CSetting] =
  [Context.environment["MESHPIPE_THREE"], "/usr/share/javascript/three/three.min.js"]
  .compactMap(\.self).first { FileManager.default.fileExists(atPath: $0) }
  .map { [.define("MESHPIPE_THREE", to: "\"\($0)\"")] } ?? []

/// What `make build` says about the commit; see CRevision.
let revision: [CSetting] =
  Context.environment["MESHPIPE_REVISION"].flatMap { $0.isEmpty ? nil : $0 }
  .map { [.define("MESHPIPE_REVISION", to: $0)] } ?? []

let package = Package(
  name: "meshpipe",
  platforms: [.macOS(.v15)],
  products: [
    .library(name: "MeshpipeKit", targets: ["MeshpipeKit"]),
    .library(name: "MeshpipeCommand", targets: ["MeshpipeCommand"]),
    .library(name: "CMeshpipePlugin", targets: ["CMeshpipePlugin"]),
    .executable(name: "meshpipe", targets: ["meshpipe"]),
  ],
  targets: [
    .target(name: "POSIX", swiftSettings: strict),
    .target(name: "CMemory", path: "Sources/CLibraries/CMemory"),
    .target(name: "CArguments", path: "Sources/CLibraries/CArguments"),
    .target(
      name: "CRevision", path: "Sources/CLibraries/CRevision", cSettings: revision),
    .systemLibrary(
      name: "CNettle", path: "Sources/CLibraries/CNettle", pkgConfig: "nettle",
      providers: [.apt(["nettle-dev"]), .brew(["nettle"])]),
    .target(
      name: "MeshpipeBase",
      dependencies: ["POSIX", "CMemory", "CArguments", "CRevision", "CNettle"],
      swiftSettings: strict,
      // A part of the C library elsewhere.
      linkerSettings: [.linkedLibrary("iconv", .when(platforms: [.macOS]))]),
    .target(name: "MeshpipeScene", dependencies: ["POSIX", "MeshpipeBase"], swiftSettings: strict),
    .target(
      name: "MeshPipeline", dependencies: ["POSIX", "MeshpipeBase", "MeshpipeScene"],
      swiftSettings: strict),

    .systemLibrary(
      name: "CAssimp", path: "Sources/CLibraries/CAssimp", pkgConfig: "assimp",
      providers: [.apt(["libassimp-dev"]), .brew(["assimp"])]),
    .target(
      name: "CAssimpExport", dependencies: ["CAssimp"], path: "Sources/CLibraries/CAssimpExport",
      cxxSettings: [.define("NDEBUG", .when(configuration: .release))]),
    .target(name: "CSandbox", path: "Sources/CLibraries/CSandbox"),
    .target(name: "CMeshpipePlugin", path: "Sources/CLibraries/CMeshpipePlugin"),
    .systemLibrary(
      name: "CEmbree", path: "Sources/CLibraries/CEmbree",
      providers: [.apt(["libembree-dev"]), .brew(["embree"])]),
    .systemLibrary(
      name: "CTurboJPEG", path: "Sources/CLibraries/CTurboJPEG", pkgConfig: "libturbojpeg",
      providers: [.apt(["libturbojpeg0-dev"]), .brew(["jpeg-turbo"])]),
    .systemLibrary(
      name: "CLibPNG", path: "Sources/CLibraries/CLibPNG", pkgConfig: "libpng",
      providers: [.apt(["libpng-dev"]), .brew(["libpng"])]),
    // zlib comes with libpng.
    .target(
      name: "CPNG", dependencies: ["CLibPNG"], path: "Sources/CLibraries/CPNG",
      linkerSettings: [.linkedLibrary("z")]),
    .target(
      name: "CDynamicLibrary", path: "Sources/CLibraries/CDynamicLibrary",
      linkerSettings: [.linkedLibrary("dl", .when(platforms: [.linux]))]),
    // libwebp and libheif are opened when a picture needs them, by what their file names promise.
    .target(
      name: "CPictures", dependencies: ["CDynamicLibrary"], path: "Sources/CLibraries/CPictures"),
    .systemLibrary(
      name: "CArchive", path: "Sources/CLibraries/CArchive", pkgConfig: "libarchive",
      providers: [.apt(["libarchive-dev"]), .brew(["libarchive"])]),
    .systemLibrary(
      name: "CLZ4", path: "Sources/CLibraries/CLZ4", pkgConfig: "liblz4",
      providers: [.apt(["liblz4-dev"]), .brew(["lz4"])]),
    .systemLibrary(
      name: "CExpat", path: "Sources/CLibraries/CExpat", pkgConfig: "expat",
      providers: [.apt(["libexpat1-dev"]), .brew(["expat"])]),
    .systemLibrary(
      name: "CLibEigen", path: "Sources/CLibraries/CLibEigen", pkgConfig: "eigen3",
      providers: [.apt(["libeigen3-dev"]), .brew(["eigen"])]),
    .target(name: "CEigen", dependencies: ["CLibEigen"], path: "Sources/CLibraries/CEigen"),
    .systemLibrary(
      name: "CLibAV", path: "Sources/CLibraries/CLibAV", pkgConfig: videoHeaders,
      providers: [.apt(["libavformat-dev", "libswscale-dev"]), .brew(["ffmpeg"])]),
    .target(
      name: "CVideo", dependencies: ["CDynamicLibrary", "CLibAV"],
      path: "Sources/CLibraries/CVideo"),
    // meshoptimizer is opened for the first compressed file.
    .target(
      name: "CMeshopt", dependencies: ["CDynamicLibrary"], path: "Sources/CLibraries/CMeshopt"),
    .systemLibrary(
      name: "CLibDraco", path: "Sources/CLibraries/CLibDraco", pkgConfig: "draco",
      providers: [.apt(["libdraco-dev"]), .brew(["draco"])]),
    .target(name: "CDraco", dependencies: ["CLibDraco"], path: "Sources/CLibraries/CDraco"),
    .systemLibrary(
      name: "CAprilTag", path: "Sources/CLibraries/CAprilTag", pkgConfig: "apriltag",
      providers: [.apt(["libapriltag-dev"]), .brew(["apriltag"])]),
    .target(name: "CMarkers", dependencies: ["CAprilTag"], path: "Sources/CLibraries/CMarkers"),
    .target(
      name: "CReportPage", path: "Sources/CLibraries/CReportPage", exclude: ["page"],
      cSettings: three),
    // libharu is opened for the first drawing.
    .target(name: "CPDF", dependencies: ["CDynamicLibrary"], path: "Sources/CLibraries/CPDF"),
    // PROJ is opened for the first map, by what its functions promise.
    .target(
      name: "CProjection", dependencies: ["CDynamicLibrary"],
      path: "Sources/CLibraries/CProjection"),
    // libcurl is opened for the first upload, by what its functions promise.
    .target(
      name: "CTransfer", dependencies: ["CDynamicLibrary"], path: "Sources/CLibraries/CTransfer"),
    .target(
      name: "NativeLibraries",
      dependencies: [
        "POSIX", "MeshpipeBase", "MeshpipeScene", "CSandbox", "CEmbree", "CTurboJPEG", "CPNG",
        "CPictures", "CArchive", "CExpat", "CEigen", "CVideo", "CTransfer", "CMeshopt", "CLZ4",
        "CPDF", "CDraco", "CNettle", "CReportPage", "CMarkers", "CProjection",
      ],
      // The next version of a system's library may deprecate what this one needs: no reason not to build.
      swiftSettings: strict + [.treatWarning("DeprecatedDeclaration", as: .warning)],
      linkerSettings: [.linkedLibrary(embree)]),

    .target(
      name: "SurfaceKernels",
      dependencies: ["POSIX", "MeshpipeBase", "MeshpipeScene", "NativeLibraries"],
      swiftSettings: strict),
    .target(
      name: "Photogrammetry",
      dependencies: [
        "POSIX", "MeshpipeBase", "MeshpipeScene", "NativeLibraries", "SurfaceKernels",
      ],
      swiftSettings: strict),
    .target(
      name: "Workers",
      dependencies: [
        "POSIX", "MeshPipeline", "NativeLibraries", "CAssimp", "CAssimpExport", "CSandbox",
        "CMeshpipePlugin",
      ],
      swiftSettings: strict + [.treatWarning("DeprecatedDeclaration", as: .warning)]),

    .target(
      name: "Formats",
      dependencies: [
        "POSIX", "MeshPipeline", "NativeLibraries", "Rendering", "Workers", "Captures",
      ],
      swiftSettings: strict),
    .target(
      name: "Captures", dependencies: ["POSIX", "MeshPipeline", "NativeLibraries"],
      swiftSettings: strict),
    .target(
      name: "Stages",
      dependencies: [
        "POSIX", "MeshPipeline", "NativeLibraries", "Captures", "SurfaceKernels", "Photogrammetry",
        "Rendering",
      ],
      swiftSettings: strict),
    .target(
      name: "Plugins", dependencies: ["POSIX", "MeshPipeline", "NativeLibraries", "Workers"],
      swiftSettings: strict),
    .target(
      name: "Rendering",
      dependencies: ["POSIX", "MeshpipeBase", "MeshpipeScene", "NativeLibraries"],
      swiftSettings: strict),
    .target(
      name: "ReportPage",
      dependencies: ["POSIX", "MeshPipeline", "NativeLibraries", "SurfaceKernels", "Rendering"],
      swiftSettings: strict),
    .target(
      name: "Batch",
      dependencies: [
        "POSIX", "MeshPipeline", "NativeLibraries", "Captures", "Rendering", "ReportPage",
      ],
      swiftSettings: strict),
    // Named so because file systems that ignore case would take 'Meshpipe' for the command.
    .target(
      name: "MeshpipeKit",
      dependencies: [
        "POSIX", "MeshpipeBase", "MeshPipeline", "NativeLibraries", "Workers", "Photogrammetry",
        "Captures", "Formats", "Stages", "Plugins", "Rendering",
      ],
      swiftSettings: strict),
    .target(
      name: "MeshpipeCommand",
      dependencies: [
        "POSIX", "MeshPipeline", "NativeLibraries", "Workers", "ReportPage", "MeshpipeKit", "Batch",
      ],
      swiftSettings: strict),
    .executableTarget(
      name: "meshpipe", dependencies: ["MeshpipeCommand"], swiftSettings: strict),

    .executableTarget(
      name: "KernelBenchmark", dependencies: ["MeshPipeline", "Formats", "Stages"],
      path: "Benchmarks/Kernels", swiftSettings: relaxed),

    .target(
      name: "MeshTestSupport", dependencies: ["MeshPipeline", "NativeLibraries"],
      path: "Tests/MeshTestSupport", swiftSettings: relaxed),
    .testTarget(
      name: "BaseTests", dependencies: ["MeshpipeBase", "MeshTestSupport"], swiftSettings: relaxed),
    .testTarget(
      name: "SceneTests", dependencies: ["MeshPipeline", "MeshTestSupport"], swiftSettings: relaxed),
    .testTarget(
      name: "NativeLibrariesTests",
      dependencies: ["NativeLibraries", "MeshPipeline", "MeshTestSupport"], swiftSettings: relaxed),
    .testTarget(
      name: "WorkersTests",
      dependencies: ["Workers", "MeshPipeline", "NativeLibraries", "MeshTestSupport"],
      swiftSettings: relaxed),
    .testTarget(
      name: "PipelineTests",
      dependencies: ["MeshPipeline", "Stages", "Formats", "MeshTestSupport"],
      exclude: ["Broken"], swiftSettings: relaxed),
    .testTarget(
      name: "FormatsTests",
      dependencies: [
        "Formats", "Captures", "MeshPipeline", "NativeLibraries", "Workers", "MeshTestSupport",
      ],
      swiftSettings: relaxed),
    .testTarget(
      name: "SurfaceKernelsTests",
      dependencies: ["SurfaceKernels", "MeshPipeline", "MeshTestSupport"], swiftSettings: relaxed),
    .testTarget(
      name: "PhotogrammetryTests",
      dependencies: [
        "Photogrammetry", "SurfaceKernels", "MeshPipeline", "NativeLibraries", "Stages",
        "MeshTestSupport",
      ],
      swiftSettings: relaxed),
    .testTarget(
      name: "StagesTests",
      dependencies: [
        "Stages", "SurfaceKernels", "Photogrammetry", "Formats", "Rendering", "MeshTestSupport",
      ],
      swiftSettings: relaxed),
    .testTarget(
      name: "PluginsTests",
      dependencies: ["Plugins", "MeshPipeline", "Workers", "MeshTestSupport"],
      swiftSettings: relaxed),
    .testTarget(
      name: "CapturesTests",
      dependencies: [
        "Captures", "Formats", "MeshPipeline", "MeshpipeKit", "NativeLibraries", "MeshTestSupport",
      ],
      swiftSettings: relaxed),
    .testTarget(
      name: "RenderingTests",
      dependencies: ["Rendering", "MeshPipeline", "NativeLibraries", "MeshTestSupport"],
      swiftSettings: relaxed),
    .testTarget(
      name: "ReportPageTests",
      dependencies: [
        "ReportPage", "Rendering", "MeshPipeline", "NativeLibraries", "MeshTestSupport",
      ],
      swiftSettings: relaxed),
    .testTarget(
      name: "BatchTests",
      dependencies: [
        "Batch", "Captures", "Formats", "MeshPipeline", "MeshpipeKit", "NativeLibraries",
        "MeshTestSupport",
      ],
      swiftSettings: relaxed),
    // MeshpipeCommand is for blocks of Swift in pages, which are compiled against the build.
    .testTarget(
      name: "KitTests",
      dependencies: [
        "MeshpipeKit", "MeshpipeCommand", "NativeLibraries", "Photogrammetry", "MeshTestSupport",
      ],
      swiftSettings: relaxed),
    .testTarget(
      name: "CommandTests", dependencies: ["MeshpipeCommand", "meshpipe", "MeshTestSupport"],
      swiftSettings: relaxed),
    .testTarget(
      name: "HouseTests",
      dependencies: ["Stages", "Formats", "MeshPipeline", "NativeLibraries", "MeshTestSupport"],
      swiftSettings: relaxed),
  ],
  cxxLanguageStandard: .cxx17
)

// Needs libFuzzer, and parts of it that other builds lack: `Tools/fuzz.sh` asks for it.
if Context.environment["MESHPIPE_FUZZ"] != nil {
  package.targets += [
    .target(name: "CFuzzer", path: "Tests/Fuzz/CFuzzer"),
    .executableTarget(
      name: "Fuzz",
      dependencies: [
        "MeshPipeline", "MeshpipeKit", "NativeLibraries", "Workers", "Formats", "Captures",
        "Stages",
        "Plugins", "CFuzzer", "MeshTestSupport",
      ],
      path: "Tests/Fuzz", exclude: ["CFuzzer", "Seeds"], swiftSettings: relaxed),
  ]
}
