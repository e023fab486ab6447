import MeshpipeBase
import MeshpipeScene

extension Scene {
  /// Removes what tells where on Earth and with which device it was made, and how its files and photographs were named.
  ///
  /// What textures say beside their pixels is another matter: ``PrivateTextures``.
  mutating func removePrivateFacts(_ names: PrivateNames) {
    replaceNames(names)
    origin = .zero
    if var known = survey {
      let codes = (known.classCodes, known.unclassifiedCode, known.hasStandardTime)
      known = Survey()
      (known.classCodes, known.unclassifiedCode, known.hasStandardTime) = codes
      survey = known
    }
    guard capture != nil else { return }
    let names = (capture?.frames ?? []).map(\.name)
    let numbers = Dictionary(
      zip(names, names.indices.map { String($0, digits: 6) }),
      uniquingKeysWith: { first, _ in first })
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
      capture?.frames[index].name = String(index, digits: 6)
      capture?.frames[index].record = nil
    }
    for index in capture?.depthFrames.indices ?? 0..<0 {
      capture?.depthFrames[index].name = "depth_" + String(index, digits: 6)
      capture?.depthFrames[index].record = nil
    }
  }

  /// Files of textures are numbered, and so is what is named after a file that was read.
  private mutating func replaceNames(_ names: PrivateNames) {
    var names = names
    names.add(name)
    for index in meshes.indices where names.isTold(by: meshes[index].name) {
      meshes[index].name = meshes.count == 1 ? "model" : "model_\(index)"
    }
    for index in pointClouds.indices where names.isTold(by: pointClouds[index].name) {
      pointClouds[index].name = pointClouds.count == 1 ? "points" : "points_\(index)"
    }
    // Some formats name materials after their textures.
    for texture in textures { names.add(FileSystem.stem(of: texture.fileName)) }
    for index in materials.indices where names.isTold(by: materials[index].name) {
      materials[index].name = "material_\(index)"
    }
    for index in textures.indices {
      textures[index].fileName = "texture_\(index).\(textures[index].encoding.usualExtension)"
    }
    name = "model"
  }
}
