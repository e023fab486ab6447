import MeshpipeBase
import MeshpipeScene

/// A condition on a scene, for `when` and `expect`: `faces(wall) > 1000 and extent < 20m`.
///
///     condition  = and { ("or" | "||") and }
///     and        = not { ("and" | "&&") not }
///     not        = ("not" | "!") not | comparison
///     comparison = operand [ ("<" | "<=" | ">" | ">=" | "==" | "=" | "!=") operand ]
///                | text ("==" | "=" | "!=") text
///     text       = "'" characters "'"
///     operand    = "true" | "false" | feature | quantity | number [unit] | "(" condition ")"
///
/// A feature (`frames`, `classification`, `texture-coordinates`…) is true if the scene has it. A
/// quantity is a count (`faces vertices points meshes materials textures frames`, and of one class
/// `faces(wall)` or `points(wall)`), a length in metres (`extent width height depth`, as seen by
/// someone standing upright in the scene) or the `area` of all faces in square metres. `depth`
/// stands for depth maps where it is not compared. A ``SceneMeasure`` of the environment is used like
/// a feature if it is a property, otherwise like a quantity. Texts are compared for the values of variables:
/// `'${geometry}' == 'depth'`.
package struct Condition: Sendable, Equatable {
  indirect enum Node: Sendable, Equatable {
    case constant(Bool)
    case has(SceneFeature)
    /// Whether the scene has a measured property.
    case holds(SceneMeasure)
    case compare(Operand, Comparison, Operand)
    case not(Node)
    case and(Node, Node)
    case or(Node, Node)
  }

  enum Comparison: String, Sendable {
    case less = "<"
    case atMost = "<="
    case more = ">"
    case atLeast = ">="
    case equal = "=="
    case unequal = "!="

    func holds(_ left: Double, _ right: Double) -> Bool {
      switch self {
      case .less: left < right
      case .atMost: left <= right
      case .more: left > right
      case .atLeast: left >= right
      case .equal: left == right
      case .unequal: left != right
      }
    }
  }

  enum Operand: Sendable, Equatable {
    /// A number in base units; nil dimension for a number without unit.
    case number(Double, Dimension?)
    case quantity(Quantity)
    case faces(ofClass: String)
    case points(ofClass: String)
    case measure(SceneMeasure)
  }

  enum Dimension: String, Sendable {
    case count = "a count"
    case length = "a length"
    case area = "an area"
    case volume = "a volume"
    case angle = "an angle"
  }

  enum Quantity: String, Sendable, CaseIterable {
    case faces, vertices, points, meshes, materials, textures, frames
    case extent, width, height, depth, area

    var dimension: Dimension {
      switch self {
      case .extent, .width, .height, .depth: .length
      case .area: .area
      default: .count
      }
    }
  }

  /// The condition as written, with variables substituted.
  package let text: String
  let root: Node

  init(text: String, root: Node) {
    self.text = text
    self.root = root
  }

  /// The text in quotes that it does not have itself.
  var quoted: String { text.contains("'") ? "\"\(text)\"" : "'\(text)'" }

  /// The features that a scene must have if the condition is true.
  package var impliedFeatures: Set<SceneFeature> { root.impliedFeatures }

  /// The features that the condition asks for, also as the number of frames.
  var mentionedFeatures: Set<SceneFeature> { root.mentionedFeatures }

  /// Whether no scene can make the condition true, as the values of variables decide: `'scan' == 'depth' and frames`.
  package var isNeverTrue: Bool { root == .constant(false) }

  /// Whether only a scene with a capture can make the condition true: `frames or depth`.
  var impliesCapture: Bool { root.impliesCapture }
}

extension Condition.Node {
  /// What must hold if this and another must, without what constants decide.
  func and(_ other: Self) -> Self {
    switch (self, other) {
    case (.constant(false), _), (_, .constant(true)): self
    case (.constant(true), _), (_, .constant(false)): other
    default: .and(self, other)
    }
  }

  /// What must hold if this or another must, likewise.
  func or(_ other: Self) -> Self {
    switch (self, other) {
    case (.constant(true), _), (_, .constant(false)): self
    case (.constant(false), _), (_, .constant(true)): other
    default: .or(self, other)
    }
  }

  /// The opposite.
  var negated: Self {
    if case .constant(let value) = self { return .constant(!value) }
    return .not(self)
  }

  var impliedFeatures: Set<SceneFeature> {
    switch self {
    case .constant, .not, .holds: []
    case .has(let feature): [feature]
    case .and(let left, let right): left.impliedFeatures.union(right.impliedFeatures)
    case .or(let left, let right): left.impliedFeatures.intersection(right.impliedFeatures)
    case .compare(let operand, .more, .number(let bound, _)) where bound >= 0: operand.features
    case .compare(let operand, .atLeast, .number(let bound, _)) where bound > 0: operand.features
    case .compare(.number(let bound, _), .less, let operand) where bound >= 0: operand.features
    case .compare(.number(let bound, _), .atMost, let operand) where bound > 0: operand.features
    case .compare: []
    }
  }
}

extension Condition.Node {
  fileprivate var mentionedFeatures: Set<SceneFeature> {
    switch self {
    case .constant: []
    case .has(let feature): [feature]
    case .holds(let measure): measure.features
    case .not(let node): node.mentionedFeatures
    case .and(let left, let right), .or(let left, let right):
      left.mentionedFeatures.union(right.mentionedFeatures)
    case .compare(let left, _, let right):
      left.mentionedFeatures.union(right.mentionedFeatures)
    }
  }
}

extension Condition.Node {
  fileprivate var impliesCapture: Bool {
    switch self {
    case .and(let left, let right): left.impliesCapture || right.impliesCapture
    case .or(let left, let right): left.impliesCapture && right.impliesCapture
    default: !impliedFeatures.isDisjoint(with: SceneFeature.ofCaptures)
    }
  }
}

extension Condition.Operand {
  /// The features of a scene in which the operand is not zero.
  fileprivate var features: Set<SceneFeature> {
    switch self {
    case .quantity(.faces), .quantity(.area): [.faces]
    case .quantity(.points): [.points]
    case .quantity(.materials): [.materials]
    case .quantity(.textures): [.textures]
    case .quantity(.frames): [.frames]
    case .faces: [.faces, .classification]
    case .points: [.points, .classification]
    default: []
    }
  }

  /// The features of captures that its value depends on.
  fileprivate var mentionedFeatures: Set<SceneFeature> {
    switch self {
    case .quantity(.frames): [.frames]
    case .measure(let measure): measure.features
    default: []
    }
  }

  var dimension: Condition.Dimension? {
    switch self {
    case .number(_, let dimension): dimension
    case .quantity(let quantity): quantity.dimension
    case .faces, .points: .count
    case .measure(let measure): measure.kind.dimension
    }
  }

  /// The operand as written in a condition.
  var name: String {
    switch self {
    case .number(let value, _): JSONValue.text(of: value)
    case .quantity(let quantity): quantity.rawValue
    case .faces(let label): "faces(\(label))"
    case .points(let label): "points(\(label))"
    case .measure(let measure): measure.name
    }
  }
}

extension SceneMeasure.Kind {
  fileprivate var dimension: Condition.Dimension {
    switch self {
    case .property, .count, .share: .count
    case .length: .length
    case .area: .area
    case .volume: .volume
    case .angle: .angle
    }
  }
}
