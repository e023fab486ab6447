package import MeshpipeBase
package import MeshpipeScene
import NativeLibraries

/// How far a model looks like the photographs of its capture when it is rendered with their cameras.
///
/// Photographs are compared at low resolution, so that poses need not be exact to a pixel: by the structural similarity
/// of brightness (Wang, Bovik, Sheikh and Simoncelli 2004) in square windows, after the model's brightness as a whole was
/// taken to that of the photograph. Where the model is not, nothing is compared.
package struct PhotographAgreement: Sendable {
  /// What a photograph and the model have in common.
  package struct View: Sendable {
    /// The frame's name.
    package var name: String
    /// The mean structural similarity where the model is: 1 if they are equal, 0 if they have nothing in common.
    package var similarity: Double
    /// The share of the photograph in which the model is, masked parts aside.
    package var coveredShare: Double
    /// The mean light of the model as a multiple of that of the photograph.
    package var brightness: Double
  }

  /// In the order of the frames; those without a readable photograph, or with too little of the model to compare, are
  /// left out.
  package let views: [View]

  /// Evenly spread frames beyond which no more are compared.
  private static let mostFrames = 64
  /// The longest side of the compared images in pixels.
  private static let longestSide = 256
  /// A texture is decoded at about the resolution that such images show.
  private static let largestTexture = 2048

  init(views: [View]) { self.views = views }

  /// Renders the scene into its frames.
  ///
  /// - Throws: ``EmptyScene``, or what `checkCancellation` throws.
  package init(
    _ scene: Scene, from store: FrameStore = FrameStore(capacity: 0),
    checkCancellation: () throws -> Void = {}
  ) throws {
    let frames = scene.capture?.frames ?? []
    guard !frames.isEmpty else {
      views = []
      return
    }
    var style = RenderStyle.photographic
    style.largestTexture = Self.largestTexture
    let renderer = try SceneRenderer(scene, style: style)
    views = try frames.evenly(atMost: Self.mostFrames).compactMap { frame in
      guard
        let photograph = try? frame.photograph(
          within: SIMD2(repeating: Self.longestSide), from: store)
      else { return nil }
      let model = try renderer.picture(
        from: Camera(frame, size: photograph.size), samples: 1, background: .transparent)
      try checkCancellation()
      return Self.view(of: frame.name, photograph, model)
    }
  }

  /// The similarity of all views, each as much as the model is in it; 0 without views.
  package var similarity: Double {
    let covered = views.reduce(0) { $0 + $1.coveredShare }
    return covered > 0
      ? views.reduce(0) { $0 + $1.similarity * $1.coveredShare } / covered : 0
  }

  /// The mean share of a photograph in which the model is.
  package var coveredShare: Double {
    views.isEmpty ? 0 : views.reduce(0) { $0 + $1.coveredShare } / Double(views.count)
  }

  /// The part of the similarity of good frames that one needs to look like the model, too: in captures whose poses fit, the
  /// worst frames have 0.9 of it, and one that kept a wrong pose 0.75.
  private static let leastPart = 0.7
  /// The share of frames that are good at least.
  private static let goodShare = 0.25
  /// A frame in which less of the model is may show its edge only.
  private static let leastCovered = 0.2
  /// Fewer frames than this, or than a share of all, are single accidents.
  private static let fewestStray = (count: 2, share: 0.05)

  /// Frames that look far less like the model than others do, as where tracking drifted; none if they are few.
  package var stray: [View] {
    let judged = views.filter { $0.coveredShare >= Self.leastCovered }
    let best = judged.map(\.similarity).sorted(by: >)
    guard !best.isEmpty else { return [] }
    let good = best[Int(Double(best.count) * Self.goodShare)]
    let stray = judged.filter { $0.similarity < Self.leastPart * good }
    let fewest = max(Double(Self.fewestStray.count), Self.fewestStray.share * Double(judged.count))
    return Double(stray.count) >= fewest ? stray : []
  }

  /// The figures by name, of all frames together and of each.
  package var json: JSONValue {
    let frames = views.map { view -> JSONValue in
      [
        "name": JSONValue(.string(view.name)), "similarity": view.similarity.json(digits: 3),
        "covered": view.coveredShare.json(digits: 3),
        "brightness": view.brightness.json(digits: 3),
      ]
    }
    return [
      "similarity": similarity.json(digits: 3), "covered": coveredShare.json(digits: 3),
      "frames": JSONValue(.array(frames)),
    ]
  }

  // MARK: Views

  private static func view(
    of name: String, _ photograph: Image, _ model: RenderedPicture
  ) -> View? {
    let (width, height) = (photograph.width, photograph.height)
    let isShown = (0..<width * height).map { pixel in
      guard let mask = photograph.mask else { return true }
      let position = SIMD2(Float(pixel % width) + 0.5, Float(pixel / width) + 0.5)
      return !mask.hides(at: position / SIMD2<Float>(photograph.size))
    }
    let isCompared = zip(isShown, model.coverage).map { $0 && $1 > 0 }
    let shown = isShown.count { $0 }
    let compared = isCompared.count { $0 }
    guard compared > 0 else { return nil }
    let (own, other) = (light(of: photograph), light(of: model.image))
    func meanLight(_ light: [Float]) -> Float {
      zip(light, isCompared).reduce(0) { $0 + ($1.1 ? $1.0 : 0) } / Float(compared)
    }
    let brightness = meanLight(other) / max(meanLight(own), leastLight)
    let gain = 1 / max(brightness, leastLight)
    let similarity = StructuralSimilarity(
      codes(own), codes(other.map { $0 * gain }), isCompared, width: width)
    guard let mean = similarity.mean else { return nil }
    return View(
      name: name, similarity: mean, coveredShare: Double(compared) / Double(shown),
      brightness: Double(brightness))
  }

  /// Nothing is darker than half the first step of eight bits.
  private static let leastLight: Float = 0.00015

  private static func light(of image: Image) -> [Float] {
    let table = SRGBTable.shared
    return stride(from: 0, to: image.pixels.count, by: 3).map { start in
      let light = table.linear(pixels: image.pixels, at: start)
      return 0.2126 * light.x + 0.7152 * light.y + 0.0722 * light.z
    }
  }

  private static func codes(_ light: [Float]) -> [Float] {
    let table = SRGBTable.shared
    return light.map { Float(table.code($0)) }
  }
}
