import MeshPipeline

/// The inputs of a kind of MaterialX surface that materials have a place for.
struct MaterialXModel {
  /// An input that is a number or a colour, with what it is if nothing is said.
  struct Part {
    var name: String
    var standard: [Double]
  }

  var color: Part
  /// What multiplies the colour.
  var weight: Part?
  /// Other colours that take the place of the colour by their weights, which materials have no place for either.
  var covers: [(weight: Part, color: Part)] = []
  var metallic: Part?
  var roughness: Part?
  var emission: Part?
  var emissionWeight: Part?
  /// One emitted of white, in the unit of the weight.
  var emissionUnit = 1.0
  var opacity: Part
  var normal: String? = "normal"
  var occlusion: String?
  /// Other inputs that materials have no place for, with what they are if they do nothing.
  var others: [Part] = []
  var isUnlit = false

  /// All inputs that are looked at.
  var inputs: [String] {
    let parts = [color, weight, metallic, roughness, emission, emissionWeight, opacity]
    return parts.compactMap { $0?.name } + covers.flatMap { [$0.weight.name, $0.color.name] }
      + [normal, occlusion].compactMap(\.self) + others.map(\.name)
      + ["alpha_mode", "alpha_cutoff", "opacityThreshold"]
  }

  private static let models: [String: MaterialXModel] = [
    "standard_surface": standardSurface, "open_pbr_surface": openPBR, "UsdPreviewSurface": preview,
    "gltf_pbr": gltf, "surface_unlit": unlit, "disney_principled": disney,
  ]

  static var names: [String] { models.keys.sorted() }

  static func named(_ name: String) -> MaterialXModel? { models[name] }

  private static func part(_ name: String, _ standard: Double...) -> Part {
    Part(name: name, standard: standard)
  }

  private static let standardSurface = MaterialXModel(
    color: part("base_color", 0.8, 0.8, 0.8), weight: part("base", 1),
    covers: [
      (part("subsurface", 0), part("subsurface_color", 1, 1, 1)),
      (part("transmission", 0), part("transmission_color", 1, 1, 1)),
    ], metallic: part("metalness", 0), roughness: part("specular_roughness", 0.2),
    emission: part("emission_color", 1, 1, 1), emissionWeight: part("emission", 0),
    opacity: part("opacity", 1, 1, 1),
    others: [
      part("coat", 0), part("sheen", 0), part("thin_film_thickness", 0), part("specular", 1),
      part("specular_color", 1, 1, 1), part("specular_IOR", 1.5), part("specular_anisotropy", 0),
      part("diffuse_roughness", 0),
    ])

  /// Its light is in candela per square metre.
  private static let openPBR = MaterialXModel(
    color: part("base_color", 0.8, 0.8, 0.8), weight: part("base_weight", 1),
    covers: [
      (part("subsurface_weight", 0), part("subsurface_color", 0.8, 0.8, 0.8)),
      (part("transmission_weight", 0), part("transmission_color", 1, 1, 1)),
    ], metallic: part("base_metalness", 0), roughness: part("specular_roughness", 0.3),
    emission: part("emission_color", 1, 1, 1), emissionWeight: part("emission_luminance", 0),
    emissionUnit: 1000, opacity: part("geometry_opacity", 1), normal: "geometry_normal",
    others: [
      part("coat_weight", 0), part("fuzz_weight", 0), part("thin_film_weight", 0),
      part("specular_weight", 1), part("specular_color", 1, 1, 1), part("specular_ior", 1.5),
      part("specular_roughness_anisotropy", 0), part("base_diffuse_roughness", 0),
    ])

  private static let preview = MaterialXModel(
    color: part("diffuseColor", 0.18, 0.18, 0.18), metallic: part("metallic", 0),
    roughness: part("roughness", 0.5), emission: part("emissiveColor", 0, 0, 0),
    opacity: part("opacity", 1), occlusion: "occlusion",
    others: [
      part("clearcoat", 0), part("useSpecularWorkflow", 0), part("ior", 1.5),
      part("displacement", 0),
    ])

  private static let gltf = MaterialXModel(
    color: part("base_color", 1, 1, 1), metallic: part("metallic", 1),
    roughness: part("roughness", 1), emission: part("emissive", 0, 0, 0),
    emissionWeight: part("emissive_strength", 1), opacity: part("alpha", 1),
    occlusion: "occlusion",
    others: [
      part("transmission", 0), part("clearcoat", 0), part("sheen_color", 0, 0, 0),
      part("iridescence", 0), part("specular", 1), part("specular_color", 1, 1, 1),
      part("ior", 1.5),
    ])

  private static let unlit = MaterialXModel(
    color: part("emission_color", 1, 1, 1), weight: part("emission", 1),
    opacity: part("opacity", 1), normal: nil, others: [part("transmission", 0)], isUnlit: true)

  private static let disney = MaterialXModel(
    color: part("baseColor", 0.16, 0.16, 0.16), metallic: part("metallic", 0),
    roughness: part("roughness", 0.5), opacity: part("opacity", 1),
    others: [
      part("anisotropic", 0), part("sheen", 0), part("clearcoat", 0), part("specTrans", 0),
      part("subsurface", 0), part("ior", 1.5),
    ])
}
