import MeshPipeline

/// The materials of a file, including those that represent classes.
///
/// Programs without classes preserve materials, so a class without a material gets one with its
/// name.
struct MaterialTable {
  struct Entry: Equatable {
    /// As in the file: never empty, and unique.
    var name: String
    var material: Material
    /// The class of the faces with this material; nil if it does not represent one.
    var className: String?
  }

  private struct Key: Hashable {
    var material: UInt32?
    var className: String?
  }

  private(set) var entries: [Entry] = []
  private var indices: [Key: Int] = [:]
  private var names = UniqueNames()
  private let scene: Scene
  private let splitsByClass: Bool
  private let isColored: Bool
  private let sides: Sides?

  /// - Parameters:
  ///   - splitsByClass: Whether faces with one material and several classes get several
  ///     materials, since the format can't store classes otherwise.
  ///   - sides: From where all faces are seen; nil for what the materials say.
  init(of scene: Scene, splitsByClass: Bool, sides: Sides? = nil) {
    self.sides = sides
    self.scene = scene
    self.splitsByClass = splitsByClass
    isColored =
      scene.meshes.contains { $0.colors != nil } || scene.pointClouds.contains { $0.colors != nil }
    // The scene's names come first, so that a class with the same name is renamed.
    if !splitsByClass {
      for material in scene.usedMaterials { _ = index(material: UInt32(material), className: nil) }
    }
  }

  /// The entry for a material and a class; nil for neither.
  mutating func index(material: UInt32?, className: String?) -> Int? {
    if material == nil, className == nil { return nil }
    let className = material == nil || splitsByClass ? className : nil
    let key = Key(material: material, className: className)
    if let known = indices[key] { return known }
    var entry = entry(material: material.map { scene.materials[Int($0)] }, className: className)
    entry.material.isDoubleSided = entry.material.isDoubleSided(by: sides)
    entries.append(entry)
    indices[key] = entries.count - 1
    return entries.count - 1
  }

  /// The entry of faces with neither, for files in which others have a material.
  mutating func plainIndex() -> Int {
    let key = Key(material: nil, className: nil)
    if let known = indices[key] { return known }
    var material = Material(plain: "default", isColored: isColored)
    material.isDoubleSided = material.isDoubleSided(by: sides)
    entries.append(Entry(name: unique("default"), material: material))
    indices[key] = entries.count - 1
    return entries.count - 1
  }

  private mutating func entry(material: Material?, className: String?) -> Entry {
    guard let material else {
      let name = className ?? "none"
      return Entry(
        name: unique(name), material: Material(ofClass: name, isColored: isColored),
        className: className)
    }
    let name = Self.name(
      of: material.name, className: className, isOnlyMaterial: scene.materials.count == 1)
    return Entry(name: unique(name), material: material, className: className)
  }

  /// The name of a material of one class: both names combined, unless one of them suffices.
  private static func name(
    of material: String, className: String?, isOnlyMaterial: Bool
  ) -> String {
    guard let className else { return material }
    if material.isEmpty || isOnlyMaterial { return className }
    if ClassNames.normalized(material) == className { return material }
    return "\(material) \(className)"
  }

  private mutating func unique(_ name: String) -> String {
    names.unique(name.isEmpty ? "material" : name)
  }
}
