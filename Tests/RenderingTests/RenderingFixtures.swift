import MeshPipeline
import NativeLibraries

/// A camera at `position` that looks along −Z of a Y-up world, or as the axes say.
func camera(
  at position: SIMD3<Double>, size: SIMD2<Int>, focalLength: Double,
  right: SIMD3<Double> = SIMD3(1, 0, 0), up: SIMD3<Double> = SIMD3(0, 1, 0),
  distortion: Capture.Distortion = .none
) -> Camera {
  Camera(
    Capture.Frame(
      name: "view", image: .file(""), imageSize: size,
      intrinsics: .init(
        focalLength: SIMD2(repeating: focalLength), principalPoint: SIMD2<Double>(size) / 2),
      distortion: distortion,
      pose: Transform(x: right, y: up, z: right.cross(up), translation: position)))
}

/// A unit square in the plane Z = 0 that looks towards +Z, with texture coordinates all over the image.
func squareMesh() -> Mesh {
  var mesh = Mesh(
    positions: [Vector3(0, 0, 0), Vector3(1, 0, 0), Vector3(1, 1, 0), Vector3(0, 1, 0)],
    indices: [0, 1, 2, 0, 2, 3])
  mesh.textureCoordinates = [
    Vector2(0, 0), Vector2(1, 0), Vector2(1, 1), Vector2(0, 0), Vector2(1, 1), Vector2(0, 1),
  ]
  return mesh
}

/// The square with an image on it.
func texturedSquare(_ image: Image) throws -> Scene {
  var mesh = squareMesh()
  mesh.faceMaterials = [0, 0]
  return Scene(
    meshes: [mesh], materials: [Material(baseColorTexture: 0)],
    textures: [Texture(fileName: "a.png", encoding: .png, bytes: try PNG.encode(image))])
}

/// An image of which every pixel has a colour of its own.
func testCard(_ width: Int, _ height: Int) -> Image {
  Image(
    width: width, height: height,
    pixels: (0..<width * height).flatMap { index in
      let (x, y) = (index % width, index / width)
      return [
        UInt8(20 + 230 * x / width), UInt8(20 + 230 * y / height), UInt8(40 + x + 2 * y),
      ]
    })
}

extension Image {
  func color(_ x: Int, _ y: Int) -> SIMD3<Int> {
    let start = 3 * (y * width + x)
    return SIMD3(Int(pixels[start]), Int(pixels[start + 1]), Int(pixels[start + 2]))
  }
}

func difference(_ a: SIMD3<Int>, _ b: SIMD3<Int>) -> Int {
  (0..<3).map { abs(a[$0] - b[$0]) }.max() ?? 0
}
