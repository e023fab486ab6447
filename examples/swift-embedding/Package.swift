// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "studio",
  platforms: [.macOS(.v15)],
  dependencies: [.package(name: "meshpipe", path: "../..")],
  targets: [
    .executableTarget(
      name: "studio",
      dependencies: [
        .product(name: "MeshpipeKit", package: "meshpipe"),
        .product(name: "MeshpipeCommand", package: "meshpipe"),
      ])
  ])
