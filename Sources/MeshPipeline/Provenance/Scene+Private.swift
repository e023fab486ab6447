import MeshpipeBase
package import MeshpipeScene

extension Scene {
  /// The scene without what tells where on Earth and with which device it was made, and how its photographs were named.
  package var withoutPrivateFacts: Scene {
    var scene = self
    scene.removePrivateFacts()
    return scene
  }

  private mutating func removePrivateFacts() {
    origin = .zero
    if var known = survey {
      let codes = (known.classCodes, known.unclassifiedCode, known.hasStandardTime)
      known = Survey()
      (known.classCodes, known.unclassifiedCode, known.hasStandardTime) = codes
      survey = known
    }
    for index in textures.indices {
      guard let plain = PictureMetadata.removed(from: textures[index].bytes) else { continue }
      textures[index].bytes = plain
    }
    guard capture != nil else { return }
    let names = (capture?.frames ?? []).map(\.name)
    let numbers = Dictionary(
      zip(names, names.indices.map(Self.number)), uniquingKeysWith: { first, _ in first })
    for gate in gates.indices {
      for reading in gates[gate].readings.indices {
        gates[gate].readings[reading].frame = gates[gate].readings[reading].frame.map {
          numbers[$0] ?? ""
        }
      }
    }
    // The folder, the manifest of the app, and files beside the frames: positions, sound, motion.
    capture?.origin = nil
    for index in capture?.frames.indices ?? 0..<0 {
      capture?.frames[index].name = Self.number(index)
      capture?.frames[index].record = nil
    }
    for index in capture?.depthFrames.indices ?? 0..<0 {
      capture?.depthFrames[index].name = "depth_" + Self.number(index)
      capture?.depthFrames[index].record = nil
    }
  }

  private static func number(_ index: Int) -> String {
    let digits = String(index)
    return String(repeating: "0", count: max(0, 6 - digits.count)) + digits
  }
}
