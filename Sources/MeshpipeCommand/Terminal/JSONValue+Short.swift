import MeshPipeline

extension JSONValue {
  /// The value as typed after an equals sign: `20%`, `floor,wall`, `5mm`.
  var shortText: String {
    switch content {
    case .null: "none"
    case .bool(let value): value ? "true" : "false"
    case .number(let number): Self.text(of: number)
    case .string(let text): text.isEmpty ? "''" : text
    case .array(let elements):
      elements.isEmpty ? "[]" : elements.map(\.shortText).joined(separator: ",")
    case .object(let members):
      members.map { "\($0.key)=\($0.value.shortText)" }.joined(separator: " ")
    }
  }
}
